// network.barrier: MPI_Barrier of all ranks, begun together; the last to leave sets the time.
#include <algorithm>
#include <limits>
#include <vector>

#include "core/record/not_measured.hpp"
#include "mpi/benchmark.hpp"
#include "network/collectives/session.hpp"

namespace machmeter {
namespace {

// One more barrier, to which one rank comes late on purpose: nobody may have left before it came,
// as far as the global clock can tell.
bool holds_everyone(CollectiveSession& together, Collective& barrier) {
    constexpr double least_delay_seconds = 100e-6;
    together.renew_clock();
    const double doubt = 2 * together.clock_bound();
    const double delay_seconds = std::max(least_delay_seconds, 10 * doubt);
    const auto delay_nanoseconds = static_cast<std::uint64_t>(delay_seconds * 1e9);
    const MpiTeam& team = together.team();
    const Clock& clock = together.clock();
    const auto ranks = static_cast<std::uint64_t>(team.size());
    const std::uint64_t delayed = together.session().own().seed() % ranks;
    team.meet();
    if (static_cast<std::uint64_t>(team.rank()) == delayed) {
        wait_until(clock, clock.now() + delay_nanoseconds, together.hosts().crowded());
    }
    const double came = together.model().global(clock.now());
    barrier.run();
    const double left = together.model().global(clock.now());
    double last_came = 0;
    double first_left = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& times : team.gather({came, left})) {
        last_came = std::max(last_came, times[0]);
        first_left = std::min(first_left, times[1]);
    }
    return team.share(first_left + doubt >= last_came ? 1 : 0) != 0;
}

PointResult measure(CollectiveSession& together, const CollectiveBuffers& none,
                    const Parameters& point) {
    const Form form = form_named(point.text("form"));
    const Start start = start_named(point.text("start"));
    const CollectiveShape shape = together.shape(Operation::barrier, 0);
    const std::string why = lacking(shape, Element::float_, form);
    if (!why.empty()) {
        return not_measured(point, why);
    }
    Collective barrier(shape, Element::float_, form, none, together.team().group());
    const auto event = [&](std::uint64_t) { barrier.run(); };
    const EventCost cost = together.cost(event);
    const Rounds rounds = together.rounds(cost, start, 1, event);
    PointResult result{point,
                       {},
                       1,
                       holds_everyone(together, barrier),
                       "nobody left a barrier before the last rank had come to it"};
    require_together(result, rounds, cost, together.session().own().limits());
    add_series(result, rounds);
    together.describe(result, rounds, start, cost);
    result.words.emplace_back("event", "one barrier, until its last rank has left it");
    result.page_bytes = together.team().smallest(none.page_bytes());
    return result;
}

void run_barrier(MpiSession& session) {
    CollectiveSession together(session);
    const CollectiveBuffers none(0, 0, session.own().page_bytes());
    for (const Parameters& point : session.own().points()) {
        session.begin(point);
        session.own().record(measure(together, none, point));
    }
}

const RegisterMpiBenchmark registered("network.barrier", {"form", "start"}, any_ranks,
                                      &run_barrier);

}  // namespace
}  // namespace machmeter
