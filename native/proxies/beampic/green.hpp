// The potential of a cell of uniform charge in free space, integrated exactly (Qiang et al., Phys.
// Rev. ST Accel. Beams 9, 044204, 2006).
#pragma once

#include <cmath>
#include <cstdint>

#include "proxies/beampic/problem.hpp"

namespace machmeter::proxies::beampic {

// Its mixed third derivative is 1 / r. None of the three is 0.
inline double antiderivative(double x, double y, double z) {
    const double r = std::sqrt(x * x + y * y + z * z);
    return -0.5 * (z * z * std::atan(x * y / (z * r)) + y * y * std::atan(x * z / (y * r)) +
                   x * x * std::atan(y * z / (x * r))) +
           y * z * std::log(x + r) + x * z * std::log(y + r) + x * y * std::log(z + r);
}

// Far from a cell of charge 1 and edge 1: that of a point and the first moment of a cube after it,
// -7 / 192 times the cubic harmonic of degree 4. The next one is below 0.003 / r^7.
inline double potential_far(double x, double y, double z) {
    const double square = x * x + y * y + z * z;
    const double fourth = square * square;
    const double shape = (x * x * x * x + y * y * y * y + z * z * z * z) / fourth - 0.6;
    return (1 - 7.0 / 192 * shape / fourth) / (4 * pi * std::sqrt(square));
}

// At so many cells from a cell of charge 1 and edge 1. The difference of the antiderivatives loses
// digits as r^3 log r.
inline double potential_of_cell(std::int64_t x, std::int64_t y, std::int64_t z) {
    constexpr std::int64_t far = 24;
    if (x * x + y * y + z * z > far * far) {
        return potential_far(static_cast<double>(x), static_cast<double>(y),
                             static_cast<double>(z));
    }
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const auto side = [&](std::int64_t at, int bit) {
            return static_cast<double>(std::abs(at)) + ((corner >> bit) % 2 == 0 ? -0.5 : 0.5);
        };
        const int highs = corner % 2 + corner / 2 % 2 + corner / 4;
        const double value = antiderivative(side(x, 0), side(y, 1), side(z, 2));
        sum += highs % 2 == 0 ? -value : value;
    }
    return sum / (4 * pi);
}

}  // namespace machmeter::proxies::beampic
