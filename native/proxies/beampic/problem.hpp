// A bunch in a linear focusing channel, in its own frame: lengths in cells, times in steps.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
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
    // Times the mean: particles of a domain in the middle, by the density of the start, 2 / pi over
    // the square of the radius, which grows there by up to a fifth.
    [[nodiscard]] double most_of_rank(int ranks) const {
        const double across = static_cast<double>(edge) / radius();
        return std::min<double>(ranks, 1.2 * 2 / pi * across * across);
    }
    // Angle of the focusing oscillation in a step: no particle moves farther than 0.3 cells.
    [[nodiscard]] double phase_advance() const { return 0.25 / radius(); }
    // Charge over mass, so that the field of the bunch takes off a fifth of the focusing at its
    // radius.
    [[nodiscard]] double charge_over_mass() const {
        return space_charge * phase_advance() * phase_advance() * 4 * pi * std::pow(radius(), 3);
    }

    // Position, velocity and number, the same on any ranks. All oscillate with the same energy, in
    // shares of it along three dimensions that are uniform, and in any phase: without the field of
    // the bunch its density stays, as does that of Kapchinskij and Vladimirskij (Proc. Int. Conf.
    // High Energy Accelerators, CERN, 1959) across a beam.
    [[nodiscard]] std::array<double, 7> particle(std::int64_t number) const {
        const auto random = [&](std::uint64_t stream) {
            return uniform(stream, static_cast<std::uint64_t>(number));
        };
        const auto [low, high] = std::minmax({random(1), random(2)});
        const std::array<double, 3> shares{low, high - low, 1 - high};
        const double frequency = phase_advance() * std::sqrt(1 - space_charge);
        std::array<double, 7> one{};
        for (std::size_t d = 0; d < 3; ++d) {
            const double amplitude = radius() * std::sqrt(shares[d]);
            const double phase = 2 * pi * random(3 + d);
            one[d] = center() + amplitude * std::cos(phase);
            one[3 + d] = frequency * amplitude * std::sin(phase);
        }
        one[6] = static_cast<double>(number);
        return one;
    }

   private:
    static constexpr double space_charge = 0.2;
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
