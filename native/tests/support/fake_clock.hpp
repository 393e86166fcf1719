// A clock that moves only when it is read or told to; threads may read it too.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "core/session/session.hpp"

namespace machmeter::test {

inline std::atomic<std::uint64_t> fake_now{0};
inline std::atomic<std::uint64_t> fake_step{0};  // added by every reading

inline std::uint64_t read_fake_clock() { return fake_now += fake_step; }

inline constexpr Clock fake_clock{&read_fake_clock};

// A launch of these points whose session met a clock of 10 ns, and in which every timed stretch
// then takes `stretch_nanoseconds`, whatever happens in it.
inline std::vector<PointResult> run_with_fake_clock(void (*benchmark)(Session&),
                                                    const std::vector<std::string>& points,
                                                    std::uint64_t stretch_nanoseconds,
                                                    std::uint64_t page_bytes = 4096) {
    Arguments arguments;
    arguments.page_bytes = page_bytes;
    for (const std::string& point : points) {
        arguments.points.emplace_back(point);
    }
    std::vector<PointResult> recorded;
    fake_step = 10;
    Session session(fake_clock, std::move(arguments),
                    [&](const PointResult& point) { recorded.push_back(point); });
    fake_step = stretch_nanoseconds;
    benchmark(session);
    return recorded;
}

}  // namespace machmeter::test
