// network.barrier: MPI_Barrier of all ranks, begun together; the last to leave sets the time.
#include <algorithm>
#include <limits>
#include <vector>

#include "mpi/runtime.hpp"
#include "network/collectives/session.hpp"

namespace machmeter {
namespace {

// One more barrier, which one rank enters late on purpose: none may have left before, as far as the
// global clock can resolve.
bool holds_everyone(CollectiveSession& together, Collective& barrier) {
    constexpr double least_delay_seconds = 100e-6;
    together.renew_clock();
    const double doubt = 2 * together.clock_bound();
    const double delay_seconds = std::max(least_delay_seconds, 10 * doubt);
    const auto delay_nanoseconds = static_cast<std::uint64_t>(delay_seconds * 1e9);
    const MpiTeam& team = together.team();
    const Clock& clock = together.clock();
    const auto ranks = static_cast<std::uint64_t>(team.size());
    const std::uint64_t delayed = together.session().seed() % ranks;
    team.barrier();
    if (static_cast<std::uint64_t>(team.rank()) == delayed) {
        wait_until(clock, clock.now() + delay_nanoseconds, together.hosts().crowded());
    }
    const double entered = together.model().global(clock.now());
    barrier.run();
    const double left = together.model().global(clock.now());
    double last_entered = 0;
    double first_left = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& times : team.gather({entered, left})) {
        last_entered = std::max(last_entered, times[0]);
        first_left = std::min(first_left, times[1]);
    }
    return broadcast_decision(team, first_left + doubt >= last_entered);
}

PointResult measure(CollectiveSession& together, const MessageBuffers& none,
                    const Parameters& point) {
    const Form form = form_of(point);
    const Start start = start_of(point);
    const CollectiveShape shape = together.shape(Operation::barrier, 0);
    const std::string why = lacking(shape, Element::float_, form);
    if (!why.empty()) {
        return not_measured(point, why);
    }
    Collective barrier(shape, Element::float_, form, none, together.team().group());
    const auto event = [&](std::uint64_t) { barrier.run(); };
    const EventCost cost = together.cost(event);
    const Rounds rounds = together.rounds(cost, start, 1, event);
    PointResult result(point);
    result.check(holds_everyone(together, barrier),
                 "no rank left a barrier before the last rank had entered it");
    require_together(result, rounds, cost, together.session().limits());
    add_series(result, rounds);
    together.describe(result, rounds, start, cost);
    result.attribute("event", "one barrier, until the last rank has left it");
    result.page_bytes = together.team().smallest(none.page_bytes());
    return result;
}

void run_barrier(MpiSession& session) {
    CollectiveSession together(session);
    const MessageBuffers none(0, session.page_bytes());
    session.record_each([&](const Parameters& point) { return measure(together, none, point); });
}

const RegisterMpiBenchmark registered(
    {"network.barrier", {"form", "start"}, &run_barrier, any_ranks});

}  // namespace
}  // namespace machmeter
