// The equation: div(k grad p) = f in a cube of cells of size 1 with p = 0 at its walls, by finite
// volumes, as the pressure equation of a flow solver is.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/values/random_bits.hpp"

namespace machmeter::proxies::ofp {

using Cell = std::array<std::int64_t, 3>;

// By position alone, so that every rank knows those of its neighbors.
struct Problem {
    std::int64_t edge = 0;

    [[nodiscard]] std::uint64_t number(const Cell& cell) const {
        return static_cast<std::uint64_t>(cell[0] + edge * (cell[1] + edge * cell[2]));
    }
    [[nodiscard]] bool inside(const Cell& cell) const {
        return std::min({cell[0], cell[1], cell[2]}) >= 0 &&
               std::max({cell[0], cell[1], cell[2]}) < edge;
    }

    // Between 0.3 and 3.
    [[nodiscard]] double conductivity(const Cell& cell) const {
        constexpr std::uint64_t seed = 1;
        return 0.3 + 2.7 * uniform(seed, number(cell));
    }

    // Between two cells, or a cell and the wall half a cell away.
    [[nodiscard]] double conductance(const Cell& a, const Cell& b) const {
        if (!inside(a)) {
            return 2 * conductivity(b);
        }
        if (!inside(b)) {
            return 2 * conductivity(a);
        }
        const double of_a = conductivity(a);
        const double of_b = conductivity(b);
        return 2 * of_a * of_b / (of_a + of_b);
    }

    // What the solve has to find: a smooth part and a rough one; 0 outside.
    [[nodiscard]] double solution(const Cell& cell) const {
        constexpr std::uint64_t seed = 2;
        if (!inside(cell)) {
            return 0;
        }
        double smooth = 1;
        for (const std::int64_t place : cell) {
            const double share = (static_cast<double>(place) + 0.5) / static_cast<double>(edge);
            smooth *= 4 * share * (1 - share);
        }
        return smooth + 0.1 * (uniform(seed, number(cell)) - 0.5);
    }

    // The balance of one cell where `of(cell)` is the pressure: a plain sum over its six faces,
    // without the arrays that the solve works on.
    template <class Of>
    [[nodiscard]] double balance(const Cell& cell, Of&& of) const {
        double sum = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            for (const int side : {-1, 1}) {
                Cell other = cell;
                other[d] += side;
                sum += conductance(cell, other) * (of(cell) - of(other));
            }
        }
        return sum;
    }
};

}  // namespace machmeter::proxies::ofp
