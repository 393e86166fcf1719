// What has to hold of a liquid on a device, by ways that the device does not take.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/liquid/device_liquid.hpp"
#include "proxies/common/faults.hpp"
#include "proxies/common/of_all_ranks.hpp"

namespace machmeter::device_liquid {

// In blocks: as many equal numbers one after the other would all round the same way.
template <class Value>
double sum_of(const std::vector<Quad>& all, Value&& value) {
    constexpr std::size_t block = 1024;
    double sum = 0;
    for (std::size_t begin = 0; begin < all.size(); begin += block) {
        double of_block = 0;
        for (std::size_t i = begin; i < std::min(all.size(), begin + block); ++i) {
            of_block += value(all[i]);
        }
        sum += of_block;
    }
    return sum;
}

// The size of the sum of all vectors, for each atom.
inline double mean_vector(const std::vector<Quad>& all) {
    const double x = sum_of(all, [](const Quad& one) { return one.x; });
    const double y = sum_of(all, [](const Quad& one) { return one.y; });
    const double z = sum_of(all, [](const Quad& one) { return one.z; });
    return (std::abs(x) + std::abs(y) + std::abs(z)) / static_cast<double>(all.size());
}

// Of an atom.
struct Energies {
    double potential;
    double kinetic;

    explicit Energies(const DeviceLiquid& liquid)
        : potential(sum_of(liquid.forces(), [](const Quad& one) { return one.w; }) /
                    static_cast<double>(liquid.atoms())),
          kinetic(sum_of(liquid.velocities(),
                         [](const Quad& v) { return (v.x * v.x + v.y * v.y + v.z * v.z) / 2; }) /
                  static_cast<double>(liquid.atoms())) {}

    [[nodiscard]] double total() const { return potential + kinetic; }
};

// Atoms that are not once in the cell where they are, in order of their numbers.
inline std::uint64_t misplaced(const DeviceLiquid& liquid) {
    const std::vector<Quad> positions = liquid.positions();
    const std::vector<std::int32_t> counts = liquid.counts();
    const std::vector<std::int32_t> members = liquid.members();
    const std::int32_t along = liquid.rooms().along;
    const auto place = [&](double x) {
        const bool inside = x >= 0 && x <= liquid.edge();
        return inside ? std::min(static_cast<std::int32_t>(x / liquid.edge() * along), along - 1)
                      : -1;
    };
    std::uint64_t right = 0;
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
        const std::int32_t count = std::clamp(counts[cell], 0, liquid.rooms().of_cell);
        std::int64_t last = -1;
        for (std::int32_t k = 0; k < count; ++k) {
            const std::int64_t atom =
                members[cell * static_cast<std::size_t>(liquid.rooms().of_cell) +
                        static_cast<std::size_t>(k)];
            if (atom > last && atom < static_cast<std::int64_t>(positions.size())) {
                const Quad& at = positions[static_cast<std::size_t>(atom)];
                const std::array<std::int64_t, 3> found{place(at.x), place(at.y), place(at.z)};
                const std::int64_t number = (found[2] * along + found[1]) * along + found[0];
                right += *std::min_element(found.begin(), found.end()) >= 0 &&
                                 number == static_cast<std::int64_t>(cell)
                             ? 1
                             : 0;
            }
            last = atom;
        }
    }
    // In one cell an atom is once, since numbers grow; in two it cannot be right.
    return positions.size() - std::min<std::uint64_t>(right, positions.size());
}

