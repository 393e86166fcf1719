// What has to hold of moved ions: forces that balance, that are those of plain formulas and the
// slope of the energy, and an energy that stays.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "codes/coulomb/plain.hpp"
#include "proxies/common/faults.hpp"

namespace machmeter::coulomb {

// Both propagate what is no number.
inline double larger(double largest, double error) {
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(largest, error);
}

// Of the sum of all forces, by the largest force.
inline double unbalanced(const Ions& ions) {
    double worst = 0;
    for (const Field& force : ions.force) {
        double sum = 0;
        double largest = std::numeric_limits<double>::min();
        for (std::size_t i = 0; i < ions.count; ++i) {
            sum += force[i];
            largest = larger(largest, std::abs(force[i]));
        }
        worst = larger(worst, std::abs(sum) / largest);
    }
    return worst / static_cast<double>(ions.count);
}

// The largest that `error_of(i)` finds of some ions, spread over all.
template <class ErrorOf>
double largest_of_some(const Ions& ions, std::size_t some, int threads, ErrorOf&& error_of) {
    const std::size_t count = std::min(some, ions.count);
    double worst = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(max : worst)
    for (std::size_t k = 0; k < count; ++k) {
        worst = larger(worst, error_of(ions.count * k / count));
    }
    return worst;
}

inline double error_of_force(const Ions& ions, std::size_t i) {
    const PlainForce plain = plain_force(ions, i);
    double worst = 0;
    for (std::size_t c = 0; c < 3; ++c) {
        worst = larger(worst, std::abs(ions.force[c][i] - plain.sum[c]) / plain.sizes);
    }
    return worst;
}

// The force beside -dU/dx, by central differences of fourth order.
inline double error_of_slope(const Ions& ions, std::size_t i) {
    constexpr double step = 1e-3;
    const double sizes = plain_force(ions, i).sizes;
    double worst = 0;
    for (std::size_t c = 0; c < 3; ++c) {
        const auto energy_at = [&](double steps) {
            Place moved{};
            moved[c] = steps * step;
            return plain_energy(ions, i, moved, ions.count);
        };
        const double slope =
            (8 * (energy_at(1) - energy_at(-1)) - (energy_at(2) - energy_at(-2))) / (12 * step);
        worst = larger(worst, std::abs(ions.force[c][i] + slope) / sizes);
    }
    return worst;
}

struct Errors {
    double balance;
    double force;
    double slope;
    // Of the energy since the start, by the kinetic energy there.
    double energy;
};

inline Errors errors_of(const Ions& ions, const Ions& start, int threads) {
    const std::array<double, 2> before = plain_energies(start, threads);
    const std::array<double, 2> after = plain_energies(ions, threads);
    return {
        unbalanced(ions),
        largest_of_some(ions, 64, threads, [&](auto i) { return error_of_force(ions, i); }),
        largest_of_some(ions, 8, threads, [&](auto i) { return error_of_slope(ions, i); }),
        std::abs((after[0] + after[1]) - (before[0] + before[1])) / before[1],
    };
}

inline constexpr double most_of_balance = 1e-14;
inline constexpr double most_of_force = 1e-13;
inline constexpr double most_of_slope = 1e-10;
inline constexpr double most_of_energy = 1e-3;

// What is wrong; empty where nothing is.
inline std::string fault_of(const Errors& errors) {
    const auto text = [](double one) { return proxies::short_text(one); };
    return proxies::first_fault({
        {errors.force <= most_of_force,
         "forces differ from plain formulas by " + text(errors.force) + " of their parts"},
        {errors.slope <= most_of_slope,
         "forces differ from the slope of the energy by " + text(errors.slope) + " of their parts"},
        {errors.balance <= most_of_balance,
         "the sum of all forces is " + text(errors.balance) + " of the largest for each ion"},
        {errors.energy <= most_of_energy,
         "the energy changed by " + text(errors.energy) + " of the kinetic energy at the start"},
    });
}

}  // namespace machmeter::coulomb
