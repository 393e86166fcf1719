// What the checks of proxies reduce over all ranks.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace machmeter::proxies {

// A deviation that is no number is as large as can be.
inline void raise(double& worst, double deviation) {
    worst = std::isnan(deviation) ? std::numeric_limits<double>::infinity()
                                  : std::max(worst, deviation);
}

// The sum over all ranks, modulo 2^64: in parts of 16 bits, which doubles add up exactly.
template <class Ranks>
std::uint64_t sum_of_marks(Ranks& ranks, std::uint64_t mine) {
    constexpr unsigned bits = 16;
    std::array<double, 4> parts{};
    for (unsigned i = 0; i < parts.size(); ++i) {
        parts[i] = static_cast<double>((mine >> (bits * i)) & 0xFFFFU);
    }
    ranks.sum(parts);
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < parts.size(); ++i) {
        sum += static_cast<std::uint64_t>(parts[i]) << (bits * i);
    }
    return sum;
}

// The largest deviation of all ranks, none of which is negative.
template <class Ranks>
double largest_of(Ranks& ranks, double mine) {
    std::vector<double> all(static_cast<std::size_t>(ranks.size()), 0);
    all[static_cast<std::size_t>(ranks.rank())] = mine;
    ranks.sum(all);
    double largest = 0;
    for (const double one : all) {
        raise(largest, one);
    }
    return largest;
}

}  // namespace machmeter::proxies
