// One cell by the equations as they are written, with neighbors by their places in the box: what
// the runs of the list are compared with.
#pragma once

#include <array>
#include <cstddef>

#include "codes/lbm/lattice.hpp"

namespace machmeter::lbm {

using Populations = std::array<double, directions>;

struct Moments {
    double density = 0;
    std::array<double, 3> momentum{};
};

inline Moments moments_of(const Populations& f) {
    Moments moments;
    for (std::size_t q = 0; q < directions; ++q) {
        moments.density += f[q];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            moments.momentum[axis] += offset_of(q)[axis] * f[q];
        }
    }
    return moments;
}

inline Populations collided(const Fluid& fluid, const Populations& f) {
    const Moments moments = moments_of(f);
    const std::array<double, 3> force = {fluid.force, 0, 0};
    std::array<double, 3> velocity = moments.momentum;
    double square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        velocity[axis] += force[axis] / 2;
        square += velocity[axis] * velocity[axis];
    }
    Populations after{};
    for (std::size_t q = 0; q < directions; ++q) {
        double along = 0;
        double push = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            along += offset_of(q)[axis] * velocity[axis];
            push += offset_of(q)[axis] * force[axis];
        }
        const double even = (f[q] + f[opposite(q)]) / 2;
        const double odd = (f[q] - f[opposite(q)]) / 2;
        const double even_rest =
            weight_of(q) * (moments.density + 4.5 * along * along - 1.5 * square);
        const double odd_rest = weight_of(q) * 3 * along;
        after[q] = f[q] - fluid.even_rate() * (even - even_rest) -
                   fluid.odd_rate() * (odd - odd_rest) +
                   (1 - fluid.odd_rate() / 2) * weight_of(q) * 3 * push;
    }
    return after;
}

// What arrives at a fluid cell some steps after the populations of the lattice, an even number of
// steps after its start.
inline Populations arriving(const Lattice& lattice, const Place& place, int steps) {
    Populations f{};
    if (steps == 0) {
        const auto cell = static_cast<std::size_t>(lattice.geometry().number(place));
        for (std::size_t q = 0; q < directions; ++q) {
            f[q] = lattice.population(q)[cell];
        }
        return f;
    }
    const Populations own = collided(lattice.fluid(), arriving(lattice, place, steps - 1));
    Place from{};
    for (std::size_t q = 0; q < directions; ++q) {
        f[q] = lattice.geometry().comes_from_fluid(place, q, from)
                   ? collided(lattice.fluid(), arriving(lattice, from, steps - 1))[q]
                   : own[opposite(q)];
    }
    return f;
}

}  // namespace machmeter::lbm
