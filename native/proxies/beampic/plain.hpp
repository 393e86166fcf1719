// The definitions, point by point and particle by particle: what the kernels are checked against.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/values/random_bits.hpp"
#include "proxies/beampic/particles.hpp"
#include "proxies/beampic/problem.hpp"

namespace machmeter::proxies::beampic {

using Point = std::array<std::int64_t, 3>;

// Of a point of the grid, between -1/2 and 1/2.
inline double any_function(const Point& point) {
    constexpr std::uint64_t most = 1U << 20U;
    const std::uint64_t number =
        (static_cast<std::uint64_t>(point[2]) * most + static_cast<std::uint64_t>(point[1])) *
            most +
        static_cast<std::uint64_t>(point[0]);
    return uniform(31, number) - 0.5;
}

inline std::array<double, 3> position_before(const Particle& one) {
    return {one[0] - one[3], one[1] - one[4], one[2] - one[5]};
}

// Between the eight points around a position.
template <class Of>
double interpolated(const std::array<double, 3>& position, Of&& of) {
    double sum = 0;
    for (std::size_t corner = 0; corner < 8; ++corner) {
        Point point{};
        double weight = 1;
        for (std::size_t d = 0; d < 3; ++d) {
            const double cell = std::floor(position[d]);
            const bool is_high = (corner >> d) % 2 == 1;
            point[d] = static_cast<std::int64_t>(cell) + (is_high ? 1 : 0);
            weight *= is_high ? position[d] - cell : 1 - (position[d] - cell);
        }
        sum += weight * of(point);
    }
    return sum;
}

template <class PotentialAt>
double plain_field(Point point, std::size_t dimension, PotentialAt&& potential) {
    point[dimension] -= 1;
    const double low = potential(point);
    point[dimension] += 2;
    return (low - potential(point)) / 2;
}

// A particle after a step in the field of a potential.
template <class PotentialAt>
Particle plain_push(const Problem& problem, const Particle& before, PotentialAt&& potential) {
    Particle after = before;
    for (std::size_t d = 0; d < 3; ++d) {
        const double field = interpolated({before[0], before[1], before[2]}, [&](const Point& at) {
            return plain_field(at, d, potential);
        });
        const double focusing = problem.phase_advance() * problem.phase_advance();
        after[3 + d] +=
            problem.charge_over_mass() * field - focusing * (before[d] - problem.center());
        after[d] += after[3 + d];
    }
    return after;
}

}  // namespace machmeter::proxies::beampic
