// A molecule as round as a protein, and which of its atoms are near each other.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "core/values/random_bits.hpp"
#include "proxies/common/lanes.hpp"

namespace machmeter::born {

using proxies::Lanes;

// Lengths in angstroms, charges in those of an electron.
struct Molecule {
    // Where each atom is, and its charge.
    std::vector<Lanes> atoms;
    std::vector<double> radius;
    // Of the sphere by which it keeps water from others: less than its radius, since spheres
    // overlap.
    std::vector<double> screen;

    [[nodiscard]] std::size_t count() const { return atoms.size(); }
    void add(const Lanes& atom, double own_radius) {
        constexpr double overlap = 0.8;
        atoms.push_back(atom);
        radius.push_back(own_radius);
        screen.push_back(overlap * own_radius);
    }
};

inline double square_between(const Lanes& a, const Lanes& b) {
    const Lanes apart = a - b;
    return apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
}

inline constexpr double spacing = 2.2;
inline constexpr double cutoff = 12;

// Pairs within the cutoff in a ball of evenly spread atoms: those near its surface have fewer.
inline double expected_pairs(std::uint64_t count) {
    const auto atoms = static_cast<double>(count);
    const double volume = atoms * spacing * spacing * spacing;
    const double radius = std::cbrt(3 * volume / (4 * std::numbers::pi));
    const double reach = std::min(cutoff / radius, 2.0);
    // The part of two atoms of a unit ball that are within so much of each other.
    const double near = std::pow(reach, 3) * (1 - 9 * reach / 16 + std::pow(reach, 3) / 32);
    return near * atoms * atoms / 2;
}

// Atoms somewhat out of the places of a cubic grid, those nearest to its middle, row by row. No
// center lies within the sphere of another atom: the nearest two are 1.6 apart.
inline Molecule molecule_of(std::size_t count) {
    constexpr double most_moved = 0.3;
    const auto half = static_cast<std::int64_t>(std::cbrt(static_cast<double>(count))) / 2 * 3 / 2;
    const std::int64_t edge = 2 * half + 3;
    const auto place_of = [&](std::int64_t at) {
        return std::array<std::int64_t, 3>{at % edge - half - 1, at / edge % edge - half - 1,
                                           at / edge / edge - half - 1};
    };
    const auto from_middle = [&](std::int64_t at) {
        const auto [x, y, z] = place_of(at);
        return x * x + y * y + z * z;
    };
    std::vector<std::int64_t> places(static_cast<std::size_t>(edge * edge * edge));
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = static_cast<std::int64_t>(i);
    }
    std::stable_sort(places.begin(), places.end(),
                     [&](auto a, auto b) { return from_middle(a) < from_middle(b); });
    places.resize(count);
    std::sort(places.begin(), places.end());
    Molecule molecule;
    for (std::size_t i = 0; i < count; ++i) {
        const auto moved = [&](std::uint64_t stream) {
            return most_moved * (2 * uniform(stream, i) - 1);
        };
        const auto [x, y, z] = place_of(places[i]);
        const double charge = 0.8 * uniform(3, i) - 0.4;
        molecule.add(Lanes{spacing * static_cast<double>(x) + moved(0),
                           spacing * static_cast<double>(y) + moved(1),
                           spacing * static_cast<double>(z) + moved(2), charge},
                     1.1 + 0.6 * uniform(4, i));
    }
    return molecule;
}

// The other atoms within the cutoff of each, in order.
struct Neighbors {
    std::vector<std::size_t> begins;
    // Of those after the atom itself.
    std::vector<std::size_t> middles;
    std::vector<std::uint32_t> atoms;

    [[nodiscard]] std::size_t pairs() const { return atoms.size() / 2; }
};

inline Neighbors neighbors_of(const Molecule& molecule, int threads) {
    const std::size_t count = molecule.count();
    std::vector<std::vector<std::uint32_t>> rows(count);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
            if (j != i && square_between(molecule.atoms[i], molecule.atoms[j]) < cutoff * cutoff) {
                rows[i].push_back(static_cast<std::uint32_t>(j));
            }
        }
    }
    Neighbors neighbors;
    for (std::size_t i = 0; i < count; ++i) {
        const auto middle = std::upper_bound(rows[i].begin(), rows[i].end(), i);
        neighbors.begins.push_back(neighbors.atoms.size());
        neighbors.middles.push_back(neighbors.atoms.size() +
                                    static_cast<std::size_t>(middle - rows[i].begin()));
        neighbors.atoms.insert(neighbors.atoms.end(), rows[i].begin(), rows[i].end());
    }
    neighbors.begins.push_back(neighbors.atoms.size());
    return neighbors;
}

}  // namespace machmeter::born
