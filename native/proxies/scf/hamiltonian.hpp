// Integrals over one electron (Szabo and Ostlund, Modern Quantum Chemistry, 1996, appendix A).
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "proxies/scf/boys.hpp"
#include "proxies/scf/matrices.hpp"
#include "proxies/scf/molecules.hpp"
#include "proxies/scf/pairs.hpp"

namespace machmeter::proxies::scf {

struct OneElectron {
    double overlap = 0;
    double energy = 0;  // kinetic and of all nuclei, hartree
};

inline OneElectron one_electron(const std::vector<Position>& atoms, const Position& a,
                                const Position& b) {
    const double distance = square_of_distance(a, b);
    OneElectron sum;
    for (std::size_t i = 0; i < primitives; ++i) {
        for (std::size_t j = 0; j < primitives; ++j) {
            const Product product = product_of(a, b, i, j);
            const double p = product.exponent;
            const double reduced = exponents[i] * exponents[j] / p;
            const double overlap = std::pow(std::numbers::pi / p, 1.5) * product.factor;
            double nuclei = 0;
            for (const Position& atom : atoms) {
                nuclei += boys(p * square_of_distance(product.center, atom));
            }
            sum.overlap += overlap;
            sum.energy += reduced * (3 - 2 * reduced * distance) * overlap -
                          2 * std::numbers::pi / p * product.factor * nuclei;
        }
    }
    return sum;
}

struct Hamiltonian {
    Matrix overlap;
    Matrix core;

    explicit Hamiltonian(const std::vector<Position>& atoms)
        : overlap(atoms.size()), core(atoms.size()) {
        const auto rows = static_cast<std::int64_t>(atoms.size());
#pragma omp parallel for schedule(dynamic)
        for (std::int64_t row = 0; row < rows; ++row) {
            const auto i = static_cast<std::size_t>(row);
            for (std::size_t j = 0; j <= i; ++j) {
                const OneElectron found = one_electron(atoms, atoms[i], atoms[j]);
                overlap(i, j) = overlap(j, i) = found.overlap;
                core(i, j) = core(j, i) = found.energy;
            }
        }
    }
};

}  // namespace machmeter::proxies::scf
