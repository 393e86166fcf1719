// Pseudorandom numbers by position alone: the same on every machine, rank and thread.
#pragma once

#include <cstdint>

namespace machmeter {

// The step of splitmix64: 2^64 over the golden ratio.
inline constexpr std::uint64_t golden_step = 0x9E3779B97F4A7C15U;

// Finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
inline std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
}

// Number `index` of the stream `seed`, at least 0 and below 1.
inline double uniform(std::uint64_t seed, std::uint64_t index) {
    constexpr double step = 1.0 / static_cast<double>(std::uint64_t{1} << 53U);
    return static_cast<double>(mix(mix(seed + golden_step) + (index + 1) * golden_step) >> 11U) *
           step;
}

}  // namespace machmeter
