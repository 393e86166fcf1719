// The 19 velocities of a lattice in three dimensions (D3Q19): that of rest, then pairs of
// opposites.
#pragma once

#include <array>
#include <cstddef>

namespace machmeter::lbm {

inline constexpr std::size_t directions = 19;
inline constexpr std::size_t pairs = 9;

using Offset = std::array<int, 3>;

// Of the first of each pair: 1, 3, 5 ...; the second has the opposite sign.
inline constexpr std::array<Offset, pairs> pair_offsets = {{{1, 0, 0},
                                                            {0, 1, 0},
                                                            {0, 0, 1},
                                                            {1, 1, 0},
                                                            {1, -1, 0},
                                                            {1, 0, 1},
                                                            {1, 0, -1},
                                                            {0, 1, 1},
                                                            {0, 1, -1}}};

constexpr std::size_t opposite(std::size_t direction) {
    return direction == 0 ? 0 : (direction % 2 == 1 ? direction + 1 : direction - 1);
}

constexpr Offset offset_of(std::size_t direction) {
    if (direction == 0) {
        return {0, 0, 0};
    }
    const Offset& first = pair_offsets[(direction - 1) / 2];
    return direction % 2 == 1 ? first : Offset{-first[0], -first[1], -first[2]};
}

inline constexpr double rest_weight = 1.0 / 3;
inline constexpr double axis_weight = 1.0 / 18;
inline constexpr double diagonal_weight = 1.0 / 36;

constexpr double weight_of(std::size_t direction) {
    return direction == 0 ? rest_weight : (direction < 7 ? axis_weight : diagonal_weight);
}

}  // namespace machmeter::lbm
