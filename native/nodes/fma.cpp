// nodes.fma: fused multiply-adds on all threads of every node by itself, over seconds, and the
// clock meanwhile: the method of compute.sustained.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compute/fma_blocks.hpp"
#include "compute/fma_kernels.hpp"
#include "compute/multiply_chain.hpp"
#include "nodes/each_node.hpp"

namespace machmeter {
namespace {

using DoubleKernel = compute::Kernel<double>;

constexpr double slice_seconds = 0.1;

const DoubleKernel* widest_of(const std::vector<DoubleKernel>& kernels) {
    const DoubleKernel* widest = nullptr;
    for (const DoubleKernel& kernel : kernels) {
        if (kernel.runs_here() && (widest == nullptr || kernel.lanes > widest->lanes)) {
            widest = &kernel;
        }
    }
    return widest;
}

nodes::Own multiply_for(MpiSession& session, double seconds) {
    const std::vector<DoubleKernel> kernels = compute::kernels_of(double{});
    const DoubleKernel* widest = widest_of(kernels);
    nodes::Own own;
    own.extra.resize(1);
    own.numbers.resize(3);
    if (widest == nullptr) {
        own.why_not = "this node's CPU has no fused multiply-add that is known here";
        return own;
    }
    const Clock& clock = session.clock();
    compute::Blocks<double> blocks(clock, *widest);
    blocks(1);
    const double once = std::max(calibrate(session.clock_facts(), blocks), 1e-9);
    const auto count = static_cast<std::uint64_t>(std::max(slice_seconds / once, 1.0));
    const std::uint64_t begin = clock.now();
    do {
        const double lasted = blocks(count);
        own.samples.timed_seconds += lasted;
        own.samples.seconds.push_back(lasted / static_cast<double>(count));
    } while (seconds_between(begin, clock.now()) < seconds);
    own.samples.batch = count;
    own.extra[0] = blocks.multiply_seconds(own.samples.seconds.size());
    own.right = blocks.wrong_lanes() == 0 && blocks.multiplied();
    own.numbers = {blocks.flops(), static_cast<double>(blocks.threads()),
                   static_cast<double>(compute::cycles_of_multiplication()) *
                       static_cast<double>(compute::multiplications_of_chain)};
    return own;
}

void run_node_fma(MpiSession& session) {
    constexpr std::uint64_t longest = 600;
    nodes::record_each_node(
        session,
        [&](const Parameters& point) {
            return multiply_for(session,
                                static_cast<double>(point.count_within("seconds", 1, longest)));
        },
        [](const Parameters& point, const nodes::Own& own) {
            std::vector<NamedSeries> series{{"seconds", own.samples.seconds}};
            PointResult result(point);
            if (own.numbers[2] > 0) {
                series.emplace_back("multiply_seconds", own.extra[0]);
                result.quantity("cycles", own.numbers[2]);
            }
            result.add_samples(std::move(series), 1);
            result
                .check(own.right,
                       "every lane on this node against its exact sum, and the product "
                       "of the multiplications")
                .quantity("flops", own.numbers[0])
                .quantity("threads", own.numbers[1]);
            return result;
        });
}

const RegisterMpiBenchmark registered(
    {"nodes.fma", {"node", "seconds"}, &run_node_fma, nodes::one_on_each});

}  // namespace
}  // namespace machmeter
