// The result of one point, as a line of the launch record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock/sampling.hpp"
#include "core/values/parameters.hpp"

namespace machmeter {

using NamedSeries = std::pair<std::string, std::vector<double>>;

// series: raw samples, seconds of one event unless noted otherwise; batch: events timed together;
// check: whether the kernel did what it should, and what was checked; quantities: numbers that
// metrics need; attributes: what ran, as text; page_bytes: the smallest page obtained, 0 if
// unknown; device_state: JSON of the device before and after it, empty where nothing is known.
struct PointResult {
    explicit PointResult(Parameters point) : parameters(std::move(point)) {}

    // The samples of the one series that most benchmarks have, or of several, and their batch.
    PointResult& add_samples(Samples taken);
    PointResult& add_samples(std::vector<NamedSeries> all, std::uint64_t rounds);
    PointResult& add_series(std::string_view name, std::vector<double> values);
    PointResult& check(bool passed, std::string what);
    PointResult& attribute(std::string_view name, std::string text);
    PointResult& on_pages(std::size_t bytes);

    template <class Number>
    PointResult& quantity(std::string_view name, Number value) {
        return add_quantity(name, static_cast<double>(value));
    }

    [[nodiscard]] std::string to_json() const;

    Parameters parameters;
    std::vector<NamedSeries> series;
    std::uint64_t batch = 1;
    bool check_passed = false;
    std::string check_what;
    std::vector<std::pair<std::string, double>> quantities;
    std::vector<std::pair<std::string, std::string>> attributes;
    std::uint64_t page_bytes = 0;
    std::string device_state = {};

   private:
    PointResult& add_quantity(std::string_view name, double value);
};

// A point that cannot be measured here, without samples: `why` names what is missing and what to
// do. The launch continues with the others.
PointResult not_measured(const Parameters& point, const std::string& why);

// Written before a point is measured: the last such line of a launch that hung names the point.
std::string begun_line(const Parameters& parameters);

}  // namespace machmeter
