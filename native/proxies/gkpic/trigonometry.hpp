// Functions of four doubles at once that the push needs.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "proxies/common/lanes.hpp"

namespace machmeter::proxies::gkpic {

// Added to a number below 2^51, it leaves the nearest whole one in the lowest bits.
inline constexpr double to_whole = 6755399441055744.0;  // 1.5 * 2^52

// Of numbers that are not negative.
inline LaneBits whole_bits(const Lanes& whole) {
    return std::bit_cast<LaneBits>(whole + to_whole) -
           std::bit_cast<LaneBits>(in_all_lanes(to_whole));
}

// The whole number below, or at a whole number perhaps the one before it: what is left is between
// 0 and 1, both included.
inline Lanes floor_of(const Lanes& x) { return ((x - 0.5) + to_whole) - to_whole; }

// No number becomes `most`, so that an index of it stays within.
inline Lanes at_most(const Lanes& x, double most) {
    const Lanes limit = in_all_lanes(most);
    return x < limit ? x : limit;
}

inline Lanes root_of(const Lanes& x) {
    Lanes root;
    for (int i = 0; i < lane_count; ++i) {
        root[i] = std::sqrt(x[i]);
    }
    return root;
}

struct SineCosine {
    Lanes sine;
    Lanes cosine;
};

// Operations of sine_cosine for each lane: 6 to take off quarters of a turn, 16 for each series.
inline constexpr double flops_per_sine_cosine = 38;

// Of an angle in turns. The nearest quarter is taken off exactly; the first terms left out of the
// two series, at most pi / 4, are below 1e-16.
inline SineCosine sine_cosine(const Lanes& turns) {
    const Lanes moved = turns * 4.0 + to_whole;
    const Lanes quarters = moved - to_whole;
    const Lanes x = (turns - quarters * 0.25) * (2 * std::numbers::pi);
    const Lanes square = x * x;
    constexpr std::array<double, 8> of_sine{
        1.0,          -1.0 / 6,        1.0 / 120,          -1.0 / 5040,
        1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
    constexpr std::array<double, 9> of_cosine{1.0,
                                              -1.0 / 2,
                                              1.0 / 24,
                                              -1.0 / 720,
                                              1.0 / 40320,
                                              -1.0 / 3628800,
                                              1.0 / 479001600,
                                              -1.0 / 87178291200.0,
                                              1.0 / 20922789888000.0};
    Lanes sine = in_all_lanes(of_sine.back());
    for (std::size_t i = of_sine.size() - 1; i > 0; --i) {
        sine = sine * square + of_sine[i - 1];
    }
    sine *= x;
    Lanes cosine = in_all_lanes(of_cosine.back());
    for (std::size_t i = of_cosine.size() - 1; i > 0; --i) {
        cosine = cosine * square + of_cosine[i - 1];
    }
    const auto bits = std::bit_cast<LaneBits>(moved);
    const auto odd = (bits & 1) != 0;
    const Lanes first = odd ? cosine : sine;
    const Lanes second = odd ? sine : cosine;
    return {(bits & 2) != 0 ? -first : first, ((bits + 1) & 2) != 0 ? -second : second};
}

}  // namespace machmeter::proxies::gkpic
