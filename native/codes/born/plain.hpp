// The energy by the equations as they are written: what the passes are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "codes/born/equations.hpp"
#include "codes/born/molecule.hpp"

namespace machmeter::born {

inline double plain_descreening(double r, double radius, double screen) {
    const double upper = r + screen;
    const double lower = std::max(radius, r - screen);
    return 1 / lower - 1 / upper + r / 4 * (1 / (upper * upper) - 1 / (lower * lower)) +
           std::log(lower / upper) / (2 * r) +
           screen * screen / (4 * r) * (1 / (lower * lower) - 1 / (upper * upper));
}

// With the neighbors that are listed, wherever they are.
inline double plain_energy(const Molecule& molecule, const Neighbors& neighbors, int threads) {
    const std::size_t count = molecule.count();
    std::vector<double> radii(count);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        for (std::size_t k = neighbors.begins[i]; k < neighbors.begins[i + 1]; ++k) {
            const std::size_t j = neighbors.atoms[k];
            sum +=
                plain_descreening(std::sqrt(square_between(molecule.atoms[i], molecule.atoms[j])),
                                  molecule.radius[i], molecule.screen[j]);
        }
        radii[i] = 1 / (1 / molecule.radius[i] - sum / 2);
    }
    double energy = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16) reduction(+ : energy)
    for (std::size_t i = 0; i < count; ++i) {
        double sum = molecule.atoms[i][3] / radii[i];
        for (std::size_t k = neighbors.begins[i]; k < neighbors.begins[i + 1]; ++k) {
            const std::size_t j = neighbors.atoms[k];
            const double square = square_between(molecule.atoms[i], molecule.atoms[j]);
            const double product = radii[i] * radii[j];
            sum += molecule.atoms[j][3] /
                   std::sqrt(square + product * std::exp(-square / (4 * product)));
        }
        energy -= water / 2 * molecule.atoms[i][3] * sum;
    }
    return energy;
}

}  // namespace machmeter::born
