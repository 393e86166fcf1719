// The points of measurements that every node makes by itself, and what a node measured as numbers
// that can be gathered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/clock/sampling.hpp"
#include "core/values/parameters.hpp"

namespace machmeter::nodes {

// What one node measured. extra: further series of as many values, then numbers, as `describe` of
// the benchmark expects them; the same lengths on every node. why_not: why it measured nothing, in
// words; empty where it did.
struct Own {
    Samples samples;
    bool right = false;
    std::vector<std::vector<double>> extra;
    std::vector<double> numbers;
    std::size_t page_bytes = 0;
    std::string why_not;
};

// The points of one measurement: they differ in `node` alone.
struct Group {
    std::vector<std::size_t> points;
};

inline std::vector<Group> groups_of(const std::vector<Parameters>& points) {
    std::vector<Group> groups;
    std::vector<std::string> keys;
    for (std::size_t number = 0; number < points.size(); ++number) {
        const std::string key = points[number].without("node").to_text();
        const auto found = std::find(keys.begin(), keys.end(), key);
        if (found == keys.end()) {
            keys.push_back(key);
            groups.push_back({});
        }
        const auto at =
            static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
        groups[at].points.push_back(number);
    }
    return groups;
}

// As numbers that can be gathered: of a length that all nodes have.
inline std::vector<double> packed(const Own& own, std::size_t most) {
    std::vector<double> all{own.right ? 1.0 : 0.0, static_cast<double>(own.samples.batch),
                            own.samples.timed_seconds, static_cast<double>(own.page_bytes),
                            static_cast<double>(own.samples.seconds.size())};
    const auto add = [&](std::vector<double> series) {
        series.resize(most);
        all.insert(all.end(), series.begin(), series.end());
    };
    add(own.samples.seconds);
    for (const std::vector<double>& series : own.extra) {
        add(series);
    }
    all.insert(all.end(), own.numbers.begin(), own.numbers.end());
    return all;
}

inline Own unpacked(const std::vector<double>& all, std::size_t most, std::size_t series) {
    const auto samples = static_cast<std::size_t>(all[4]);
    const auto values = [&](std::size_t number) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(5 + number * most);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(samples));
    };
    Own own;
    own.right = all[0] != 0;
    own.samples = {values(0), static_cast<std::uint64_t>(all[1]), all[2]};
    own.page_bytes = static_cast<std::size_t>(all[3]);
    for (std::size_t number = 1; number <= series; ++number) {
        own.extra.push_back(values(number));
    }
    own.numbers.assign(all.begin() + static_cast<std::ptrdiff_t>(5 + (1 + series) * most),
                       all.end());
    return own;
}

}  // namespace machmeter::nodes
