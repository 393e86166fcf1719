// The arrays that STREAM's kernels sweep over: which thread touches what first, and what every
// kernel must leave.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/memory/pages.hpp"
#include "core/openmp/padding.hpp"
#include "core/openmp/teams.hpp"
#include "core/values/parameters.hpp"
#include "memory/stream/kernels.hpp"

namespace machmeter::stream {

// Whole numbers small enough that every kernel's result is exact in any order of operations.
inline double value_of_b(std::size_t i) { return 1 + static_cast<double>(i % 1024); }
inline double value_of_c(std::size_t i) { return 2 + static_cast<double>(i % 512); }

// First element of a thread's chunk: at a page boundary where that leaves the chunks balanced.
inline std::size_t chunk_begin(std::size_t bytes, std::size_t thread, std::size_t threads) {
    constexpr std::size_t pages_for_balance = 128;
    if (thread == threads) {
        return bytes / sizeof(double);
    }
    const bool by_page = bytes / threads >= pages_for_balance * base_page_bytes();
    const std::size_t unit = by_page ? base_page_bytes() : granule_bytes;
    return bytes / unit * thread / threads * unit / sizeof(double);
}

// A huge page that several threads share is placed by whichever touches it first.
inline void require_own_pages(std::size_t bytes_of_each, std::size_t page_bytes,
                              std::size_t domains) {
    if (domains > 1 && page_bytes > base_page_bytes() && bytes_of_each < page_bytes) {
        throw UsageError("size: on " + std::to_string(domains) +
                         " NUMA domains every thread needs a huge page of each array for itself, " +
                         std::to_string(page_bytes) +
                         " bytes: request larger arrays, fewer threads or base pages");
    }
}

// What a thread did since the arrays were reset. sum: result of its last sweep.
struct alignas(polled_bytes) ThreadSweeps {
    double sum = std::numeric_limits<double>::quiet_NaN();
    std::uint64_t count = 0;
};

// The three arrays of one size, first touched by the threads that will sweep over them.
class Arrays {
   public:
    Arrays(std::size_t bytes, std::size_t page_bytes)
        : bytes_(bytes),
          arrays_{Memory(bytes, page_bytes), Memory(bytes + stagger_bytes, page_bytes),
                  Memory(bytes + 2 * stagger_bytes, page_bytes)},
          swept_(static_cast<std::size_t>(omp_get_max_threads())) {
        if (bytes < threads() * granule_bytes || bytes % granule_bytes != 0) {
            throw UsageError("size: " + std::to_string(bytes) + " is not a multiple of " +
                             std::to_string(granule_bytes) + " with as much for each of " +
                             std::to_string(threads()) + " threads");
        }
        require_own_pages(bytes / threads(), page_bytes, domains_of_team());
        on_chunks([&](std::size_t begin, std::size_t end) {
            fill(b(), begin, end, value_of_b);
            fill(c(), begin, end, value_of_c);
        });
        reset();
    }

    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] std::size_t threads() const { return swept_.size(); }
    [[nodiscard]] double* a() const { return at(0); }
    [[nodiscard]] double* b() const { return at(1); }
    [[nodiscard]] double* c() const { return at(2); }

    // a and the sums are no result of any kernel yet: not a number, or, for update, what it starts
    // from.
    void reset(bool for_update = false) {
        std::fill(swept_.begin(), swept_.end(), ThreadSweeps{});
        on_chunks([&](std::size_t begin, std::size_t end) {
            fill(a(), begin, end, [&](std::size_t i) {
                return for_update ? value_of_b(i) : std::numeric_limits<double>::quiet_NaN();
            });
        });
    }

    // `at_end(thread)` is called by every thread after its last sweep, before the join.
    template <class AtEnd>
    void sweep(double (*kernel)(const Chunk&), double scalar, std::uint64_t sweeps, AtEnd at_end) {
#pragma omp parallel
        {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            const std::size_t begin = chunk_begin(bytes_, thread, threads());
            const std::size_t end = chunk_begin(bytes_, thread + 1, threads());
            const Chunk chunk{a() + begin, b() + begin, c() + begin, end - begin, scalar};
            for (std::uint64_t i = 0; i < sweeps; ++i) {
                if (i > 0) {
#pragma omp barrier
                }
                swept_[thread].sum = kernel(chunk);
                ++swept_[thread].count;
            }
            at_end(thread);
        }
    }

