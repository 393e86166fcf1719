// Work of a fixed number of steps: the same instructions each time, whatever the clock shows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock/clock.hpp"

namespace machmeter {

// A chain of dependent multiplications in registers, which touches no memory and cannot be
// shortened.
inline std::uint64_t work(std::uint64_t seed, std::uint64_t steps) {
    std::uint64_t value = seed | 1U;
    for (std::uint64_t i = 0; i < steps; ++i) {
        value = value * 6364136223846793005U + 1442695040888963407U;
        asm volatile("" : "+r"(value));
    }
    return value;
}

// Steps that take about so long, from the fastest of a few trials.
inline std::uint64_t work_steps_for(const Clock& clock, double seconds) {
    constexpr std::uint64_t trial_steps = 20'000;
    constexpr int trials = 5;
    double fastest = 1;
    for (int trial = 0; trial < trials; ++trial) {
        fastest = std::min(fastest, time_alone(clock, [] { work(1, trial_steps); }));
    }
    const double steps = seconds * static_cast<double>(trial_steps) / std::max(fastest, 1e-9);
    return static_cast<std::uint64_t>(std::max(1.0, steps));
}

}  // namespace machmeter
