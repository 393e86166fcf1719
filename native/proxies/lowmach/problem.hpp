// A light bubble in a stratified atmosphere, in a cube of edge 1 with walls at the bottom and the
// top: the state at the start, by position alone.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/values/random_bits.hpp"

namespace machmeter::proxies::lowmach {

// Cells are numbered from 0 along each dimension; a face has the number of the cell above it.
struct Problem {
    // Cells along an edge of the cube and of a box.
    std::int64_t edge = 0;
    std::int64_t box = 0;

    static constexpr double gravity = 1;
    // The share of the density by which the bubble is lighter, and of noise on each side.
    static constexpr double bubble = 0.3;
    static constexpr double noise = 0.05;

    [[nodiscard]] double width() const { return 1 / static_cast<double>(edge); }
    // Speeds stay below 1.
    [[nodiscard]] double time_step() const { return 0.2 * width(); }

    // The weight of the constraint, which is the density at rest too: the atmosphere is isentropic.
    [[nodiscard]] double beta_at(double height) const { return std::exp(-height * width()); }
    [[nodiscard]] double beta_of_cell(std::int64_t z) const {
        return beta_at(static_cast<double>(z) + 0.5);
    }
    [[nodiscard]] double beta_of_face(std::int64_t z) const {
        return beta_at(static_cast<double>(z));
    }

    // Density over that at rest: between 1 - bubble - noise and 1 + noise.
    [[nodiscard]] double share(std::int64_t x, std::int64_t y, std::int64_t z) const {
        constexpr std::uint64_t seed = 1;
        constexpr double center = 0.35;
        constexpr double square_of_radius = 0.02;
        const auto from = [&](std::int64_t i, double middle) {
            return (static_cast<double>(i) + 0.5) * width() - middle;
        };
        const double a = from(x, 0.5);
        const double b = from(y, 0.5);
        const double c = from(z, center);
        const double of_bubble = std::exp(-(a * a + b * b + c * c) / square_of_radius);
        const auto number = static_cast<std::uint64_t>(x + edge * (y + edge * z));
        return 1 - bubble * of_bubble + noise * (2 * uniform(seed, number) - 1);
    }
    [[nodiscard]] double density(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return beta_of_cell(z) * share(x, y, z);
    }

    // At the edge between the low faces along x and z: its differences are beta times the velocity,
    // so that the sum over the faces of each cell is 0.
    [[nodiscard]] double stream(std::int64_t x, std::int64_t y, std::int64_t z) const {
        constexpr double most = 0.03;
        constexpr double pi = std::numbers::pi;
        if (z % edge == 0) {
            return 0;
        }
        const double along_y =
            1 + 0.5 * std::cos(2 * pi * (static_cast<double>(y) + 0.5) * width());
        return most * along_y * std::sin(2 * pi * static_cast<double>(x % edge) * width()) *
               std::sin(pi * static_cast<double>(z) * width());
    }
    [[nodiscard]] double velocity_x(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return (stream(x, y, z + 1) - stream(x, y, z)) / (width() * beta_of_cell(z));
    }
    [[nodiscard]] double velocity_z(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return (stream(x, y, z) - stream(x + 1, y, z)) / (width() * beta_of_face(z));
    }
};

}  // namespace machmeter::proxies::lowmach
