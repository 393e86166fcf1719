// Four doubles as one value, for loops that compilers do not vectorize by themselves.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace machmeter::proxies {

using Lanes __attribute__((vector_size(32))) = double;
using LaneBits __attribute__((vector_size(32))) = long long;
using LaneIndices __attribute__((vector_size(16))) = std::int32_t;

inline constexpr int lane_count = 4;

inline Lanes in_all_lanes(double value) { return Lanes{value, value, value, value}; }
inline Lanes load(const double* from) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}
inline void store(double* to, const Lanes& lanes) { std::memcpy(to, &lanes, sizeof lanes); }
inline double sum_of_lanes(const Lanes& lanes) {
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

// Clang has no __builtin_shuffle, GCC 11 no __builtin_shufflevector.
#if defined(__clang__)
#define MACHMETER_LANES_OF(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define MACHMETER_LANES_OF(a, b, i, j, k, l) __builtin_shuffle(a, b, LaneBits{i, j, k, l})
#endif

// Row i of the result is lane i of the four.
inline std::array<Lanes, 4> transposed(const std::array<Lanes, 4>& rows) {
    const auto& [a, b, c, d] = rows;
    const Lanes even_ab = MACHMETER_LANES_OF(a, b, 0, 4, 2, 6);
    const Lanes odd_ab = MACHMETER_LANES_OF(a, b, 1, 5, 3, 7);
    const Lanes even_cd = MACHMETER_LANES_OF(c, d, 0, 4, 2, 6);
    const Lanes odd_cd = MACHMETER_LANES_OF(c, d, 1, 5, 3, 7);
    return {MACHMETER_LANES_OF(even_ab, even_cd, 0, 1, 4, 5),
            MACHMETER_LANES_OF(odd_ab, odd_cd, 0, 1, 4, 5),
            MACHMETER_LANES_OF(even_ab, even_cd, 2, 3, 6, 7),
            MACHMETER_LANES_OF(odd_ab, odd_cd, 2, 3, 6, 7)};
}

// The first three components of four values, a component each.
struct Columns {
    Lanes x;
    Lanes y;
    Lanes z;
};

inline Columns columns_of(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d) {
    const auto rows = transposed({a, b, c, d});
    return {rows[0], rows[1], rows[2]};
}

// The sum of the lanes of each of four values.
inline Lanes sums_of_lanes(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d) {
    const Lanes ab = MACHMETER_LANES_OF(a, b, 0, 4, 2, 6) + MACHMETER_LANES_OF(a, b, 1, 5, 3, 7);
    const Lanes cd = MACHMETER_LANES_OF(c, d, 0, 4, 2, 6) + MACHMETER_LANES_OF(c, d, 1, 5, 3, 7);
    return MACHMETER_LANES_OF(ab, cd, 0, 1, 4, 5) + MACHMETER_LANES_OF(ab, cd, 2, 3, 6, 7);
}

#undef MACHMETER_LANES_OF

}  // namespace machmeter::proxies
