// A pointer chase: lines of memory linked into one random cycle, followed load by load.
//
// One pointer in each line; the lines form one random cycle over the whole buffer, so that neither
// prefetchers nor pages help.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/sampling.hpp"
#include "core/values/parameters.hpp"

namespace machmeter {

inline constexpr std::size_t line_bytes = 64;

// mark: 0, or 1 + the number of the walk that starts here (for the check).
struct alignas(line_bytes) Line {
    Line* next;
    std::uint64_t mark;
};

// The order in which the chain passes the lines (Fisher and Yates; Knuth, TAOCP 2, 3.4.2 P): a
// chain that passes all of them in any order and closes is a single cycle.
inline void shuffle_order(std::vector<std::uint32_t>& order, std::size_t lines,
                          std::uint64_t seed) {
    std::mt19937_64 random(seed);
    order.resize(lines);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = lines - 1; i > 0; --i) {
        // A number up to i out of 32 random bits: biased by less than i / 2^32.
        const std::size_t j = ((random() >> 32U) * (i + 1)) >> 32U;
        std::swap(order[i], order[j]);
    }
}

// Links the lines and reads them once more, both in the order of the chain: caches are left as a
// whole round of the chase leaves them, the first line the longest unused and none to be written
// back, but with many misses at once, in a tenth of its time.
inline Line* link_and_warm(Line* lines, const std::vector<std::uint32_t>& order) {
    Line* first = lines + order.front();
    for (std::size_t i = 0; i < order.size(); ++i) {
        // Field by field: the rest of the line stays as it was.
        lines[order[i]].next = i + 1 < order.size() ? lines + order[i + 1] : first;
        lines[order[i]].mark = 0;
    }
    for (const std::uint32_t line : order) {
        asm volatile("" : : "r"(lines[line].mark));
    }
    return first;
}

inline Line* follow(Line* line, std::uint64_t loads) {
    constexpr std::uint64_t unrolled = 16;
    for (; loads >= unrolled; loads -= unrolled) {
        for (std::uint64_t i = 0; i < unrolled; ++i) {
            line = line->next;
        }
    }
    for (; loads > 0; --loads) {
        line = line->next;
    }
    asm volatile("" : "+r"(line));
    return line;
}

// Walks from evenly spread lines, each until the next line where a walk started; several go on
// side by side, so that the misses overlap. `to` and `steps` tell where a walk ended and when.
struct Walks {
    std::vector<std::size_t> to;
    std::size_t steps = 0;
};

// Marks the lines where that many walks start.
inline void mark_starts(Line* lines, std::size_t count, std::size_t walks) {
    for (std::size_t walk = 0; walk < walks; ++walk) {
        lines[walk * count / walks].mark = walk + 1;
    }
}

inline Walks walk_between_marks(Line* lines, std::size_t count) {
    constexpr std::size_t most_walks = 256;
    constexpr std::size_t side_by_side = 16;
    struct Walker {
        std::size_t walk;
        const Line* at;
    };
    const std::size_t walks = std::min(most_walks, count);
    mark_starts(lines, count, walks);
    Walks done{std::vector<std::size_t>(walks, 0), 0};
    std::vector<Walker> walkers;
    std::size_t started = 0;
    const auto start = [&] {
        const std::size_t walk = started++;
        return Walker{walk, lines + walk * count / walks};
    };
    while (walkers.size() < side_by_side && started < walks) {
        walkers.push_back(start());
    }
    // A broken chain may never come to a mark: more steps than lines are proof enough.
    while (!walkers.empty() && done.steps <= count) {
        for (std::size_t i = 0; i < walkers.size();) {
            Walker& walker = walkers[i];
            walker.at = walker.at->next;
            ++done.steps;
            if (walker.at->mark == 0) {
                ++i;
                continue;
            }
            done.to[walker.walk] = walker.at->mark - 1;
            if (started < walks) {
                walker = start();
                ++i;
            } else {
                walker = walkers.back();
                walkers.pop_back();
            }
        }
    }
    return done;
}

// True when the chain comes back to its first line after exactly `count` lines. The walks in a
// row lead from mark to mark; when they close after passing every mark, they are one closed chain
// as long as their steps together, and a chain that closes at its start meets no line twice.
// With so many walks side by side it costs about a tenth of a round of the chase.
inline bool is_single_cycle(Line* lines, std::size_t count) {
    const Walks walks = walk_between_marks(lines, count);
    std::size_t passed = 0;
    std::size_t walk = 0;
    do {
        walk = walks.to[walk];
        ++passed;
    } while (walk != 0 && passed <= walks.to.size());
    return walks.steps == count && passed == walks.to.size();
}

inline constexpr std::uint64_t loads_for_average = 8192;

// A load is shorter than a reading of the clock, so loads are timed together: a whole round of
// the cycle where the point's time allows it for every sample, else what it does allow.
inline SamplingPlan plan_chase(double load_seconds, std::size_t lines, const ClockFacts& clock,
                               const SamplingLimits& limits) {
    SamplingPlan plan = plan_sampling(load_seconds, clock, limits);
    const double affordable =
        limits.seconds / (static_cast<double>(limits.most) * std::max(load_seconds, 1e-10));
    const auto wanted = static_cast<double>(std::max<std::uint64_t>(lines, loads_for_average));
    const auto batch = static_cast<std::uint64_t>(std::min(affordable, wanted));
    if (batch > plan.batch) {
        plan = {batch, limits.most};
    }
    return plan;
}

inline std::size_t lines_of(const Parameters& point) {
    const std::size_t lines = point.count("size") / line_bytes;
    if (lines < 2 || lines > std::numeric_limits<std::uint32_t>::max()) {
        throw UsageError("size: a pointer chase needs 2 to 2^32 - 1 lines of " +
                         std::to_string(line_bytes) + " bytes, not " + point.text("size") +
                         " bytes");
    }
    return lines;
}

}  // namespace machmeter
