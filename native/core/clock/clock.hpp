// The clock that every kernel reads; a value, so that a test can pass its own.
#pragma once

#include <cstdint>

namespace machmeter {

struct Clock {
    std::uint64_t (*nanoseconds)();

    [[nodiscard]] std::uint64_t now() const { return nanoseconds(); }
};

std::uint64_t monotonic_nanoseconds();

inline constexpr Clock monotonic_clock{&monotonic_nanoseconds};

inline double seconds_between(std::uint64_t begin, std::uint64_t end) {
    return static_cast<double>(end - begin) / 1e9;
}

// Seconds of `body()` for the one thread that calls it.
template <class Body>
double time_alone(const Clock& clock, Body&& body) {
    const std::uint64_t begin = clock.now();
    body();
    return seconds_between(begin, clock.now());
}

// Cost of one reading and smallest step seen, in seconds.
struct ClockFacts {
    double overhead_seconds = 0;
    double tick_seconds = 0;

    // The larger of the two: what a clock adds to or hides in a time.
    [[nodiscard]] double resolution_seconds() const {
        return overhead_seconds > tick_seconds ? overhead_seconds : tick_seconds;
    }
};

ClockFacts measure_clock(const Clock& clock);

}  // namespace machmeter
