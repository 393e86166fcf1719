// proxies.ofp: a pressure equation by preconditioned conjugate gradients, as flow solvers such as
// OpenFOAM spend their time in: 7-point Laplacian of variable coefficients, ranks own blocks of
// cells, threads share the rows of a block.
#include <cmath>
#include <cstdint>
#include <string>

#include "core/libraries/loaded.hpp"
#include "proxies/common/mpi_ranks.hpp"
#include "proxies/ofp/checks.hpp"
#include "proxies/ofp/solver.hpp"

namespace machmeter {
namespace {

namespace ofp = proxies::ofp;

// Ten of the solve, three of its checks.
constexpr double fields = 13;
// All of the solve but the right side.
constexpr double fields_of_iteration = 9;

// strong: a cube of so many cells along an edge; weak: as many more cells as there are ranks, in a
// cube again, whose edge is rounded.
ofp::Problem problem_of(const Parameters& point, int ranks) {
    const bool weak = point.choice<bool>("scaling", {{"strong", false}, {"weak", true}});
    const auto edge = static_cast<double>(point.count_within("cells", 4, 100'000));
    const double whole = weak ? std::round(edge * std::cbrt(ranks)) : edge;
    return {static_cast<std::int64_t>(whole)};
}

// Throws UsageError where a rank has no cell, or more than it numbers.
void require_cells(const ofp::Problem& problem, int ranks) {
    const ofp::Block block(problem.edge, 0, ranks);
    for (std::size_t d = 0; d < 3; ++d) {
        if (block.ranks[d] > problem.edge) {
            throw UsageError("cells: " + std::to_string(problem.edge) +
                             " along an edge cannot be shared out over " +
                             std::to_string(block.ranks[d]) +
                             " ranks: request more cells, fewer ranks, or scaling=weak");
        }
    }
}

PointResult measure_ofp(MpiSession& session, const Parameters& point) {
    const auto iterations = static_cast<int>(point.count_within("iterations", 1, 1'000'000));
    const int size = session.team().size();
    const ofp::Problem problem = problem_of(point, size);
    require_cells(problem, size);
    const double cells = std::pow(static_cast<double>(problem.edge), 3);
    const ofp::Block mine(problem.edge, session.team().rank(), size);
    proxies::require_memory_of_ranks(session, "cells: a cube of " + std::to_string(problem.edge),
                                     static_cast<double>(mine.padded()) * fields * sizeof(double));
    proxies::MpiRanks ranks = proxies::ranks_of(session);
    ofp::Solver<proxies::MpiRanks> solver(ranks, session.phases(), problem);
    const Samples samples = session.sample_long(
        [&] {
            solver.reset();
            ranks.traffic().clear();
        },
        [&] { solver.run(iterations); });
    PointResult result(point);
    result.add_samples(samples);
    proxies::describe_work(session, ranks, samples, result);
    const ofp::Deviations found = ofp::check(solver, ranks);
    const std::string fault = found.fault();
    const double updates = cells * iterations;
    return result
        .check(fault.empty() && solver.iterations() == iterations,
               fault.empty() ? "symmetric, residual as by the balance of every cell, error smaller "
                               "than at the start"
                             : fault)
        .quantity("cell_iterations", updates)
        .quantity("flops", updates * ofp::flops_per_cell)
        .quantity("data_bytes", cells * fields_of_iteration * sizeof(double))
        .quantity("bytes", updates * ofp::bytes_per_cell)
        .quantity("residual", found.reduction)
        .quantity("error", found.error)
        .attribute("runtime", openmp_runtime());
}

void run_ofp(MpiSession& session) { proxies::record_each_that_fits(session, measure_ofp); }

const RegisterMpiBenchmark registered_ofp(
    {"proxies.ofp", {"cells", "iterations", "scaling"}, &run_ofp, {1, 0, false}});

}  // namespace
}  // namespace machmeter
