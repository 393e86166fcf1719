// proxies.lowmach: low-Mach-number flow, as MAESTRO computes it on AMReX: upwind advection on many
// boxes and a projection by multigrid. Ranks own boxes along a space-filling curve, threads share
// their planes.
#include <cmath>
#include <cstdint>
#include <string>

#include "core/libraries/loaded.hpp"
#include "proxies/common/mpi_ranks.hpp"
#include "proxies/lowmach/checks.hpp"
#include "proxies/lowmach/flow.hpp"
#include "proxies/lowmach/sizes.hpp"

namespace machmeter {
namespace {

namespace lowmach = proxies::lowmach;

// Eleven of the flow, five of the finest level, and a seventh of these on coarser ones.
constexpr double fields = 11 + 5 * 8.0 / 7;

void require_memory_of(const MpiSession& session, const lowmach::Problem& problem,
                       const lowmach::Curve& curve) {
    const int rank = session.team().rank();
    const lowmach::Boxes mine{curve.first(rank + 1) - curve.first(rank), problem.box};
    // Coarser levels have larger layers around their cells; messages come on top.
    constexpr double around = 1.25;
    proxies::require_memory_of_ranks(
        session, "cells: a cube of " + std::to_string(problem.edge),
        static_cast<double>(mine.padded()) * fields * around * sizeof(double));
}

// Cells of all levels but the coarsest, over those of the finest, and those of the coarsest.
struct LevelCells {
    double smoothed = 0;
    double coarsest = 1;

    explicit LevelCells(std::int64_t box) {
        for (std::int64_t edge = box; edge > 2; edge /= 2) {
            smoothed += coarsest;
            coarsest /= 8;
        }
    }
};

// Of one event on all ranks. Every solve computes one residual more than cycles.
template <class FlowOf>
void add_work(PointResult& result, FlowOf& flow, double cells) {
    const double steps = flow.steps();
    const double cycles = flow.cycles();
    const double bottom = flow.bottom_iterations();
    const LevelCells of(flow.state().problem.box);
    const auto per_cell = [&](double step, double sweep, double transfer, double residual,
                              double iteration) {
        return steps * step + (steps + cycles) * residual + bottom * of.coarsest * iteration +
               cycles * of.smoothed * (2 * lowmach::sweeps_each_way * sweep + transfer);
    };
    result.quantity("cell_updates", cells * steps)
        .quantity("v_cycles", cycles)
        .quantity("bottom_iterations", bottom)
        .quantity("data_bytes", cells * fields * sizeof(double))
        .quantity("flops", cells * per_cell(lowmach::flops_per_step, lowmach::flops_per_sweep,
                                            lowmach::flops_per_transfer,
                                            lowmach::flops_per_residual, lowmach::flops_per_bottom))
        .quantity("bytes",
                  cells * per_cell(lowmach::bytes_per_step, lowmach::bytes_per_sweep,
                                   lowmach::bytes_per_transfer, lowmach::bytes_per_residual,
                                   lowmach::bytes_per_bottom));
}

PointResult measure_lowmach(MpiSession& session, const Parameters& point) {
    const auto steps = static_cast<int>(point.count_within("steps", 1, 1'000'000));
    const bool weak = point.choice<bool>("scaling", {{"strong", false}, {"weak", true}});
    const auto cells = static_cast<std::int64_t>(point.count_within("cells", 4, 100'000));
    const auto box = static_cast<std::int64_t>(point.count_within("box", 4, lowmach::largest_box));
    const int size = session.team().size();
    const lowmach::Problem problem = lowmach::problem_of(cells, box, weak, size);
    const lowmach::Curve curve{problem.edge / problem.box, size};
    require_memory_of(session, problem, curve);
    proxies::MpiRanks ranks = proxies::ranks_of(session);
    lowmach::Flow<proxies::MpiRanks> flow(ranks, session.phases(), problem);
    const Samples samples = session.sample_long(
        [&] {
            flow.reset();
            ranks.traffic().clear();
        },
        [&] { flow.run(steps); });
    PointResult result(point);
    result.add_samples(samples);
    proxies::describe_work(session, ranks, samples, result);
    const lowmach::Deviations found = lowmach::check(flow, ranks);
    const std::string fault = found.fault();
    add_work(result, flow, std::pow(static_cast<double>(problem.edge), 3));
    return result
        .check(fault.empty() && flow.steps() == steps,
               fault.empty() ? "divergence projected out, corrected by a gradient, mass conserved, "
                               "density within the bounds of the start"
                             : fault)
        .quantity("divergence", found.divergence)
        .quantity("kinetic_energy", found.kinetic_energy)
        .attribute("runtime", openmp_runtime());
}

void run_lowmach(MpiSession& session) { proxies::record_each_that_fits(session, measure_lowmach); }

const RegisterMpiBenchmark registered_lowmach(
    {"proxies.lowmach", {"cells", "steps", "box", "scaling"}, &run_lowmach, {1, 0, false}});

}  // namespace
}  // namespace machmeter
