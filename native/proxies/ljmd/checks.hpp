// What has to hold after a run of the liquid, by ways that the run does not take.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/values/random_bits.hpp"
#include "proxies/common/faults.hpp"
#include "proxies/common/of_all_ranks.hpp"
#include "proxies/common/shares.hpp"
#include "proxies/ljmd/liquid.hpp"

namespace machmeter::proxies::ljmd {

// Of an atom, after so many steps. Lists that are renewed every 20 steps miss a few pairs near the
// cutoff, each of which adds a little.
inline double energy_tolerance(int steps) { return 2e-3 * std::max(1.0, steps / 1000.0); }

// Of all ranks; each is 0 in exact arithmetic.
struct Deviations {
    // Of the first potential energy from the sum over the lattice, relative.
    double lattice = 0;
    // Of the conserved energy from its first value, for each atom.
    double energy = 0;
    // Of momentum, for each atom.
    double momentum = 0;
    // Of the forces of some atoms from the sum over all others, relative to that of their sizes.
    double force = 0;
    // Atoms that are missing, or that are not those there were.
    double atoms = 0;
    // Images that are not where their atoms are.
    double images = 0;

    // Why the run is wrong; empty where it is right.
    [[nodiscard]] std::string fault(double energy_tolerance) const {
        constexpr double rounding = 1e-11;
        return first_fault({
            {lattice <= rounding, "the first potential energy is not that of the lattice"},
            {atoms == 0, "atoms were lost, doubled or confused"},
            {images == 0, "images are not where their atoms are"},
            {force <= rounding, "forces are not the sum over all other atoms"},
            {momentum <= rounding, "momentum is not conserved"},
            {energy <= energy_tolerance, "energy is not conserved"},
        });
    }
};

// Order does not matter: a sum over atoms that no other set of as many has.
inline std::uint64_t mark_of(std::uint64_t atom) { return mix(atom + golden_step); }

// Of the atoms first <= i < last.
inline std::uint64_t marks_of(std::uint64_t first, std::uint64_t last) {
    std::uint64_t sum = 0;
    for (std::uint64_t atom = first; atom < last; ++atom) {
        sum += mark_of(atom);
    }
    return sum;
}

template <class LiquidOf, class Ranks>
double atoms_missing(LiquidOf& liquid, Ranks& ranks) {
    const Atoms& atoms = liquid.atoms();
    const std::uint64_t all = liquid.lattice().atoms();
    const auto share = share_of(all, ranks.rank(), ranks.size());
    std::uint64_t mine = 0;
    for (std::size_t i = 0; i < atoms.own; ++i) {
        mine += mark_of(atoms.number(i));
    }
    const std::uint64_t expected = marks_of(share.first, share.end());
    const bool same = sum_of_marks(ranks, mine) == sum_of_marks(ranks, expected);
    const double count = ranks.sum(static_cast<double>(atoms.own));
    return std::abs(count - static_cast<double>(all)) + (same ? 0 : 1);
}

// Of one own atom, by a plain loop over all others.
inline double force_deviation(const Atoms& atoms, std::size_t i) {
    std::array<double, 3> sum{};
    double sizes = 0;
    for (std::size_t j = 0; j < atoms.all(); ++j) {
        const Lanes d = atoms.position[i] - atoms.position[j];
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (j != i && square < cutoff * cutoff) {
            const double force = pair_force(square);
            for (int c = 0; c < 3; ++c) {
                sum[static_cast<std::size_t>(c)] += force * d[c];
            }
            sizes += std::abs(force) * std::sqrt(square);
        }
    }
    double worst = 0;
    for (int c = 0; c < 3; ++c) {
        raise(worst, std::abs(sum[static_cast<std::size_t>(c)] - atoms.force[i][c]));
    }
    return sizes > 0 ? worst / sizes : worst;
}

inline double worst_force(const Atoms& atoms) {
    constexpr std::size_t most = 64;
    constexpr std::size_t most_pairs = 20'000'000;
    const std::size_t count =
        std::min({atoms.own, most, std::max<std::size_t>(4, most_pairs / (atoms.all() + 1))});
    double worst = 0;
    for (std::size_t k = 0; k < count; ++k) {
        raise(worst, force_deviation(atoms, atoms.own * k / count));
    }
    return worst;
}

// Images that move when their positions are sent once more.
template <class LiquidOf>
double stale_images(LiquidOf& liquid) {
    Atoms& atoms = liquid.atoms();
    const std::vector<Lanes> before = atoms.position;
    liquid.images().update(atoms);
    double stale = 0;
    for (std::size_t i = atoms.own; i < before.size(); ++i) {
        const Lanes moved = atoms.position[i] - before[i];
        stale += moved[0] != 0 || moved[1] != 0 || moved[2] != 0 ? 1 : 0;
    }
    return stale;
}

// What is known before the first step.
struct Start {
    double lattice = 0;
    double conserved = 0;
};

template <class LiquidOf>
Start check_start(LiquidOf& liquid) {
    const auto atoms = static_cast<double>(liquid.lattice().atoms());
    const double expected = Lattice::energy_per_atom(liquid.shift() != 0);
    const double found = liquid.energies().potential / atoms;
    return {std::abs(found - expected) / std::abs(expected), liquid.conserved_energy()};
}

// Every rank calls this, after the last step.
template <class LiquidOf, class Ranks>
Deviations check_end(LiquidOf& liquid, Ranks& ranks, const Start& start) {
    const auto count = static_cast<double>(liquid.lattice().atoms());
    Deviations found;
    found.lattice = start.lattice;
    found.images = ranks.sum(stale_images(liquid));
    liquid.refresh();
    found.force = largest_of(ranks, worst_force(liquid.atoms()));
    found.atoms = atoms_missing(liquid, ranks);
    std::array<double, 3> momentum{};
    for (std::size_t i = 0; i < liquid.atoms().own; ++i) {
        for (int c = 0; c < 3; ++c) {
            momentum[static_cast<std::size_t>(c)] += liquid.atoms().velocity[i][c];
        }
    }
    ranks.sum(momentum);
    for (const double component : momentum) {
        raise(found.momentum, std::abs(component) / count);
    }
    found.energy = std::abs(liquid.conserved_energy() - start.conserved) / count;
    return found;
}

}  // namespace machmeter::proxies::ljmd
