// The liquids of device.liquid before their first step, in reduced Lennard-Jones units: what
// proxies.ljmd simulates, and what HOOMD-blue is measured with.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "proxies/ljmd/lattice.hpp"

namespace machmeter::device_liquid {

namespace ljmd = proxies::ljmd;
using proxies::Vector;

// As the kernels have it. w: of a force, the potential energy of the atom; else nothing.
struct Quad {
    double x = 0;
    double y = 0;
    double z = 0;
    double w = 0;

    bool operator==(const Quad&) const = default;
};

// A lattice of unit cells, all of whose sites are alike.
struct Case {
    std::span<const Vector> sites;
    double density;
    double temperature;
    double cutoff;
    // Pairs are listed that are nearer than cutoff and skin.
    double skin;
    // Every so many steps the list is made anew: at any rate, or where an atom moved by more than
    // half of the skin.
    int steps_per_list;
    bool if_moved;

    [[nodiscard]] double reach() const { return cutoff + skin; }
    [[nodiscard]] double constant() const {
        return std::cbrt(static_cast<double>(sites.size()) / density);
    }
    // Of a pair at the cutoff; without it the energy jumps there, and is not conserved.
    [[nodiscard]] double shift() const { return ljmd::pair_energy(cutoff * cutoff); }
    // Of an atom on the lattice.
    [[nodiscard]] double lattice_energy(double shifted_by) const {
        return ljmd::lattice_energy(sites, constant(), cutoff, shifted_by);
    }
    [[nodiscard]] std::int32_t lattice_neighbors() const {
        return static_cast<std::int32_t>(
            ljmd::lattice_sum(sites, constant(), reach(), [](double) { return 1.0; }));
    }
};

// in.lj of LAMMPS, as proxies.ljmd has it.
inline constexpr Case melt{
    ljmd::cell_sites,     ljmd::density, ljmd::temperature, ljmd::cutoff, ljmd::skin,
    ljmd::steps_per_list, false};

// lj-liquid of HOOMD-blue's benchmarks (github.com/joaander/hoomd-benchmarks): 64,000 particles at
// 20 cells. It holds the temperature by a thermostat; here the energy is conserved, so that it can
// be checked.
inline constexpr std::array<Vector, 8> cubic_sites{{{0, 0, 0},
                                                    {0.5, 0, 0},
                                                    {0, 0.5, 0},
                                                    {0.5, 0.5, 0},
                                                    {0, 0, 0.5},
                                                    {0.5, 0, 0.5},
                                                    {0, 0.5, 0.5},
                                                    {0.5, 0.5, 0.5}}};
inline constexpr Case liquid{cubic_sites, 0.382, 1.2, 3.0, 0.4, 5, true};

// Atoms of so many unit cells along each edge.
struct Start {
    std::vector<Quad> positions;
    std::vector<Quad> velocities;

    Start(const Case& of, std::uint64_t cells) {
        for (std::uint64_t cell = 0; cell < cells * cells * cells; ++cell) {
            const std::array<std::uint64_t, 3> at{cell % cells, cell / cells % cells,
                                                  cell / cells / cells};
            for (const Vector& site : of.sites) {
                positions.push_back({(static_cast<double>(at[0]) + site[0]) * of.constant(),
                                     (static_cast<double>(at[1]) + site[1]) * of.constant(),
                                     (static_cast<double>(at[2]) + site[2]) * of.constant()});
            }
        }
        std::array<double, 4> sums{};
        for (std::uint64_t atom = 0; atom < positions.size(); ++atom) {
            const Vector v = ljmd::raw_velocity(atom);
            velocities.push_back({v[0], v[1], v[2]});
            for (std::size_t d = 0; d < 3; ++d) {
                sums[d] += v[d];
                sums[3] += v[d] * v[d];
            }
        }
        const ljmd::VelocityScale scale(sums, static_cast<double>(positions.size()),
                                        of.temperature);
        for (Quad& v : velocities) {
            v = {(v.x - scale.mean[0]) * scale.factor, (v.y - scale.mean[1]) * scale.factor,
                 (v.z - scale.mean[2]) * scale.factor};
        }
    }
};

}  // namespace machmeter::device_liquid
