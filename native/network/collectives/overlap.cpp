// network.collective-overlap: how much of a non-blocking collective operation hides behind work
// that every rank does.
//
// Each sample times three things, begun together and in turning order: communication (start, wait),
// work (a fixed number of steps), total (start, work, wait). The time of each is that of its
// slowest rank.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/work.hpp"
#include "mpi/benchmark.hpp"
#include "network/collectives/overlap_parts.hpp"
#include "network/collectives/points.hpp"
#include "network/collectives/session.hpp"

namespace machmeter {
namespace {

struct Planned {
    const Parameters& point;
    CollectiveShape shape;
    double work_share;
    std::string why_not;
};

// Asked before any buffer takes memory, so that the answer is the same for all points.
std::vector<Planned> plan_points(CollectiveSession& together) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 36U;
    std::vector<Planned> all;
    for (const Parameters& point : together.session().own().points()) {
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

// One operation more with known data, under work as in the timed ones.
bool arrives_right(CollectiveSession& together, Collective& collective, std::uint64_t steps) {
    const std::uint64_t seed = together.session().own().seed();
    collective.fill(seed);
    together.team().meet();
    run_part(collective, OverlapPart::total, steps);
    return together.team().all(collective.is_right(seed));
}

void describe_overlap(PointResult& result, CollectiveSession& together, const Planned& planned,
                      std::uint64_t steps) {
    result.facts.emplace_back("bytes", static_cast<double>(planned.shape.bytes));
    result.facts.emplace_back("work_steps", static_cast<double>(steps));
    result.words.emplace_back("event", "each part after a barrier; the last rank to end it counts");
    result.words.emplace_back("calls", "the non-blocking call, then MPI_Wait");
    result.words.emplace_back("progress", together.session().progress());
    result.words.emplace_back("buffer", "reused");
    if (is_among_neighbors(planned.shape.operation)) {
        result.words.emplace_back("neighbors", together.neighbor_words());
    }
}

PointResult measure(CollectiveSession& together, const CollectiveBuffers& buffers,
                    const Planned& planned) {
    Collective collective(planned.shape, Element::float_, Form::nonblocking, buffers,
                          together.group_of(planned.shape.operation));
    const EventCost cost =
        together.cost([&](std::uint64_t) { run_part(collective, OverlapPart::communication, 0); });
    const double work_seconds = cost.event_seconds * planned.work_share;
    const auto steps = static_cast<std::uint64_t>(
        together.team().share(static_cast<double>(work_steps_for(together.clock(), work_seconds))));
    const double clock_share =
        share_of_clock(together.session().own().clock_facts(), cost.event_seconds);
    // The total is at worst the sum of the other two.
    const EventCost longest{cost.event_seconds + work_seconds, cost.agreement_seconds,
                            cost.usual_seconds + work_seconds};
    const Rounds rounds = together.rounds(
        longest, Start::barrier, overlap_parts,
        [&](std::uint64_t round) { run_part(collective, overlap_part(round), steps); });
    PointResult result{planned.point, overlap_series(rounds), 1,
                       arrives_right(together, collective, steps),
                       "every rank ended with the bytes or sums it should"};
    if (clock_share > usual_clock_share) {
        result.check_passed = false;
        result.check_what =
            "the operation is too short for the clock, over 5 % of it is the "
            "clock's own: ask for larger sizes, such as 16 KiB";
    }
    describe_overlap(result, together, planned, steps);
    together.describe(result, rounds, Start::barrier, cost);
    result.page_bytes = together.team().smallest(buffers.page_bytes());
    return result;
}

void run_overlap(MpiSession& session) {
    CollectiveSession together(session);
    record_planned(together, plan_points(together),
                   [&](const CollectiveBuffers& buffers, const Planned& planned) {
                       return measure(together, buffers, planned);
                   });
}

const RegisterMpiBenchmark registered("network.collective-overlap",
                                      {"operation", "size", "work_percent"}, any_ranks,
                                      &run_overlap);

}  // namespace
}  // namespace machmeter
