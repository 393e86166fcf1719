// proxies.nwp: a step of a weather model, as WRF makes it: the flow in three stages, sound in short
// steps inside each, with columns of neighbors exchanged after every one, and radiation in columns.
#include <cmath>
#include <cstdint>
#include <string>

#include "core/libraries/loaded.hpp"
#include "proxies/common/mpi_ranks.hpp"
#include "proxies/nwp/checks.hpp"
#include "proxies/nwp/model.hpp"

namespace machmeter {
namespace {

namespace nwp = proxies::nwp;

// Four states, seven more fields; one state and messages of the checks.
constexpr double fields = 5 * nwp::variables + 7;
// All of a step but the copies for checks.
constexpr double fields_of_step = 3 * nwp::variables + 6;

// Of a cell in a step, each array once where it is read or written: in a stage 10 for velocities
// and what follows from the state, 20 for what four variables take in, 10 to begin again; in a
// substep 22; 4 for radiation.
constexpr double substeps_of_step = 1 + nwp::substeps / 2 + nwp::substeps;
constexpr double bytes_per_cell = (nwp::stages * 40 + substeps_of_step * 22 + 4) * sizeof(double);

double flops_per_cell(const nwp::Sky& sky) {
    constexpr double diagnosed = 18;
    return nwp::stages * (4 * nwp::flops_per_advection + diagnosed) +
           substeps_of_step * nwp::flops_per_substep + sky.mean_bands() * nwp::flops_per_band;
}

// strong: so many columns along each edge of the domain; weak: as many more columns as there are
// ranks, in a square again, whose edge is rounded.
nwp::Problem problem_of(const Parameters& point, int ranks) {
    const bool weak = point.choice<bool>("scaling", {{"strong", false}, {"weak", true}});
    const auto edge = static_cast<double>(point.count_within("cells", 8, 100'000));
    const auto more = static_cast<int>(point.count_within("imbalance", 0, 1000));
    if (more % nwp::percent_per_step != 0) {
        throw UsageError("imbalance: " + std::to_string(more) + " is no multiple of " +
                         std::to_string(nwp::percent_per_step));
    }
    return {static_cast<std::int64_t>(weak ? std::round(edge * std::sqrt(ranks)) : edge),
            static_cast<std::int64_t>(point.count_within("levels", 4, 40)), more};
}

// Throws UsageError where a rank has fewer columns than its neighbors take in.
void require_columns(const nwp::Problem& problem, int ranks) {
    const nwp::Patch patch(problem.edge, problem.levels, 0, ranks);
    for (const std::int64_t count : patch.count) {
        if (count < nwp::halo) {
            throw UsageError("cells: " + std::to_string(problem.edge) +
                             " along an edge shared out over " + std::to_string(ranks) +
                             " ranks leaves fewer than 4: request more cells, fewer ranks, or "
                             "scaling=weak");
        }
    }
}

PointResult measure_nwp(MpiSession& session, const Parameters& point) {
    const auto steps = static_cast<int>(point.count_within("steps", 1, 1'000'000));
    const int size = session.team().size();
    const nwp::Problem problem = problem_of(point, size);
    require_columns(problem, size);
    const nwp::Patch mine(problem.edge, problem.levels, session.team().rank(), size);
    proxies::require_memory_of_ranks(session, "cells: a square of " + std::to_string(problem.edge),
                                     static_cast<double>(mine.padded()) * fields * sizeof(double));
    proxies::MpiRanks ranks = proxies::ranks_of(session);
    nwp::Model<proxies::MpiRanks> model(ranks, session.phases(), problem);
    double mass = 0;
    const Samples samples = session.sample_long(
        [&] {
            model.reset();
            mass = nwp::mass_of(model.patch(), model.state());
            ranks.traffic().clear();
        },
        [&] { model.run(steps); });
    PointResult result(point);
    result.add_samples(samples);
    proxies::describe_work(session, ranks, samples, result);
    const double rise = nwp::fastest_rise(model, ranks);
    const std::string fault =
        model.steps() == steps ? nwp::check(model, mass, ranks).fault() : "steps are missing";
    const double cells =
        std::pow(static_cast<double>(problem.edge), 2) * static_cast<double>(problem.levels);
    const double updates = cells * steps;
    return result
        .check(fault.empty(), fault.empty() ? "the last step done again, flow, sound and radiation "
                                              "by plain formulas, mass conserved, mirror images"
                                            : fault)
        .quantity("cell_updates", updates)
        .quantity("flops", updates * flops_per_cell(model.sky()))
        .quantity("bytes", updates * bytes_per_cell)
        .quantity("data_bytes", cells * fields_of_step * sizeof(double))
        .quantity("rise", rise)
        .attribute("runtime", openmp_runtime());
}

void run_nwp(MpiSession& session) { proxies::record_each_that_fits(session, measure_nwp); }

const RegisterMpiBenchmark registered_nwp(
    {"proxies.nwp", {"cells", "levels", "steps", "imbalance", "scaling"}, &run_nwp, {1, 0, false}});

}  // namespace
}  // namespace machmeter
