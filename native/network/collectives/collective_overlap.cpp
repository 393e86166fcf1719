// network.collective-overlap: how much of a non-blocking collective operation hides behind work
// that every rank does.
//
// Each sample times three parts, begun together and in rotating order: communication (start, wait),
// work (a fixed number of steps), total (start, work, wait). The slowest rank sets the time of
// each.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/work.hpp"
#include "mpi/runtime.hpp"
#include "network/collectives/overlap_parts.hpp"
#include "network/collectives/session.hpp"

namespace machmeter {
namespace {

struct Planned {
    const Parameters& point;
    CollectiveShape shape;
    double work_share;
    std::string why_not;
};

// Before any buffer takes memory, so that all points get the same answer.
std::vector<Planned> plan_points(CollectiveSession& together) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 36U;
    std::vector<Planned> all;
    for (const Parameters& point : together.session().points()) {
        const CollectiveShape shape = together.shape(data_operation_named(point.text("operation")),
                                                     point.count_within("size", 1, most_bytes));
        const double share =
            static_cast<double>(point.count_within("work_percent", 1, 10'000)) / 100;
        all.push_back(
            {point, shape, share, together.why_not(shape, Element::float_, Form::nonblocking)});
    }
    return all;
}

void run_part(Collective& collective, OverlapPart part, std::uint64_t steps) {
    if (part == OverlapPart::work) {
        work(steps, steps);
        return;
    }
    collective.start();
    if (part == OverlapPart::total) {
        work(steps, steps);
    }
    collective.wait();
}

// One more operation with known data, with work as in the timed ones.
bool arrives_right(CollectiveSession& together, Collective& collective, std::uint64_t steps) {
    const std::uint64_t seed = together.session().seed();
    collective.fill(seed);
    together.team().barrier();
    run_part(collective, OverlapPart::total, steps);
    return together.team().all(collective.is_right(seed));
}

void describe_overlap(PointResult& result, CollectiveSession& together, const Planned& planned,
                      std::uint64_t steps) {
    result.quantity("bytes", planned.shape.bytes).quantity("work_steps", steps);
    result.attribute("event", "each part after a barrier; the last rank to complete it counts")
        .attribute("calls", "the non-blocking call, then MPI_Wait")
        .attribute("progress", together.session().runtime().progress_text())
        .attribute("buffer", "reused");
    if (is_among_neighbors(planned.shape.operation)) {
        result.attribute("neighbors", together.neighbor_text());
    }
}

PointResult measure(CollectiveSession& together, const MessageBuffers& buffers,
                    const Planned& planned) {
    Collective collective(planned.shape, Element::float_, Form::nonblocking, buffers,
                          together.group_of(planned.shape.operation));
    const EventCost cost =
        together.cost([&](std::uint64_t) { run_part(collective, OverlapPart::communication, 0); });
    const double work_seconds = cost.event_seconds * planned.work_share;
    const std::uint64_t steps =
        broadcast_count(together.team(), work_steps_for(together.clock(), work_seconds));
    const double clock_share = share_of_clock(together.session().clock_facts(), cost.event_seconds);
    // The total is at worst the sum of the other two.
    const EventCost longest{cost.event_seconds + work_seconds, cost.agreement_seconds,
                            cost.usual_seconds + work_seconds};
    const Rounds rounds = together.rounds(
        longest, Start::barrier, overlap_parts,
        [&](std::uint64_t round) { run_part(collective, overlap_part(round), steps); });
    PointResult result(planned.point);
    result.series = overlap_series(rounds);
    result.check(arrives_right(together, collective, steps),
                 "every rank ended with the bytes or sums it should");
    if (clock_share > usual_clock_share) {
        result.check(false,
                     "the operation is too short for the clock, whose cost is over 5 % of it: "
                     "request larger sizes, such as 16 KiB");
    }
    describe_overlap(result, together, planned, steps);
    together.describe(result, rounds, Start::barrier, cost);
    result.page_bytes = together.team().smallest(buffers.page_bytes());
    return result;
}

void run_overlap(MpiSession& session) {
    CollectiveSession together(session);
    together.record_each(plan_points(together),
                         [&](const MessageBuffers& buffers, const Planned& planned) {
                             return measure(together, buffers, planned);
                         });
}

const RegisterMpiBenchmark registered(
    {"network.collective-overlap", {"operation", "size", "work_percent"}, &run_overlap, any_ranks});

}  // namespace
}  // namespace machmeter
