// What has to hold of energies and forces in water: forces that balance and turn nothing, are the
// slope of a plain energy, and are the same however threads add them; an ion alone keeps its
// radius.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "codes/born/plain.hpp"
#include "codes/born/solvation.hpp"
#include "proxies/common/faults.hpp"

namespace machmeter::born {

// Both propagate what is no number.
inline double larger(double largest, double error) {
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(largest, error);
}

inline double size_of(const Lanes& force) {
    return std::sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
}

// Of the sums of forces and of their moments, by the sums of their sizes.
inline std::array<double, 2> unbalanced(const Molecule& molecule, const Solvation& found) {
    Lanes force{};
    Lanes moment{};
    double forces = std::numeric_limits<double>::min();
    double moments = std::numeric_limits<double>::min();
    for (std::size_t i = 0; i < molecule.count(); ++i) {
        const Lanes& x = molecule.atoms[i];
        const Lanes& f = found.forces()[i];
        force += f;
        moment += Lanes{x[1] * f[2] - x[2] * f[1], x[2] * f[0] - x[0] * f[2],
                        x[0] * f[1] - x[1] * f[0], 0};
        forces += size_of(f);
        moments += size_of(x) * size_of(f);
    }
    return {size_of(force) / forces, size_of(moment) / moments};
}

// The force along a move of atoms, beside -dE of the plain energy by central differences of fourth
// order; by the size of the forces that are moved. `move(atom)` is a direction, or zero.
template <class Move>
double error_of_slope(const Molecule& molecule, const Neighbors& neighbors, const Solvation& found,
                      int threads, Move&& move) {
    constexpr double step = 5e-4;
    double along = 0;
    double sizes = 0;
    for (std::size_t i = 0; i < molecule.count(); ++i) {
        const Lanes direction = move(i);
        const Lanes& force = found.forces()[i];
        along += direction[0] * force[0] + direction[1] * force[1] + direction[2] * force[2];
        sizes += size_of(direction) * size_of(force);
    }
    Molecule moved = molecule;
    const auto energy_at = [&](double steps) {
        for (std::size_t i = 0; i < molecule.count(); ++i) {
            moved.atoms[i] = molecule.atoms[i] + steps * step * move(i);
        }
        return plain_energy(moved, neighbors, threads);
    };
    const double slope =
        (8 * (energy_at(1) - energy_at(-1)) - (energy_at(2) - energy_at(-2))) / (12 * step);
    return std::abs(along + slope) / sizes;
}

// Any direction, of a length of about 1.
inline Lanes direction_of(std::size_t atom) {
    return Lanes{2 * uniform(5, atom) - 1, 2 * uniform(6, atom) - 1, 2 * uniform(7, atom) - 1, 0};
}

// Of some atoms each by itself, and of all at once.
inline double error_of_slopes(const Molecule& molecule, const Neighbors& neighbors,
                              const Solvation& found, int threads) {
    constexpr std::size_t alone = 3;
    const auto error_of = [&](auto&& move) {
        return error_of_slope(molecule, neighbors, found, threads, move);
    };
    double worst = error_of(&direction_of);
    for (std::size_t k = 0; k < alone; ++k) {
        const std::size_t atom = molecule.count() * (2 * k + 1) / (2 * alone);
        worst = larger(
            worst, error_of([&](std::size_t i) { return i == atom ? direction_of(i) : Lanes{}; }));
    }
    return worst;
}

// Of radius and energy of an ion without neighbors.
inline double error_of_ion() {
    constexpr double radius = 1.5;
    constexpr double charge = 2;
    Molecule ion;
    ion.add(Lanes{1, 2, 3, charge}, radius);
    const Neighbors none = neighbors_of(ion, 1);
    Solvation found(ion, none, Adding::rows, 1);
    found.evaluate();
    const double energy = -332.0637 * (1 - 1 / 78.5) * charge * charge / (2 * radius);
    return larger(std::abs(found.radius(0) / radius - 1), std::abs(found.energy() / energy - 1));
}

// Largest differences of forces, by the largest force, and of energies, from the other ways.
inline double error_of_adding(const Molecule& molecule, const Neighbors& neighbors,
                              const Solvation& found, int threads) {
    double largest = std::numeric_limits<double>::min();
    for (const Lanes& force : found.forces()) {
        largest = larger(largest, size_of(force));
    }
    double worst = 0;
    for (const Adding adding : {Adding::private_arrays, Adding::atomic, Adding::rows}) {
        Solvation other(molecule, neighbors, adding, threads);
        other.evaluate();
        worst = larger(worst, std::abs(other.energy() / found.energy() - 1));
        for (std::size_t i = 0; i < molecule.count(); ++i) {
            worst = larger(worst, size_of(other.forces()[i] - found.forces()[i]) / largest);
        }
    }
    return worst;
}

struct Errors {
    std::array<double, 2> balance;
    double ion;
    double energy;
    double slope;
    double adding;
};

inline Errors errors_of(const Molecule& molecule, const Neighbors& neighbors,
                        const Solvation& found, int threads) {
    return {
        unbalanced(molecule, found),
        error_of_ion(),
        std::abs(found.energy() / plain_energy(molecule, neighbors, threads) - 1),
        error_of_slopes(molecule, neighbors, found, threads),
        error_of_adding(molecule, neighbors, found, threads),
    };
}

inline constexpr double most_of_rounding = 1e-11;
inline constexpr double most_of_slope = 1e-5;

// What is wrong; empty where nothing is.
inline std::string fault_of(const Errors& errors) {
    const auto text = [](double one) { return proxies::short_text(one); };
    return proxies::first_fault({
        {errors.ion <= most_of_rounding,
         "an ion alone has another radius or energy than its own by " + text(errors.ion)},
        {errors.energy <= most_of_rounding,
         "the energy differs from plain formulas by " + text(errors.energy)},
        {errors.slope <= most_of_slope,
         "forces differ from the slope of the energy by " + text(errors.slope)},
        {errors.balance[0] <= most_of_rounding,
         "the sum of forces is " + text(errors.balance[0]) + " of that of their sizes"},
        {errors.balance[1] <= most_of_rounding,
         "the sum of moments is " + text(errors.balance[1]) + " of that of their sizes"},
        {errors.adding <= most_of_rounding,
         "other ways of adding differ by " + text(errors.adding)},
    });
}

}  // namespace machmeter::born