// Of the forces on some atoms from the sum over all others, relative to that of their sizes.
inline double worst_force(const DeviceLiquid& liquid) {
    constexpr std::size_t some = 16;
    const std::vector<Quad> positions = liquid.positions();
    const std::vector<Quad> forces = liquid.forces();
    const auto nearest = [&](double d) { return d - liquid.edge() * std::rint(d / liquid.edge()); };
    const double within = liquid.of().cutoff * liquid.of().cutoff;
    double worst = 0;
    for (std::size_t k = 0; k < some; ++k) {
        const std::size_t i = positions.size() * k / some;
        Quad sum;
        double sizes = 0;
        for (std::size_t j = 0; j < positions.size(); ++j) {
            const double x = nearest(positions[i].x - positions[j].x);
            const double y = nearest(positions[i].y - positions[j].y);
            const double z = nearest(positions[i].z - positions[j].z);
            const double square = x * x + y * y + z * z;
            if (j != i && square < within) {
                const double force = ljmd::pair_force(square);
                sum = {sum.x + force * x, sum.y + force * y, sum.z + force * z};
                sizes += std::abs(force) * std::sqrt(square);
            }
        }
        const double error = std::abs(sum.x - forces[i].x) + std::abs(sum.y - forces[i].y) +
                             std::abs(sum.z - forces[i].z);
        proxies::raise(worst, sizes > 0 ? error / sizes : error);
    }
    return worst;
}

// What is found at the start and at the end; each is 0 in exact arithmetic.
struct Deviations {
    // Of the first potential energy from the sum over the lattice, relative.
    double lattice = 0;
    // Atoms whose first list is not as long as the lattice has neighbors within reach.
    std::uint64_t lists = 0;
    // Of the conserved energy from its first value, for each atom.
    double energy = 0;
    double momentum = 0;
    double sum_of_forces = 0;
    double force = 0;
    std::uint64_t misplaced = 0;
    std::vector<std::int32_t> overflows;

    // Why the run is wrong; empty where it is right. Lists that are renewed when some atoms went
    // half of the skin already miss a few pairs near the cutoff, as in proxies.ljmd.
    [[nodiscard]] std::string fault(std::uint64_t steps) const {
        constexpr double rounding = 1e-11;
        const double energy_tolerance = 2e-3 * std::max(1.0, static_cast<double>(steps) / 1000);
        return proxies::first_fault({
            {overflows.at(0) == 0,
             "a cell had no room for " + proxies::whole_text(overflows.at(0)) + " of its atoms"},
            {overflows.at(1) == 0, "the lists of " + proxies::whole_text(overflows.at(1)) +
                                       " atoms had no room for all neighbors"},
            {lattice <= rounding, "the first potential energy is not that of the lattice: off by " +
                                      proxies::short_text(lattice)},
            {lists == 0, "the first lists of " + proxies::whole_text(static_cast<double>(lists)) +
                             " atoms have not all neighbors"},
            {misplaced == 0, proxies::whole_text(static_cast<double>(misplaced)) +
                                 " atoms are not once, and in order, in the cells where they are"},
            {force <= rounding,
             "forces are not the sum over all other atoms: off by " + proxies::short_text(force)},
            {sum_of_forces <= rounding,
             "the sum of all forces is not 0: " + proxies::short_text(sum_of_forces)},
            {momentum <= rounding,
             "momentum is not conserved: " + proxies::short_text(momentum) + " an atom"},
            {energy <= energy_tolerance,
             "energy is not conserved: off by " + proxies::short_text(energy) + " an atom"},
        });
    }
};

// What is known of the lattice, after a reset.
struct FirstStep {
    double lattice;
    std::uint64_t lists;
    double conserved;

    explicit FirstStep(DeviceLiquid& liquid) {
        const double expected = liquid.of().lattice_energy(0);
        lattice = std::abs(Energies(liquid).potential - expected) / std::abs(expected);
        const std::vector<std::int32_t> lengths = liquid.lengths();
        const auto right =
            std::count(lengths.begin(), lengths.end(), liquid.of().lattice_neighbors());
        lists = lengths.size() - static_cast<std::uint64_t>(right);
        liquid.refresh(liquid.of().shift());
        conserved = Energies(liquid).total();
    }
};

// After the last step.
inline Deviations check_end(DeviceLiquid& liquid, const FirstStep& first) {
    Deviations found;
    liquid.refresh(liquid.of().shift());
    found.lattice = first.lattice;
    found.lists = first.lists;
    found.energy = std::abs(Energies(liquid).total() - first.conserved);
    found.momentum = mean_vector(liquid.velocities());
    found.sum_of_forces = mean_vector(liquid.forces());
    found.force = worst_force(liquid);
    found.misplaced = misplaced(liquid);
    found.overflows = liquid.overflows();
    return found;
}

}  // namespace machmeter::device_liquid
