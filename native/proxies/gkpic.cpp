// proxies.gkpic: turbulence in a tokamak by gyrokinetic particles, as GTC simulates it (Lin et al.,
// Science 281, 1998): domains around the torus, particles of a domain shared out over its ranks,
// threads with a grid each.
#include <cmath>
#include <cstdint>
#include <string>

#include "core/libraries/loaded.hpp"
#include "proxies/common/mpi_ranks.hpp"
#include "proxies/gkpic/checks.hpp"
#include "proxies/gkpic/problem.hpp"
#include "proxies/gkpic/simulation.hpp"

namespace machmeter {
namespace {

namespace gkpic = proxies::gkpic;

// strong: so many particles in a cell; weak: as many for each rank, on the same grid.
gkpic::Problem problem_of(const Parameters& point, int ranks) {
    const bool weak = point.choice<bool>("scaling", {{"strong", false}, {"weak", true}});
    gkpic::Problem problem;
    problem.planes = static_cast<std::int64_t>(point.count_within("planes", 2, 4096));
    problem.surfaces = static_cast<std::int64_t>(point.count_within("radial", 8, 100'000));
    problem.points = static_cast<std::int64_t>(point.count_within("poloidal", 8, 10'000));
    problem.per_cell = static_cast<std::int64_t>(point.count_within("particles", 1, 1'000'000)) *
                       (weak ? ranks : 1);
    return problem;
}

// Of one event on all ranks, but for what copies of domains and threads compute twice. Arrays of a
// particle in a step: five for each of two deposits; six and eleven in, ten and five out of the
// pushes; one for each of two shifts. Of a node in each of two substeps: sums and what particles
// read, both in and out; charge; potential, in and out.
void add_work(PointResult& result, const gkpic::Problem& problem, int steps) {
    constexpr double bytes_per_particle = (5 * 2 + 6 + 10 + 11 + 5 + 2) * sizeof(double);
    constexpr double bytes_per_node = 2 * (4 * sizeof(proxies::Lanes) + 3 * sizeof(double));
    constexpr double flops_per_particle = 2 * (gkpic::flops_per_deposit + gkpic::flops_per_push);
    // Of a node in an iteration four others, between two nodes each; 12 for the field.
    constexpr double flops_per_node = 2 * (gkpic::iterations * (4 * 4 + 1) + 12);
    const double particle_steps = problem.particles() * steps;
    const double node_steps = problem.nodes() * steps;
    result.quantity("particle_steps", particle_steps)
        .quantity("flops", particle_steps * flops_per_particle + node_steps * flops_per_node)
        .quantity("bytes", particle_steps * bytes_per_particle + node_steps * bytes_per_node)
        .quantity("data_bytes",
                  problem.particles() * gkpic::bytes_of_particle +
                      problem.nodes() * (gkpic::bytes_of_node + sizeof(proxies::Lanes)));
}

PointResult measure_gkpic(MpiSession& session, const Parameters& point) {
    const auto steps = static_cast<int>(point.count_within("steps", 1, 1'000'000));
    const gkpic::Problem problem = problem_of(point, session.team().size());
    require_particles(problem, session.team().size());
    proxies::require_memory_of_ranks(
        session, "particles: " + std::to_string(std::llround(problem.particles())),
        gkpic::bytes_of_rank(problem, session.team().size(),
                             static_cast<double>(requested_teams().outer)));
    proxies::MpiRanks ranks = proxies::ranks_of(session);
    gkpic::Simulation<proxies::MpiRanks> simulation(ranks, session.phases(), problem);
    const Samples samples = session.sample_long(
        [&] {
            simulation.reset();
            ranks.traffic().clear();
        },
        [&] { simulation.run(steps); });
    PointResult result(point);
    result.add_samples(samples);
    proxies::describe_work(session, ranks, samples, result);
    const gkpic::Results found = gkpic::results_of(simulation, ranks);
    const std::string fault = gkpic::check(simulation, ranks).fault();
    add_work(result, problem, steps);
    return result
        .check(fault.empty() && simulation.steps() == steps,
               fault.empty() ? "particles and charge conserved, field equation solved, motion of "
                               "some particles by plain formulas, deposit and gather adjoint"
                             : fault)
        .quantity("particles", problem.particles())
        .quantity("domains", simulation.domain().domains)
        .quantity("weight_square", found.weight_square)
        .quantity("potential_square", found.potential_square)
        .attribute("runtime", openmp_runtime());
}

void run_gkpic(MpiSession& session) { proxies::record_each_that_fits(session, measure_gkpic); }

const RegisterMpiBenchmark registered_gkpic({"proxies.gkpic",
                                             {"planes", "radial", "poloidal", "particles", "steps",
                                              "scaling"},
                                             &run_gkpic,
                                             {1, 0, false}});

}  // namespace
}  // namespace machmeter
