// Functions of four doubles at once: the standard exponential is called for each by itself.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

#include "proxies/common/lanes.hpp"

namespace machmeter::proxies {

// Operations of exp_of for each lane: 7 to take off the multiple of ln 2, 27 for the series.
inline constexpr double flops_per_exp = 34;

// e^x, of x beyond -700 and 700 as at these bounds; the relative error is below 1e-15. As usual,
// e^x = 2^k e^r, with k whole and |r| <= ln(2) / 2 (Cody and Waite, Software Manual for the
// Elementary Functions, 1980); e^r by its series, of which the first term left out is below 1e-17.
inline Lanes exp_of(Lanes x) {
    const Lanes most = in_all_lanes(700);
    x = x > most ? most : x;
    x = x < -most ? -most : x;
    // Added to a number of few digits, it leaves the nearest whole one in the lowest bits.
    constexpr double to_whole = 6755399441055744.0;  // 1.5 * 2^52
    constexpr double per_ln2 = 1.44269504088896340736;
    // ln 2 in two parts, the first of so few bits that its product with k is exact (fdlibm,
    // e_exp.c).
    constexpr double ln2_high = 6.93147180369123816490e-01;
    constexpr double ln2_low = 1.90821492927058770002e-10;
    const Lanes moved = x * per_ln2 + to_whole;
    const Lanes k = moved - to_whole;
    const Lanes r = (x - k * ln2_high) - k * ln2_low;
    constexpr std::array<double, 14> inverse_factorials{
        1.0,
        1.0,
        1.0 / 2,
        1.0 / 6,
        1.0 / 24,
        1.0 / 120,
        1.0 / 720,
        1.0 / 5040,
        1.0 / 40320,
        1.0 / 362880,
        1.0 / 3628800,
        1.0 / 39916800,
        1.0 / 479001600,
        1.0 / 6227020800,
    };
    // Even and odd powers apart: two short chains in place of a long one.
    const Lanes square = r * r;
    Lanes even = in_all_lanes(inverse_factorials[12]);
    Lanes odd = in_all_lanes(inverse_factorials[13]);
    for (std::size_t i = 11; i > 1; i -= 2) {
        even = even * square + inverse_factorials[i - 1];
        odd = odd * square + inverse_factorials[i];
    }
    even = even * square + 1.0;
    odd = odd * square + 1.0;
    const Lanes power = even + r * odd;
    constexpr int mantissa_bits = 52;
    const LaneBits scale = std::bit_cast<LaneBits>(moved) << mantissa_bits;
    return std::bit_cast<Lanes>(std::bit_cast<LaneBits>(power) + scale);
}

// One instruction for all lanes where there is one: compilers join the four.
inline Lanes root_of(const Lanes& x) {
    return Lanes{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
}

}  // namespace machmeter::proxies
