// proxies.ljmd: a Lennard-Jones liquid by molecular dynamics, at the problem of LAMMPS's benchmark
// (Plimpton, J. Comp. Phys. 117, 1995): ranks own bricks of space, threads share the atoms of a
// brick, near pairs come from cells and are listed anew every 20 steps.
#include <cstdint>
#include <string>
#include <utility>

#include "core/libraries/loaded.hpp"
#include "proxies/common/mpi_ranks.hpp"
#include "proxies/ljmd/checks.hpp"
#include "proxies/ljmd/liquid.hpp"

namespace machmeter {
namespace {

namespace ljmd = proxies::ljmd;

// strong: one box of so many unit cells along an edge; weak: one for each rank.
ljmd::Lattice lattice_of(const Parameters& point, int ranks) {
    const bool weak = point.choice<bool>("scaling", {{"strong", false}, {"weak", true}});
    const std::uint64_t edge = point.count_within("cells", 2, 100'000);
    const proxies::Counts copies =
        weak ? proxies::brick_counts(ranks, {1, 1, 1}) : proxies::Counts{1, 1, 1};
    ljmd::Lattice lattice{};
    for (std::size_t d = 0; d < 3; ++d) {
        lattice.cells[d] = edge * static_cast<std::uint64_t>(copies[d]);
    }
    return lattice;
}

// Throws UsageError where images would have to come from beyond the next brick, or where atoms are
// too many to be numbered.
void require_bricks(const ljmd::Lattice& lattice, int ranks) {
    const proxies::Vector box = lattice.box();
    const proxies::Brick brick(0, proxies::brick_counts(ranks, box), box);
    for (std::size_t d = 0; d < 3; ++d) {
        if (brick.width(d) < ljmd::reach) {
            throw UsageError("cells: " + std::to_string(ranks) + " ranks share a box of " +
                             std::to_string(box[d]) + " into bricks " +
                             std::to_string(brick.width(d)) + " wide, but pairs reach " +
                             std::to_string(ljmd::reach) +
                             ": request more cells, fewer ranks, or scaling=weak");
        }
    }
    const double atoms = static_cast<double>(lattice.atoms()) / ranks;
    if (atoms > 1e9) {
        throw UsageError("cells: " + std::to_string(atoms) +
                         " atoms a rank are more than the 10^9 that it numbers: request fewer "
                         "cells or more ranks");
    }
}

// Positions, velocities, forces and their sorted copies, the list, and as much again around it.
void require_memory_of(const MpiSession& session, const ljmd::Lattice& lattice) {
    constexpr double bytes_per_atom = 1000;
    const double atoms =
        static_cast<double>(lattice.atoms()) / static_cast<double>(session.team().size());
    proxies::require_memory_of_ranks(
        session, "cells: " + std::to_string(lattice.atoms()) + " atoms", atoms * bytes_per_atom);
}

// Of one event on all ranks. Bytes of each step: position, velocity and force are read and written
// where they change, and each entry of the list is read.
void add_work(PointResult& result, double atoms, double pairs, int steps) {
    constexpr double bytes_per_atom = 10 * sizeof(proxies::Lanes);
    constexpr double flops_per_atom = 15;
    // Positions, velocities, forces, sorted copies, and where each is in cells.
    constexpr double data_per_atom = 7 * sizeof(proxies::Lanes) + 12;
    result.quantity("atom_steps", atoms * steps)
        .quantity("flops", pairs * ljmd::flops_per_pair + atoms * steps * flops_per_atom)
        .quantity("data_bytes", atoms * data_per_atom + pairs / steps * sizeof(std::uint32_t))
        .quantity("bytes", pairs * sizeof(std::uint32_t) + atoms * steps * bytes_per_atom);
}

PointResult measure_ljmd(MpiSession& session, const Parameters& point) {
    const bool shifted = point.choice<bool>("potential", {{"unshifted", false}, {"shifted", true}});
    const auto steps = static_cast<int>(point.count_within("steps", 1, 1'000'000));
    const ljmd::Lattice lattice = lattice_of(point, session.team().size());
    require_bricks(lattice, session.team().size());
    require_memory_of(session, lattice);
    proxies::MpiRanks ranks = proxies::ranks_of(session);
    ljmd::Liquid<proxies::MpiRanks> liquid(ranks, session.phases(), lattice, shifted);
    ljmd::Start start;
    double pairs = 0;
    const Samples samples = session.sample_long(
        [&] {
            liquid.reset();
            start = ljmd::check_start(liquid);
            pairs = liquid.pairs_evaluated();
            ranks.traffic().clear();
        },
        [&] { liquid.run(steps); });
    pairs = session.team().sum(liquid.pairs_evaluated() - pairs);
    const auto atoms = static_cast<double>(lattice.atoms());
    const ljmd::Energies energies = liquid.energies();
    PointResult result(point);
    result.add_samples(samples);
    proxies::describe_work(session, ranks, samples, result);
    const std::string fault =
        ljmd::check_end(liquid, ranks, start).fault(ljmd::energy_tolerance(steps));
    add_work(result, atoms, pairs, steps);
    return result
        .check(fault.empty() && liquid.steps() == steps,
               fault.empty() ? "lattice energy, forces of some atoms by a plain sum, atoms, "
                               "momentum and energy conserved"
                             : fault)
        .quantity("atoms", atoms)
        .quantity("potential_energy", energies.potential / atoms)
        .quantity("total_energy", energies.total() / atoms)
        .attribute("runtime", openmp_runtime());
}

void run_ljmd(MpiSession& session) { proxies::record_each_that_fits(session, measure_ljmd); }

const RegisterMpiBenchmark registered_ljmd(
    {"proxies.ljmd", {"cells", "steps", "scaling", "potential"}, &run_ljmd, {1, 0, false}});

}  // namespace
}  // namespace machmeter
