// Work of a fixed number of steps: the same instructions each time, whatever the clock says.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock/clock.hpp"

namespace machmeter {

// A chain of dependent multiplications in registers. It touches no memory and cannot be shortened.
inline std::uint64_t work(std::uint64_t seed, std::uint64_t steps) {
    std::uint64_t value = seed | 1U;
    for (std::uint64_t i = 0; i < steps; ++i) {
        value = value * 6364136223846793005U + 1442695040888963407U;
        asm volatile("" : "+r"(value));
    }
    return value;
}

// Steps that take about this long, from the fastest of a few trials.
inline std::uint64_t work_steps_for(const Clock& clock, double seconds) {
    constexpr std::uint64_t trial_steps = 20'000;
    constexpr int trials = 5;
    double fastest = 1;
    for (int trial = 0; trial < trials; ++trial) {
        const std::uint64_t begin = clock.now();
        work(begin, trial_steps);
        fastest = std::min(fastest, seconds_between(begin, clock.now()));
    }
    const double steps = seconds * static_cast<double>(trial_steps) / std::max(fastest, 1e-9);
    return static_cast<std::uint64_t>(std::max(1.0, steps));
}

}  // namespace machmeter
