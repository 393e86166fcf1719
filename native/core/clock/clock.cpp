#include "core/clock/clock.hpp"

#include <time.h>

#include <algorithm>
#include <limits>

namespace machmeter {
namespace {

// Step from one value of the clock to the next in nanoseconds; 0 for a clock that stands still.
std::uint64_t next_tick(const Clock& clock) {
    constexpr int most_readings = 10'000'000;
    const std::uint64_t begin = clock.now();
    for (int i = 0; i < most_readings; ++i) {
        const std::uint64_t now = clock.now();
        if (now > begin) {
            return now - begin;
        }
    }
    return 0;
}

}  // namespace

std::uint64_t monotonic_nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(now.tv_nsec);
}

ClockFacts measure_clock(const Clock& clock) {
    constexpr int rounds = 20;
    constexpr int readings = 500;
    double overhead = std::numeric_limits<double>::infinity();
    std::uint64_t tick = std::numeric_limits<std::uint64_t>::max();
    for (int round = 0; round < rounds; ++round) {
        const std::uint64_t begin = clock.now();
        std::uint64_t previous = begin;
        for (int i = 0; i < readings; ++i) {
            const std::uint64_t now = clock.now();
            if (now > previous) {
                tick = std::min(tick, now - previous);
            }
            previous = now;
        }
        overhead = std::min(overhead, seconds_between(begin, previous) / readings);
    }
    return {overhead, static_cast<double>(std::min(tick, next_tick(clock))) / 1e9};
}

}  // namespace machmeter
