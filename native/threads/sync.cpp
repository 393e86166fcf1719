// threads.sync: what one passage of an OpenMP construct costs over the same work without it.
//
// Method of EPCC syncbench (Bull, EWOMP 1999): a passage holds a short delay of fixed work, and the
// overhead is test minus reference. Each sample holds one of each, taken in alternating order
// (A-B-B-A), so that drift cancels.
//
//   parallel, for, parallel-for,  every thread does one piece a passage; in the reference too
//   barrier, reduction
//   single, critical, lock,       one piece after another (a passage is one piece of one thread);
//   ordered                       in the reference too, on each thread in turn
//   atomic                        a passage is one update of one thread, without delay; in the
//                                 reference a plain update of the thread's own number
//   task, taskwait                every thread creates one task a passage (taskwait: and waits for
//                                 it); in the reference it does the piece itself
//   taskloop                      one thread splits a loop of a piece a thread; in the reference
//                                 every thread does its piece itself
#include <omp.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/session/node.hpp"
#include "threads/construct_bench.hpp"
#include "threads/construct_check.hpp"
#include "threads/constructs.hpp"
#include "threads/paired_sampling.hpp"

namespace machmeter {
namespace {

constexpr std::pair<std::string_view, Construct> names[] = {
    {"parallel", Construct::parallel},
    {"for", Construct::loop},
    {"parallel-for", Construct::parallel_loop},
    {"barrier", Construct::barrier},
    {"reduction", Construct::reduction},
    {"single", Construct::single},
    {"critical", Construct::critical},
    {"lock", Construct::lock},
    {"ordered", Construct::ordered},
    {"atomic", Construct::atomic},
    {"task", Construct::task},
    {"taskwait", Construct::taskwait},
    {"taskloop", Construct::taskloop},
};

PointResult measure(NodeSession& session, const Parameters& point) {
    const auto construct = choose<Construct>("construct", point.text("construct"), names);
    const int threads = omp_get_max_threads();
    const std::uint64_t checked = checked_passages(threads);
    const bool right_before = construct_is_right(construct, threads, checked);
    ConstructBench bench(session.clock(), construct);
    const std::uint64_t batch =
        passages_per_sample(bench, session.clock_facts(), fewest_passages(threads));
    const Paired paired = sample_pairs(session, bench, batch);
    const bool right_after = construct_is_right(construct, threads, checked);
    return paired_result(point, paired, batch)
        .check(right_before && right_after && bench.all_updated(),
               std::to_string(checked) +
                   " passages before and after did what OpenMP specifies: how often, by which "
                   "threads, in which order")
        .quantity("threads", threads)
        .quantity("delay_steps", delay_steps);
}

void run_sync(NodeSession& session) {
    session.record_each([&](const Parameters& point) { return measure(session, point); });
}

const RegisterNodeBenchmark registered({"threads.sync", {"construct"}, &run_sync});

}  // namespace
}  // namespace machmeter
