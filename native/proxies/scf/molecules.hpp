// Hydrogen molecules on a cubic grid, each atom with one s function of three Gaussians.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "core/values/random_bits.hpp"

namespace machmeter::proxies::scf {

using Position = std::array<double, 3>;  // bohr

// STO-3G of hydrogen (Hehre, Stewart and Pople, J. Chem. Phys. 51, 1969), scaled by 1.24: exponents
// per square bohr, and weights of normalized Gaussians.
inline constexpr std::size_t primitives = 3;
inline constexpr std::array<double, primitives> exponents{3.42525091, 0.62391373, 0.16885540};
inline constexpr std::array<double, primitives> weights{0.15432897, 0.53532814, 0.44463454};

inline constexpr double bond = 1.4;     // bohr
inline constexpr double spacing = 5.0;  // of molecules, bohr

inline double normalization(double exponent) {
    return std::pow(2 * exponent / std::numbers::pi, 0.75);
}

inline double square_of_distance(const Position& a, const Position& b) {
    double sum = 0;
    for (std::size_t d = 0; d < a.size(); ++d) {
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    }
    return sum;
}

// Two atoms for each molecule, which are turned by their number alone. They fill the smallest cube
// of places, row by row.
inline std::vector<Position> atoms_of(std::size_t molecules) {
    std::size_t edge = 1;
    while (edge * edge * edge < molecules) {
        ++edge;
    }
    std::vector<Position> atoms;
    for (std::size_t number = 0; number < molecules; ++number) {
        constexpr std::uint64_t seed = 1;
        const double height = 2 * uniform(seed, 2 * number) - 1;
        const double angle = 2 * std::numbers::pi * uniform(seed, 2 * number + 1);
        const double across = std::sqrt(1 - height * height);
        const Position axis{across * std::cos(angle), across * std::sin(angle), height};
        const Position center{spacing * static_cast<double>(number % edge),
                              spacing * static_cast<double>(number / edge % edge),
                              spacing * static_cast<double>(number / (edge * edge))};
        for (const double side : {-0.5, 0.5}) {
            Position atom = center;
            for (std::size_t d = 0; d < atom.size(); ++d) {
                atom[d] += side * bond * axis[d];
            }
            atoms.push_back(atom);
        }
    }
    return atoms;
}

// Of the nuclei, hartree.
inline double nuclear_repulsion(const std::vector<Position>& atoms) {
    double sum = 0;
    for (std::size_t i = 0; i < atoms.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            sum += 1 / std::sqrt(square_of_distance(atoms[i], atoms[j]));
        }
    }
    return sum;
}

}  // namespace machmeter::proxies::scf
