// A bunch in a linear focusing channel, in its own frame: lengths in cells, times in steps.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/values/random_bits.hpp"
#include "proxies/common/fourier.hpp"

namespace machmeter::proxies::beampic {

inline constexpr double pi = 3.14159265358979323846;

// A bunch of charge 1 in a vacuum of permittivity 1, on edge^3 grid points.
struct Problem {
    std::int64_t edge = 0;
    std::int64_t particles = 0;

    [[nodiscard]] double charge() const { return 1 / static_cast<double>(particles); }
    [[nodiscard]] double center() const { return 0.5 * static_cast<double>(edge - 1); }
    // Of the bunch at the start. It stays within 1.1 times as much.
    [[nodiscard]] double radius() const { return 0.8 * (center() - 1); }
    // Angle of the focusing oscillation in a step: no particle moves farther than 0.3 cells.
    [[nodiscard]] double phase_advance() const { return 0.25 / radius(); }
    // Charge over mass, so that the field of the bunch takes off a fifth of the focusing.
    [[nodiscard]] double charge_over_mass() const {
        return space_charge * phase_advance() * phase_advance() * 4 * pi * std::pow(radius(), 3);
    }

    // Position, velocity and number, the same on any ranks: uniform in a ball, too slow to leave
    // it.
    [[nodiscard]] std::array<double, 7> particle(std::int64_t number) const {
        const auto random = [&](std::uint64_t stream) {
            return uniform(stream, static_cast<std::uint64_t>(number));
        };
        const double distance = radius() * std::cbrt(random(1));
        const double most =
            phase_advance() *
            std::sqrt((1 - space_charge) * (radius() * radius() - distance * distance));
        const auto place = direction(random(2), random(3));
        const auto way = direction(random(4), random(5));
        const double speed = most * std::cbrt(random(6));
        std::array<double, 7> one{};
        for (std::size_t d = 0; d < 3; ++d) {
            one[d] = center() + distance * place[d];
            one[3 + d] = speed * way[d];
        }
        one[6] = static_cast<double>(number);
        return one;
    }

   private:
    static constexpr double space_charge = 0.2;

    // Of length 1, uniform for uniform numbers.
    static std::array<double, 3> direction(double height, double turn) {
        const double z = 2 * height - 1;
        const double across = std::sqrt(1 - z * z);
        return {across * std::cos(2 * pi * turn), across * std::sin(2 * pi * turn), z};
    }
};

// The even product of 2, 3 and 5 that is nearest to a number.
inline std::int64_t nearest_edge(double wanted) {
    const auto is_edge = [](std::int64_t edge) {
        return edge % 2 == 0 && is_smooth(static_cast<std::size_t>(edge));
    };
    const auto start = std::max<std::int64_t>(2, std::llround(wanted));
    for (std::int64_t away = 0;; ++away) {
        if (start > away + 1 && is_edge(start - away)) {
            return start - away;
        }
        if (is_edge(start + away)) {
            return start + away;
        }
    }
}

}  // namespace machmeter::proxies::beampic
