// proxies.fvcore: transport in the finite-volume dynamical core of an atmosphere model, as CAM does
// it (Lin and Rood, Mon. Wea. Rev. 124, 1996; Lin, Mon. Wea. Rev. 132, 2004): ranks own latitudes
// and levels, change to longitudes and latitudes to remap columns, and threads share levels and
// columns.
#include <omp.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "core/libraries/loaded.hpp"
#include "proxies/common/mpi_ranks.hpp"
#include "proxies/fvcore/checks.hpp"
#include "proxies/fvcore/dynamics.hpp"
#include "proxies/fvcore/memory.hpp"

namespace machmeter {
namespace {

namespace fvcore = proxies::fvcore;

// strong: a sphere of so many latitudes; weak: as many more cells as there are ranks.
fvcore::Problem problem_of(const Parameters& point, int ranks) {
    const bool weak = point.choice<bool>("scaling", {{"strong", false}, {"weak", true}});
    const auto latitudes = static_cast<double>(point.count_within("latitudes", 6, 100'000));
    fvcore::Problem problem;
    problem.latitudes =
        static_cast<std::int64_t>(weak ? std::round(latitudes * std::sqrt(ranks)) : latitudes);
    problem.levels = static_cast<std::int64_t>(point.count_within("levels", 1, 10'000));
    problem.tracers = static_cast<std::int64_t>(point.count_within("tracers", 1, 1'000));
    if (fvcore::layout_of(problem, ranks).over_levels == 0) {
        throw UsageError("latitudes: " + std::to_string(problem.latitudes) + " of " +
                         std::to_string(problem.levels) + " levels cannot be shared out over " +
                         std::to_string(ranks) + " ranks, of which each needs " +
                         std::to_string(fvcore::halo_rows) +
                         " latitudes and a level: request more latitudes or levels, fewer ranks, "
                         "or scaling=weak");
    }
    return problem;
}

void require_memory_of(const MpiSession& session, const fvcore::Problem& problem) {
    const fvcore::Block mine(problem, session.team().rank(), session.team().size());
    proxies::require_memory_of_ranks(session, "latitudes: " + std::to_string(problem.latitudes),
                                     fvcore::bytes_of(mine, omp_get_max_threads()));
}

// Of one event on all ranks.
void add_work(PointResult& result, const fvcore::Problem& problem, double steps) {
    const double cells =
        static_cast<double>(problem.latitudes) * static_cast<double>(problem.longitudes()) *
        static_cast<double>(problem.levels) * static_cast<double>(problem.fields());
    const double remaps = std::floor((steps - 1) / fvcore::remap_interval);
    result.quantity("cell_updates", cells * steps)
        .quantity("flops",
                  cells * (steps * fvcore::flops_of_transport + remaps * fvcore::flops_of_remap))
        .quantity("data_bytes", 2 * cells * sizeof(double))
        .quantity("bytes",
                  cells * (steps * fvcore::bytes_of_transport + remaps * fvcore::bytes_of_remap));
}

PointResult measure_fvcore(MpiSession& session, const Parameters& point) {
    const fvcore::Problem problem = problem_of(point, session.team().size());
    const auto steps = static_cast<std::int64_t>(point.count_within("steps", 1, 1'000'000));
    require_memory_of(session, problem);
    proxies::MpiRanks ranks = proxies::ranks_of(session);
    fvcore::Dynamics<proxies::MpiRanks> dynamics(ranks, session.phases(), problem);
    const Samples samples = session.sample_long(
        [&] {
            dynamics.reset();
            ranks.traffic().clear();
        },
        [&] { dynamics.run(steps); });
    PointResult result(point);
    result.add_samples(samples);
    proxies::describe_work(session, ranks, samples, result);
    const fvcore::Deviations found = fvcore::check(dynamics, ranks, steps);
    const std::string fault = found.fault();
    add_work(result, problem, static_cast<double>(steps));
    const std::string kept =
        std::string("masses conserved, a constant kept, within bounds, last step ") +
        (dynamics.remaps() > 0 ? "and remap by a plain program"
                               : "by a plain program, too few steps for a remap");
    return result.check(fault.empty(), fault.empty() ? kept : fault)
        .quantity("square_of_ratios", fvcore::square_of_ratios(dynamics, ranks))
        .quantity("overshoot", found.overshoot)
        .quantity("remaps", dynamics.remaps())
        .attribute("runtime", openmp_runtime());
}

void run_fvcore(MpiSession& session) { proxies::record_each_that_fits(session, measure_fvcore); }

const RegisterMpiBenchmark registered_fvcore({"proxies.fvcore",
                                              {"latitudes", "levels", "tracers", "steps",
                                               "scaling"},
                                              &run_fvcore,
                                              {1, 0, false}});

}  // namespace
}  // namespace machmeter
