// Sessions of a node program with a fake clock, and what they recorded.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/session/node.hpp"
#include "tests/support/fake_clock.hpp"

namespace machmeter::test {

// A clock of 10 ns.
inline NodeSession fake_session(
    Arguments arguments = {}, NodeSession::Record record = [](const PointResult&) {},
    NodeSession::Announce announce = {}) {
    static NodeRuntime runtime;
    fake_step = 10;
    return {runtime, fake_clock, std::move(arguments), std::move(record), std::move(announce)};
}

// A launch of these points, in which every timed stretch takes `stretch_nanoseconds`, whatever
// happens in it; long ones are timed `least_samples` times.
inline std::vector<PointResult> run_with_fake_clock(
    void (*benchmark)(NodeSession&), const std::vector<std::string>& points,
    std::uint64_t stretch_nanoseconds, std::uint64_t page_bytes = 4096,
    std::uint64_t least_samples = SamplingLimits().least) {
    Arguments arguments;
    arguments.page_bytes = page_bytes;
    arguments.limits.least = least_samples;
    for (const std::string& point : points) {
        arguments.points.emplace_back(point);
    }
    std::vector<PointResult> recorded;
    NodeSession session = fake_session(
        std::move(arguments), [&](const PointResult& point) { recorded.push_back(point); });
    fake_step = stretch_nanoseconds;
    benchmark(session);
    return recorded;
}

// Empty where the point has no such series.
inline std::vector<double> series_of(const PointResult& point, std::string_view name) {
    for (const auto& [key, values] : point.series) {
        if (key == name) {
            return values;
        }
    }
    return {};
}

// Negative where the point has no such quantity.
inline double quantity_of(const PointResult& point, std::string_view name) {
    for (const auto& [key, value] : point.quantities) {
        if (key == name) {
            return value;
        }
    }
    return -1;
}

// Empty where the point has no such attribute.
inline std::string attribute_of(const PointResult& point, std::string_view name) {
    for (const auto& [key, text] : point.attributes) {
        if (key == name) {
            return text;
        }
    }
    return "";
}

}  // namespace machmeter::test
