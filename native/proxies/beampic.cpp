// proxies.beampic: a bunch of charged particles in its own field in free space, as IMPACT-T
// computes it (Qiang et al., Phys. Rev. ST Accel. Beams 9, 044204, 2006): cloud in cell, integrated
// Green function on the doubled grid, leapfrog; ranks own domains across two dimensions. IMPACT-T
// transforms the Green function anew as the box follows the bunch; here the box is fixed, and it is
// transformed once, outside the timed part.
#include <cmath>
#include <cstdint>
#include <string>

#include "core/libraries/loaded.hpp"
#include "proxies/beampic/checks.hpp"
#include "proxies/beampic/problem.hpp"
#include "proxies/beampic/simulation.hpp"
#include "proxies/common/mpi_ranks.hpp"

namespace machmeter {
namespace {

namespace beampic = proxies::beampic;

// strong: so many points along an edge and particles in all; weak: as many of both for each rank,
// in a cube again, whose edge is rounded to a length that can be transformed.
beampic::Problem problem_of(const Parameters& point, int ranks) {
    const bool weak = point.choice<bool>("scaling", {{"strong", false}, {"weak", true}});
    const auto edge = static_cast<std::int64_t>(point.count_within("cells", 8, 10'000));
    const auto particles =
        static_cast<std::int64_t>(point.count_within("particles", 1000, 1'000'000'000'000));
    if (weak && static_cast<double>(particles) * ranks > 9007199254740992.0) {  // 2^53
        throw UsageError(
            "particles: more than the 2^53 of all ranks that can be numbered: request fewer");
    }
    const double wanted = static_cast<double>(edge) * (weak ? std::cbrt(ranks) : 1);
    const std::int64_t nearest = beampic::nearest_edge(wanted);
    if (!weak && nearest != edge) {
        throw UsageError("cells: " + std::to_string(edge) +
                         " along an edge is no even product of 2, 3 and 5: request " +
                         std::to_string(nearest));
    }
    return {nearest, particles * (weak ? ranks : 1)};
}

// Of the rank that has most: charge of each thread, potential, field, waves with as many again that
// arrive, and particles. There is room for an eighth more of them, and of one array in seven twice
// while it grows; messages of the start are an eighth, with room for twice as many that leave.
double bytes_of_rank(const beampic::Problem& problem, int ranks, double threads) {
    const beampic::Domain domain(problem.edge, ranks - 1, ranks);
    const auto width = static_cast<double>(beampic::groups_of(problem.edge + 1) * 4);
    const double points =
        width * static_cast<double>(domain.y.count + 3) * static_cast<double>(domain.z.count + 3);
    const double room = ranks == 1 ? 1.2 : 1.7;
    const double most_particles = room * problem.most_of_rank(ranks);
    const auto groups = beampic::wave_groups(problem.edge);
    const proxies::Share waves = proxies::share_of(groups, domain.ranks[0] - 1, domain.ranks[0]);
    return sizeof(double) *
               (points * (threads + 5) + static_cast<double>(problem.particles) / ranks *
                                             most_particles * beampic::columns) +
           2 * beampic::bytes_of_waves(problem.edge) * static_cast<double>(waves.count) /
               static_cast<double>(groups * domain.ranks[1]);
}

// Throws UsageError where a rank has more points than its cells number.
void require_points(const beampic::Problem& problem, int ranks) {
    const beampic::Domain domain(problem.edge, ranks - 1, ranks);
    const double points = static_cast<double>(problem.edge + 4) *
                          static_cast<double>(domain.y.count + 2) *
                          static_cast<double>(domain.z.count + 2);
    if (points > 2e9) {
        throw UsageError("cells: a rank has " + std::to_string(std::llround(points)) +
                         " grid points, more than the 2 * 10^9 that it numbers: request fewer "
                         "cells or more ranks");
    }
}

// Of one event on all ranks. Arrays of a particle in a step: three for the deposit; six in and out
// of the push. Of a point: charge, cleared and added to; potential and field.
void add_work(PointResult& result, const beampic::Problem& problem, int steps) {
    constexpr double bytes_per_particle = (3 + 6 + 6) * sizeof(double);
    constexpr double bytes_per_point = (3 + 1) * sizeof(double) + 2 * sizeof(proxies::Lanes);
    constexpr double flops_per_particle = beampic::flops_per_deposit + beampic::flops_per_push;
    constexpr double flops_per_point = 6;
    const auto particles = static_cast<double>(problem.particles);
    const double points = std::pow(static_cast<double>(problem.edge), 3);
    result.quantity("particle_steps", particles * steps)
        .quantity("flops", steps * (particles * flops_per_particle + points * flops_per_point +
                                    beampic::flops_of_solve(problem.edge)))
        .quantity("bytes", steps * (particles * bytes_per_particle + points * bytes_per_point +
                                    beampic::bytes_of_solve(problem.edge)))
        .quantity("data_bytes", particles * beampic::columns * sizeof(double) +
                                    points * (2 * sizeof(double) + sizeof(proxies::Lanes)) +
                                    beampic::bytes_of_waves(problem.edge));
}

PointResult measure_beampic(MpiSession& session, const Parameters& point) {
    const auto steps = static_cast<int>(point.count_within("steps", 1, 1'000'000));
    const int size = session.team().size();
    const beampic::Problem problem = problem_of(point, size);
    require_points(problem, size);
    proxies::require_memory_of_ranks(
        session,
        "cells: a cube of " + std::to_string(problem.edge) + " with " +
            std::to_string(problem.particles) + " particles",
        bytes_of_rank(problem, size, static_cast<double>(requested_teams().outer)));
    proxies::MpiRanks ranks = proxies::ranks_of(session);
    beampic::Simulation<proxies::MpiRanks> simulation(ranks, session.phases(), problem);
    const Samples samples = session.sample_long(
        [&] {
            simulation.reset();
            ranks.traffic().clear();
        },
        [&] { simulation.run(steps); });
    PointResult result(point);
    result.add_samples(samples);
    proxies::describe_work(session, ranks, samples, result);
    const beampic::Results found = beampic::results_of(simulation, ranks);
    const std::string fault = beampic::check(simulation, ranks).fault();
    add_work(result, problem, steps);
    return result
        .check(fault.empty() && simulation.steps() == steps,
               fault.empty() ? "particles and charge conserved, potential by a plain sum at some "
                               "points, no force of the bunch on itself, last push of some "
                               "particles by plain formulas, motion of the whole bunch"
                             : fault)
        .quantity("edge", static_cast<double>(problem.edge))
        .quantity("particles", static_cast<double>(problem.particles))
        .quantity("field_energy", found.field_energy)
        .quantity("mean_square_radius", found.mean_square_radius)
        .attribute("runtime", openmp_runtime());
}

void run_beampic(MpiSession& session) { proxies::record_each_that_fits(session, measure_beampic); }

const RegisterMpiBenchmark registered_beampic(
    {"proxies.beampic", {"cells", "particles", "steps", "scaling"}, &run_beampic, {1, 0, false}});

}  // namespace
}  // namespace machmeter
