// nodes.sync: a barrier of the threads of every node by itself: the method of threads.sync.
#include <omp.h>

#include <cstdint>
#include <string>
#include <utility>

#include "nodes/each_node.hpp"
#include "threads/construct_bench.hpp"
#include "threads/construct_check.hpp"
#include "threads/paired_sampling.hpp"

namespace machmeter {
namespace {

nodes::Own pass_barriers(MpiSession& session) {
    const int threads = omp_get_max_threads();
    const std::uint64_t checked = checked_passages(threads);
    const bool right_before = construct_is_right(Construct::barrier, threads, checked);
    ConstructBench bench(session.clock(), Construct::barrier);
    nodes::Own own;
    own.samples.batch = passages_per_sample(bench, session.clock_facts(), fewest_passages(threads));
    Paired paired = take_pairs(session.clock_facts(), session.limits(), bench, own.samples.batch);
    own.samples.seconds = std::move(paired.test);
    own.samples.timed_seconds = paired.timed_seconds;
    own.extra = {std::move(paired.reference)};
    own.right = right_before && construct_is_right(Construct::barrier, threads, checked);
    own.numbers = {static_cast<double>(threads)};
    return own;
}

void run_node_sync(MpiSession& session) {
    nodes::record_each_node(
        session, [&](const Parameters& /*point*/) { return pass_barriers(session); },
        [](const Parameters& point, const nodes::Own& own) {
            return PointResult(point)
                .add_samples({{"test", own.samples.seconds}, {"reference", own.extra[0]}},
                             own.samples.batch)
                .check(own.right, "on this node no thread left a barrier before all had come")
                .quantity("threads", own.numbers[0])
                .quantity("delay_steps", delay_steps);
        });
}

const RegisterMpiBenchmark registered({"nodes.sync", {"node"}, &run_node_sync, nodes::one_on_each});

}  // namespace
}  // namespace machmeter
