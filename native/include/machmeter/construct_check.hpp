// Whether a construct does what OpenMP says it does (OpenMP 5.2, chapters 5, 10, 11 and 15).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "machmeter/constructs.hpp"

namespace machmeter {

// Pieces done, by thread or iteration; each has a cache line of its own.
class PieceCounts {
   public:
    explicit PieceCounts(int threads) : lines_(static_cast<std::size_t>(threads)) {}

    void operator()(int thread, std::uint64_t /*index*/) {
        lines_[static_cast<std::size_t>(thread)].pieces.fetch_add(1, std::memory_order_relaxed);
    }

    [[nodiscard]] std::uint64_t of(std::size_t thread) const { return lines_[thread].pieces; }
    [[nodiscard]] std::size_t threads() const { return lines_.size(); }

    [[nodiscard]] bool each_is(std::uint64_t count) const {
        bool right = true;
        for (const Line& line : lines_) {
            right = right && line.pieces == count;
        }
        return right;
    }

    [[nodiscard]] std::uint64_t sum() const {
        std::uint64_t all = 0;
        for (const Line& line : lines_) {
            all += line.pieces;
        }
        return all;
    }

   private:
    struct alignas(64) Line {
        std::atomic<std::uint64_t> pieces = 0;
    };

    std::vector<Line> lines_;
};

inline bool parallel_is_right(int threads, std::uint64_t count) {
    PieceCounts counts(threads);
    parallel_regions(count, counts);
    return counts.each_is(count);
}

inline bool reduction_is_right(int threads, std::uint64_t count) {
    PieceCounts counts(threads);
    const std::uint64_t sum = reduction_regions(count, counts);
    return sum == static_cast<std::uint64_t>(threads) * count && counts.each_is(count);
}

inline bool loop_is_right(int threads, std::uint64_t count) {
    PieceCounts iterations(threads);
#pragma omp parallel num_threads(threads)
    for_passages(count, iterations);
    return iterations.each_is(count);
}

// Before piece i every thread must have done all of its pieces before i.
inline bool barrier_is_right(int threads, std::uint64_t count) {
    PieceCounts counts(threads);
    std::atomic<bool> right = true;
    auto payload = [&](int thread, std::uint64_t index) {
        for (std::size_t other = 0; other < counts.threads(); ++other) {
            if (counts.of(other) < index) {
                right = false;
            }
        }
        counts(thread, index);
    };
#pragma omp parallel num_threads(threads)
    barrier_passages(count, payload);
    return right && counts.each_is(count);
}

// Each instance once: every index is seen by exactly one thread.
inline bool single_is_right(int threads, std::uint64_t count) {
    std::vector<std::atomic<std::uint64_t>> times(count);
    auto payload = [&](int /*thread*/, std::uint64_t index) { ++times[index]; };
#pragma omp parallel num_threads(threads)
    single_passages(count, payload);
    bool right = true;
    for (const auto& seen : times) {
        right = right && seen == 1;
    }
    return right;
}

// A count that is no atomic is right only when one thread at a time was inside.
inline bool critical_is_right(int threads, std::uint64_t count) {
    volatile std::uint64_t unguarded = 0;
    auto payload = [&](int /*thread*/, std::uint64_t /*index*/) { unguarded = unguarded + 1; };
#pragma omp parallel num_threads(threads)
    critical_passages(count, payload);
    return unguarded == count;
}

inline bool construct_is_right(Construct construct, int threads, std::uint64_t count) {
    switch (construct) {
        case Construct::parallel:
            return parallel_is_right(threads, count);
        case Construct::loop:
            return loop_is_right(threads, count);
        case Construct::barrier:
            return barrier_is_right(threads, count);
        case Construct::reduction:
            return reduction_is_right(threads, count);
        case Construct::single:
            return single_is_right(threads, count);
        case Construct::critical:
            return critical_is_right(threads, count);
    }
    return false;
}

}  // namespace machmeter
