// A periodic box in three dimensions shared out over ranks as equal bricks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "proxies/common/rank_grid.hpp"

namespace machmeter::proxies {

using Vector = std::array<double, 3>;
using Counts = std::array<int, 3>;

// Bricks along each dimension with the least surface; of equal ones those that divide
// the dimensions most evenly.
inline Counts brick_counts(int ranks, const Vector& box) {
    Counts best{ranks, 1, 1};
    double least = std::numeric_limits<double>::infinity();
    for (int x = 1; x <= ranks; ++x) {
        for (int y = 1; ranks % x == 0 && y <= ranks / x; ++y) {
            if (ranks / x % y != 0) {
                continue;
            }
            const int z = ranks / x / y;
            const double a = box[0] / x;
            const double b = box[1] / y;
            const double c = box[2] / z;
            // Of a dimension that is not divided too: there a brick is its own neighbor.
            const double surface = b * c + a * c + a * b;
            constexpr double rounding = 1e-9;
            const bool is_even = std::max({x, y, z}) < *std::max_element(best.begin(), best.end());
            if (surface < least * (1 - rounding) || (surface < least * (1 + rounding) && is_even)) {
                least = surface;
                best = {x, y, z};
            }
        }
    }
    return best;
}

// The brick of one rank.
struct Brick : RankGrid<3> {
    Vector box;

    Brick(int rank, const Counts& bricks, const Vector& whole)
        : RankGrid(bricks, rank), box(whole) {}

    // Equal to the low of the next brick, to the last bit.
    [[nodiscard]] double border(std::size_t dimension, int number) const {
        return box[dimension] * number / ranks[dimension];
    }
    [[nodiscard]] double low(std::size_t dimension) const {
        return border(dimension, place[dimension]);
    }
    [[nodiscard]] double high(std::size_t dimension) const {
        return border(dimension, place[dimension] + 1);
    }
    [[nodiscard]] double width(std::size_t dimension) const {
        return box[dimension] / ranks[dimension];
    }

    // What a position gains on its way to the brick that is `step` further: the box, where it goes
    // around.
    [[nodiscard]] double shift(std::size_t dimension, int step) const {
        const int to = place[dimension] + step;
        return to < 0 ? box[dimension] : to >= ranks[dimension] ? -box[dimension] : 0;
    }
};

}  // namespace machmeter::proxies
