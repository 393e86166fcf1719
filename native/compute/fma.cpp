// compute.fma: the highest rate of floating-point operations, by the width of the registers.
//
// An event is a block of fused multiply-adds on every core: chains in registers, enough of them to
// cover the latency on all units, and no memory (after the peakflops loops of likwid-bench,
// Treibig, Hager, Wellein, PSTI 2010). A fused multiply-add is two operations a lane. After each
// block every core runs a chain of integer multiplications, which shows its clock in that moment.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compute/fma_blocks.hpp"
#include "compute/fma_kernels.hpp"
#include "compute/multiply_chain.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

using compute::Blocks;
using compute::Kernel;

template <class Number>
PointResult measure_kernel(NodeSession& session, const Parameters& point,
                           const Kernel<Number>& kernel) {
    Blocks<Number> blocks(session.clock(), kernel);
    const Samples taken = session.sample(blocks);
    const std::size_t wrong = blocks.wrong_lanes();
    const bool multiplied = blocks.multiplied();
    std::vector<NamedSeries> series{{"seconds", taken.seconds}};
    PointResult result(point);
    if (const int cycles = compute::cycles_of_multiplication(); cycles > 0) {
        series.emplace_back("multiply_seconds", blocks.multiply_seconds(taken.seconds.size()));
        result.quantity("cycles", cycles * static_cast<double>(compute::multiplications_of_chain));
    }
    return result.add_samples(std::move(series), taken.batch)
        .check(wrong == 0 && multiplied,
               "every lane against its exact sum: " + std::to_string(wrong) + " wrong" +
                   (multiplied ? "" : "; the chain of multiplications has a wrong product"))
        .quantity("flops", blocks.flops())
        .quantity("threads", blocks.threads())
        .attribute("implementation", std::to_string(compute::chains) + " chains of " +
                                         std::string(kernel.instruction));
}

template <class Number>
PointResult measure_width(NodeSession& session, const Parameters& point, std::string_view width) {
    for (const Kernel<Number>& kernel : compute::kernels_of(Number{})) {
        if (kernel.width == width && kernel.runs_here()) {
            return measure_kernel(session, point, kernel);
        }
    }
    return not_measured(point, "width: this CPU has no fused multiply-add of this width (" +
                                   std::string(width) + "): width=auto takes those that it has");
}

PointResult measure(NodeSession& session, const Parameters& point) {
    const auto width = point.choice<std::string_view>("width", {{"scalar", "scalar"},
                                                                {"128-bit", "128-bit"},
                                                                {"256-bit", "256-bit"},
                                                                {"512-bit", "512-bit"}});
    const bool single = point.choice<bool>("precision", {{"double", false}, {"single", true}});
    return single ? measure_width<float>(session, point, width)
                  : measure_width<double>(session, point, width);
}

void run_fma(NodeSession& session) {
    session.record_each([&](const Parameters& point) { return measure(session, point); });
}

const RegisterNodeBenchmark registered({"compute.fma", {"width", "precision"}, &run_fma});

}  // namespace
}  // namespace machmeter
