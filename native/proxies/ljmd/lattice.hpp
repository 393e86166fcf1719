// The liquid before its first step, in reduced Lennard-Jones units: atoms on a face-centered cubic
// lattice with random velocities, the same whatever the ranks.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/values/random_bits.hpp"
#include "proxies/common/bricks.hpp"

namespace machmeter::proxies::ljmd {

// The values are those of the Lennard-Jones benchmark of LAMMPS (Plimpton, J. Comp. Phys. 117,
// 1995).
inline constexpr double density = 0.8442;
inline constexpr double temperature = 1.44;
inline constexpr double cutoff = 2.5;
// Pairs are listed that are nearer than cutoff and skin, every so many steps.
inline constexpr double skin = 0.3;
inline constexpr double reach = cutoff + skin;
inline constexpr int steps_per_list = 20;
inline constexpr double time_step = 0.005;

inline constexpr std::uint64_t atoms_per_cell = 4;
inline constexpr std::array<Vector, atoms_per_cell> cell_sites{
    {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}};

// Of a pair at the square of its distance, in units of the well's depth; 0 at the cutoff where it
// is shifted.
inline double pair_energy(double square) {
    const double inverse = 1 / (square * square * square);
    return 4 * inverse * (inverse - 1);
}
inline double energy_at_cutoff() { return pair_energy(cutoff * cutoff); }

// Force over distance.
inline double pair_force(double square) {
    const double inverse = 1 / (square * square * square);
    return 48 * inverse * (inverse - 0.5) / square;
}

// Of one site of a lattice, all of which are alike: the sum over all others within a distance of
// `value` of the square of theirs; without ranks, cells or lists.
template <class Sites, class Value>
double lattice_sum(const Sites& sites, double constant, double within, Value&& value) {
    const int layers = static_cast<int>(std::ceil(within / constant)) + 1;
    double sum = 0;
    for (int z = -layers; z <= layers; ++z) {
        for (int y = -layers; y <= layers; ++y) {
            for (int x = -layers; x <= layers; ++x) {
                for (const Vector& site : sites) {
                    const double dx = (x + site[0]) * constant;
                    const double dy = (y + site[1]) * constant;
                    const double dz = (z + site[2]) * constant;
                    const double square = dx * dx + dy * dy + dz * dz;
                    if (square > 0 && square < within * within) {
                        sum += value(square);
                    }
                }
            }
        }
    }
    return sum;
}

// The potential energy of an atom on it, each pair shifted by that much.
template <class Sites>
double lattice_energy(const Sites& sites, double constant, double within, double shift) {
    return lattice_sum(sites, constant, within,
                       [&](double square) { return pair_energy(square) - shift; }) /
           2;
}

// So many unit cells along each dimension.
struct Lattice {
    std::array<std::uint64_t, 3> cells;

    [[nodiscard]] static double constant() { return std::cbrt(atoms_per_cell / density); }
    [[nodiscard]] std::uint64_t atoms() const {
        return atoms_per_cell * cells[0] * cells[1] * cells[2];
    }
    [[nodiscard]] Vector box() const {
        Vector edges{};
        for (std::size_t d = 0; d < 3; ++d) {
            edges[d] = constant() * static_cast<double>(cells[d]);
        }
        return edges;
    }

    // Calls `use(number, position)` for the atoms of a brick, each of which is in one brick only.
    template <class Use>
    void in_brick(const Brick& brick, Use&& use) const {
        std::array<std::uint64_t, 3> first{};
        std::array<std::uint64_t, 3> last{};
        for (std::size_t d = 0; d < 3; ++d) {
            const double low = std::floor(brick.low(d) / constant()) - 1;
            const double high = std::ceil(brick.high(d) / constant()) + 1;
            first[d] = low > 0 ? static_cast<std::uint64_t>(low) : 0;
            last[d] = std::min(static_cast<std::uint64_t>(high), cells[d]);
        }
        for (std::uint64_t z = first[2]; z < last[2]; ++z) {
            for (std::uint64_t y = first[1]; y < last[1]; ++y) {
                for (std::uint64_t x = first[0]; x < last[0]; ++x) {
                    sites_in_brick(brick, {x, y, z}, use);
                }
            }
        }
    }

    // The potential energy of an atom on the lattice.
    [[nodiscard]] static double energy_per_atom(bool shifted) {
        return lattice_energy(cell_sites, constant(), cutoff, shifted ? energy_at_cutoff() : 0);
    }

   private:
    template <class Use>
    void sites_in_brick(const Brick& brick, const std::array<std::uint64_t, 3>& cell,
                        Use&& use) const {
        const std::uint64_t number = cell[0] + cells[0] * (cell[1] + cells[1] * cell[2]);
        for (std::size_t site = 0; site < atoms_per_cell; ++site) {
            Vector position{};
            bool inside = true;
            for (std::size_t d = 0; d < 3; ++d) {
                position[d] = (static_cast<double>(cell[d]) + cell_sites[site][d]) * constant();
                inside = inside && position[d] >= brick.low(d) && position[d] < brick.high(d);
            }
            if (inside) {
                use(number * atoms_per_cell + site, position);
            }
        }
    }
};

// Of one atom, before the mean is taken away and the temperature set: even within -0.5 and 0.5.
inline Vector raw_velocity(std::uint64_t atom) {
    constexpr std::uint64_t seed = 87287;
    return {uniform(seed, 3 * atom) - 0.5, uniform(seed, 3 * atom + 1) - 0.5,
            uniform(seed, 3 * atom + 2) - 0.5};
}

// What makes raw velocities those of the start: `(raw - mean) * factor` has no momentum, and a
// temperature exactly.
struct VelocityScale {
    Vector mean;
    double factor;

    // sums: of the three components of all raw velocities, and of their squares.
    VelocityScale(const std::array<double, 4>& sums, double atoms, double to_temperature)
        : mean{sums[0] / atoms, sums[1] / atoms, sums[2] / atoms} {
        const double squares =
            sums[3] - (sums[0] * sums[0] + sums[1] * sums[1] + sums[2] * sums[2]) / atoms;
        factor = std::sqrt(to_temperature * (3 * atoms - 3) / squares);
    }
};

}  // namespace machmeter::proxies::ljmd