    void sweep(double (*kernel)(const Chunk&), double scalar, std::uint64_t sweeps) {
        sweep(kernel, scalar, sweeps, [](std::size_t) {});
    }

    // One sweep of the threads that `is_part(thread)` says, the others wait.
    template <class IsPart>
    void sweep_part(double (*kernel)(const Chunk&), double scalar, IsPart is_part) {
#pragma omp parallel
        {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            if (is_part(thread)) {
                const std::size_t begin = chunk_begin(bytes_, thread, threads());
                const std::size_t end = chunk_begin(bytes_, thread + 1, threads());
                swept_[thread].sum =
                    kernel({a() + begin, b() + begin, c() + begin, end - begin, scalar});
                ++swept_[thread].count;
            }
        }
    }

    // Which share of all elements these threads sweep over.
    template <class IsPart>
    [[nodiscard]] double share_of(IsPart is_part) const {
        std::size_t elements = 0;
        for (std::size_t thread = 0; thread < threads(); ++thread) {
            elements += is_part(thread) ? chunk_begin(bytes_, thread + 1, threads()) -
                                              chunk_begin(bytes_, thread, threads())
                                        : 0;
        }
        return static_cast<double>(elements * sizeof(double)) / static_cast<double>(bytes_);
    }

    // Whether every thread ran so many sweeps since the last reset.
    [[nodiscard]] bool swept(std::uint64_t sweeps) const {
        return std::all_of(swept_.begin(), swept_.end(),
                           [&](const ThreadSweeps& own) { return own.count == sweeps; });
    }

    // Of the elements of a; infinite where one was never written.
    template <class Expected>
    [[nodiscard]] double largest_relative_error(Expected expected_at) const {
        double largest = 0;
        on_chunks([&](std::size_t begin, std::size_t end) {
            double worst = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const double expected = expected_at(i);
                const double error = std::abs(a()[i] - expected) / std::abs(expected);
                worst = error <= std::numeric_limits<double>::max()
                            ? std::max(worst, error)
                            : std::numeric_limits<double>::infinity();
            }
#pragma omp critical
            largest = std::max(largest, worst);
        });
        return largest;
    }

    // Of the sum over b that the threads of a reading sweep computed.
    [[nodiscard]] double error_of_sum() const {
        const std::size_t count = bytes_ / sizeof(double);
        const auto sum_to = [](std::size_t n) { return n * (n + 1) / 2; };
        const std::size_t whole = count / 1024 * sum_to(1024) + sum_to(count % 1024);
        const auto expected = static_cast<double>(whole);
        double sum = 0;
        for (const ThreadSweeps& own : swept_) {
            sum += own.sum;
        }
        return std::abs(sum - expected) / expected;
    }

    [[nodiscard]] std::size_t page_bytes() const {
        return describe({arrays_.data(), &arrays_[1], &arrays_[2]}).page_bytes;
    }

   private:
    // Equal offsets into pages would map the arrays to the same cache sets and banks: about 5 %
    // less.
    static constexpr std::size_t stagger_bytes = 4096 + 256;

    [[nodiscard]] double* at(std::size_t array) const {
        return arrays_[array].as<double>() + array * stagger_bytes / sizeof(double);
    }

    template <class Value>
    static void fill(double* array, std::size_t begin, std::size_t end, Value value) {
        for (std::size_t i = begin; i < end; ++i) {
            array[i] = value(i);
        }
    }

    template <class Body>
    void on_chunks(Body body) const {
        std::size_t team = 0;
#pragma omp parallel
        {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            if (thread == 0) {
                team = static_cast<std::size_t>(omp_get_num_threads());
            }
            body(chunk_begin(bytes_, thread, threads()),
                 chunk_begin(bytes_, thread + 1, threads()));
        }
        require_team(team, threads());
    }

    std::size_t bytes_;
    std::array<Memory, 3> arrays_;
    std::vector<ThreadSweeps> swept_;
};

}  // namespace machmeter::stream
