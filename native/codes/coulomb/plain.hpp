// Energies and forces by the equations as they are written, with the standard functions: what the
// vectors are compared with.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "codes/coulomb/ions.hpp"

namespace machmeter::coulomb {

using Place = std::array<double, 3>;

// From ion `from` to ion `to`, or to the nearest of its images.
inline Place between(const Ions& ions, std::size_t to, std::size_t from) {
    Place apart{};
    for (std::size_t c = 0; c < 3; ++c) {
        apart[c] = ions.position[c][to] - ions.position[c][from];
        apart[c] -= ions.box.edge * std::round(apart[c] / ions.box.edge);
    }
    return apart;
}

// Not std::hypot, which is slower: nothing here is near the ends of its range.
inline double length_of(const Place& apart) {
    return std::sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]);
}

// Of an ion with the first of all others, were it moved: q_i sum q_j exp(-r/screening) / r. The
// images are those nearest to where it is: the force jumps where another one becomes the nearest.
inline double plain_energy(const Ions& ions, std::size_t i, const Place& moved,
                           std::size_t others) {
    double sum = 0;
    for (std::size_t j = 0; j < others; ++j) {
        if (j != i) {
            const Place apart = between(ions, i, j);
            const double r =
                length_of({apart[0] + moved[0], apart[1] + moved[1], apart[2] + moved[2]});
            sum += ions.charge[j] * std::exp(-r / ions.box.screening) / r;
        }
    }
    return ions.charge[i] * sum;
}

// Potential and kinetic, of all ions.
inline std::array<double, 2> plain_energies(const Ions& ions, int threads) {
    double potential = 0;
    double kinetic = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16) \
    reduction(+ : potential, kinetic)
    for (std::size_t i = 0; i < ions.count; ++i) {
        potential += plain_energy(ions, i, {}, i);
        for (const Field& velocity : ions.velocity) {
            kinetic += ions.charge[i] * velocity[i] * velocity[i] / 2;
        }
    }
    return {potential, kinetic};
}

struct PlainForce {
    std::array<double, 3> sum{};
    // Of all parts: what rounding is relative to.
    double sizes = 0;
};

inline PlainForce plain_force(const Ions& ions, std::size_t i) {
    PlainForce force;
    for (std::size_t j = 0; j < ions.count; ++j) {
        if (j != i) {
            const Place apart = between(ions, i, j);
            const double r = length_of(apart);
            const double size = ions.charge[i] * ions.charge[j] * (1 / r + 1 / ions.box.screening) *
                                std::exp(-r / ions.box.screening) / r;
            for (std::size_t c = 0; c < 3; ++c) {
                force.sum[c] += size * apart[c] / r;
            }
            force.sizes += size;
        }
    }
    return force;
}

}  // namespace machmeter::coulomb
