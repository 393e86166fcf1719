// A pointer chase: cache lines linked into one random cycle over the whole memory, so that neither
// prefetchers nor huge pages help.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/sampling.hpp"
#include "core/host/caches.hpp"
#include "core/values/parameters.hpp"

namespace machmeter {

// The begin of a cache line; its other bytes are not used. mark: 0, or 1 + the number of the walk
// that starts here (for the check).
struct Line {
    Line* next;
    std::uint64_t mark;
};

// Adjacent cache lines in memory that it does not own.
class Lines {
   public:
    Lines() = default;
    explicit Lines(std::byte* memory) : memory_(memory), stride_(line_bytes()) {}

    [[nodiscard]] std::size_t stride() const { return stride_; }
    [[nodiscard]] Line* at(std::size_t number) const {
        return reinterpret_cast<Line*>(memory_ + number * stride_);
    }

   private:
    std::byte* memory_ = nullptr;
    std::size_t stride_ = 0;
};

// The order in which the chain visits the lines (Fisher and Yates; Knuth, TAOCP 2, 3.4.2 P): a
// closed chain that visits each once, in any order, is a single cycle.
inline void shuffle_order(std::vector<std::uint32_t>& order, std::size_t lines,
                          std::uint64_t seed) {
    std::mt19937_64 random(seed);
    order.resize(lines);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = lines - 1; i > 0; --i) {
        // A number up to i from 32 random bits: biased by less than i / 2^32.
        const std::size_t j = ((random() >> 32U) * (i + 1)) >> 32U;
        std::swap(order[i], order[j]);
    }
}

// Links the lines and reads them once more, both in the order of the chain: caches are left as a
// whole round of the chase leaves them, the first line least recently used and none dirty, but with
// many misses at once, in a tenth of the time.
inline Line* link_and_warm(const Lines& lines, const std::vector<std::uint32_t>& order) {
    Line* first = lines.at(order.front());
    for (std::size_t i = 0; i < order.size(); ++i) {
        *lines.at(order[i]) = {i + 1 < order.size() ? lines.at(order[i + 1]) : first, 0};
    }
    for (const std::uint32_t line : order) {
        asm volatile("" : : "r"(lines.at(line)->mark));
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

// Walks from evenly spread lines, each until the next line where a walk started; several advance at
// the same time, so that the misses overlap. to: where each walk ended; steps: of all together.
struct Walks {
    std::vector<std::size_t> to;
    std::size_t steps = 0;
};

// Marks the lines where that many walks start.
inline void mark_starts(const Lines& lines, std::size_t count, std::size_t walks) {
    for (std::size_t walk = 0; walk < walks; ++walk) {
        lines.at(walk * count / walks)->mark = walk + 1;
    }
}

inline Walks walk_between_marks(const Lines& lines, std::size_t count) {
    constexpr std::size_t most_walks = 256;
    constexpr std::size_t at_once = 16;
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
        return Walker{walk, lines.at(walk * count / walks)};
    };
    while (walkers.size() < at_once && started < walks) {
        walkers.push_back(start());
    }
    // A broken chain may never reach a mark: more steps than lines are proof enough.
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

// Whether the chain returns to its first line after exactly `count` lines. The walks lead from mark
// to mark: where they close after all marks, they form one closed chain as long as their steps
// together, which visits no line twice. Costs about a tenth of a round of the chase.
inline bool is_single_cycle(const Lines& lines, std::size_t count) {
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

// A load is shorter than a clock reading, so loads are timed together: a whole round of the cycle
// where the time of the point allows it for every sample, else as many as it allows.
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

// Lines of a point's size. Throws UsageError.
inline std::size_t lines_of(const Parameters& point) {
    const std::size_t lines = point.count("size") / line_bytes();
    if (lines < 2 || lines > std::numeric_limits<std::uint32_t>::max()) {
        throw UsageError("size: a pointer chase needs 2 to 2^32 - 1 lines of " +
                         std::to_string(line_bytes()) + " bytes, not " + point.text("size") +
                         " bytes");
    }
    return lines;
}

}  // namespace machmeter
