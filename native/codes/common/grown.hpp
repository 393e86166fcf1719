// How large the problem of a code is: as requested, or grown with the threads that share it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/values/parameters.hpp"

namespace machmeter::codes {

// Work that grows with a power of the number.
struct Power {
    int exponent;
    double operator()(std::uint64_t number) const {
        return std::pow(static_cast<double>(number), exponent);
    }
};

// A parameter that says how large a problem is.
struct Extent {
    std::string_view name;
    std::uint64_t least;
    std::uint64_t most;
};

// The number whose work is nearest to that many times the work of `number`, by the ratio of both;
// `work` rises with the number. Throws UsageError where it is more than the most.
template <class Work>
std::uint64_t grown(const Extent& extent, std::uint64_t number, int times, Work&& work) {
    const double wanted = times * work(number);
    std::uint64_t below = number;
    std::uint64_t enough = number;
    while (work(enough) < wanted) {
        if (enough == extent.most) {
            throw UsageError(std::string(extent.name) + ": for " + std::to_string(times) +
                             " threads " + std::to_string(number) + " grows beyond the most, " +
                             std::to_string(extent.most) +
                             ": request fewer, fewer threads, or scaling=strong");
        }
        below = enough;
        enough = std::min(2 * enough, extent.most);
    }
    while (enough - below > 1) {
        const std::uint64_t middle = below + (enough - below) / 2;
        (work(middle) < wanted ? below : enough) = middle;
    }
    return work(below) * work(enough) < wanted * wanted ? enough : below;
}

// strong: the number that is requested, whatever the team; weak: the number for which a team of so
// many threads has as much work a thread as one thread has with the number that is requested.
template <class Work>
std::uint64_t extent_of(const Parameters& point, const Extent& extent, int threads, Work&& work) {
    const std::uint64_t number = point.count_within(extent.name, extent.least, extent.most);
    const bool weak = point.choice<bool>("scaling", {{"strong", false}, {"weak", true}});
    return weak ? grown(extent, number, threads, work) : number;
}

}  // namespace machmeter::codes
