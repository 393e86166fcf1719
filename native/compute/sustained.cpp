// compute.sustained: the highest rate of floating-point operations over seconds, in short slices.
//
// The blocks of compute.fma, by the widest registers that the CPU has, one slice after the other
// without a pause: power and temperature limits lower the clock of many cores within seconds. After
// each slice every core runs a chain of integer multiplications, which shows its clock. Where the
// energy of the processors can be read, it is divided by all operations.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compute/fma_blocks.hpp"
#include "compute/fma_kernels.hpp"
#include "compute/multiply_chain.hpp"
#include "core/host/energy.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

using compute::Blocks;
using compute::Kernel;

struct Span {
    double seconds;
    double slice_seconds;
};

Span span_of(const Parameters& point) {
    constexpr std::uint64_t longest = 3600;
    const std::uint64_t seconds = point.count_within("seconds", 2, longest);
    const std::uint64_t milliseconds = point.count_within("slice_ms", 10, 1000);
    return {static_cast<double>(seconds), static_cast<double>(milliseconds) / 1e3};
}

// seconds: of one block in each slice. blocks: of all slices.
struct Slices {
    std::vector<double> seconds;
    std::vector<double> at;
    std::uint64_t blocks = 0;
};

template <class BlocksOfAll>
Slices run_slices(NodeSession& session, const Span& span, BlocksOfAll& blocks,
                  PackageEnergy& energy) {
    blocks(1);
    const double once = std::max(calibrate(session.clock_facts(), blocks), 1e-9);
    const auto count = static_cast<std::uint64_t>(std::max(span.slice_seconds / once, 1.0));
    const Clock& clock = session.clock();
    energy.begin();
    const std::uint64_t begin = clock.now();
    Slices found;
    double timed = 0;
    for (double at = 0; at < span.seconds; at = seconds_between(begin, clock.now())) {
        const double lasted = blocks(count);
        timed += lasted;
        found.at.push_back(at);
        found.seconds.push_back(lasted / static_cast<double>(count));
        found.blocks += count;
        energy.update();
    }
    session.add_timed(timed);
    return found;
}

// The slices that begin within the first second, and as many at the end.
std::pair<std::vector<double>, std::vector<double>> ends_of(const Slices& slices) {
    constexpr double first_second = 1;
    const auto after = std::lower_bound(slices.at.begin(), slices.at.end(), first_second);
    const auto count = after - slices.at.begin();
    return {{slices.seconds.begin(), slices.seconds.begin() + count},
            {slices.seconds.end() - count, slices.seconds.end()}};
}

template <class Number>
PointResult measure_kernel(NodeSession& session, const Parameters& point,
                           const Kernel<Number>& kernel) {
    Blocks<Number> blocks(session.clock(), kernel);
    PackageEnergy energy;
    Slices slices = run_slices(session, span_of(point), blocks, energy);
    const std::size_t wrong = blocks.wrong_lanes();
    auto [first, last] = ends_of(slices);
    std::vector<NamedSeries> series{{"seconds", slices.seconds}, {"at", slices.at}};
    PointResult result(point);
    if (const int cycles = compute::cycles_of_multiplication(); cycles > 0) {
        series.emplace_back("multiply_seconds", blocks.multiply_seconds(slices.seconds.size()));
        result.quantity("cycles", cycles * static_cast<double>(compute::multiplications_of_chain));
    }
    if (energy.readable() && energy.joules() > 0) {
        result.quantity("joules_per_flop",
                        energy.joules() / (blocks.flops() * static_cast<double>(slices.blocks)));
    }
    result.add_samples(std::move(series), 1)
        .add_series("first_seconds", std::move(first))
        .add_series("last_seconds", std::move(last));
    return result
        .check(wrong == 0 && blocks.multiplied(),
               "every lane against its exact sum: " + std::to_string(wrong) + " wrong" +
                   (blocks.multiplied() ? "" : "; the multiplications have a wrong product"))
        .quantity("flops", blocks.flops())
        .quantity("threads", blocks.threads())
        .attribute("implementation", std::to_string(compute::chains) + " chains of " +
                                         std::string(kernel.instruction));
}

template <class Number>
PointResult measure_widest(NodeSession& session, const Parameters& point) {
    const std::vector<Kernel<Number>> kernels = compute::kernels_of(Number{});
    const Kernel<Number>* widest = nullptr;
    for (const Kernel<Number>& kernel : kernels) {
        if (kernel.runs_here() && (widest == nullptr || kernel.lanes > widest->lanes)) {
            widest = &kernel;
        }
    }
    if (widest == nullptr) {
        return not_measured(point, "this CPU has no fused multiply-add that is known here");
    }
    return measure_kernel(session, point, *widest);
}

void run_sustained(NodeSession& session) {
    session.record_each([&](const Parameters& point) {
        const bool single = point.choice<bool>("precision", {{"double", false}, {"single", true}});
        return single ? measure_widest<float>(session, point)
                      : measure_widest<double>(session, point);
    });
}

const RegisterNodeBenchmark registered({"compute.sustained",
                                        {"seconds", "slice_ms", "precision"},
                                        &run_sustained});

}  // namespace
}  // namespace machmeter
