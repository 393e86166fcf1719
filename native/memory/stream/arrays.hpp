// The arrays that STREAM's kernels sweep over: who touches what first, and what must come out.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/host/places.hpp"
#include "core/memory/memory.hpp"
#include "core/values/parameters.hpp"
#include "memory/stream/kernels.hpp"

namespace machmeter::stream {

// Whole numbers small enough that every kernel's result is exact in any order of operations.
inline double value_of_b(std::size_t i) { return 1 + static_cast<double>(i % 1024); }
inline double value_of_c(std::size_t i) { return 2 + static_cast<double>(i % 512); }

// First element of a thread's chunk: on a page's border where that unbalances nobody.
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
inline void require_pages_of_their_own(std::size_t bytes_of_each, std::size_t page_bytes,
                                       std::size_t domains) {
    if (domains > 1 && page_bytes > base_page_bytes() && bytes_of_each < page_bytes) {
        throw UsageError("size: on " + std::to_string(domains) +
                         " NUMA domains every thread needs a huge page of each array for itself, " +
                         std::to_string(page_bytes) + " bytes: ask for larger arrays, fewer " +
                         "threads or base pages");
    }
}

struct alignas(128) ThreadSum {
    double value = std::numeric_limits<double>::quiet_NaN();
};

// The three arrays of one size, first touched by the threads that will sweep over them.
class Arrays {
   public:
    Arrays(std::size_t bytes, std::size_t page_bytes)
        : bytes_(bytes),
          buffers_{PageBuffer(bytes, page_bytes), PageBuffer(bytes + stagger_bytes, page_bytes),
                   PageBuffer(bytes + 2 * stagger_bytes, page_bytes)},
          sums_(static_cast<std::size_t>(omp_get_max_threads())) {
        if (bytes < threads() * granule_bytes || bytes % granule_bytes != 0) {
            throw UsageError("size: " + std::to_string(bytes) + " is not a multiple of " +
                             std::to_string(granule_bytes) + " with as much for each of " +
                             std::to_string(threads()) + " threads");
        }
        require_pages_of_their_own(bytes / threads(), page_bytes, domains_of_team());
        on_chunks([&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                b()[i] = value_of_b(i);
                c()[i] = value_of_c(i);
            }
        });
        reset();
        if (team_ != threads()) {
            throw std::runtime_error("the team has " + std::to_string(team_) + " threads of " +
                                     std::to_string(threads()) +
                                     ": unset OMP_DYNAMIC and "
                                     "OMP_THREAD_LIMIT");
        }
    }

    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] std::size_t threads() const { return sums_.size(); }
    [[nodiscard]] double* a() const { return at(0); }
    [[nodiscard]] double* b() const { return at(1); }
    [[nodiscard]] double* c() const { return at(2); }

    // a and the sums are no result of any kernel yet: not a number, or, for update, what it starts
    // from.
    void reset(bool for_update = false) {
        std::fill(sums_.begin(), sums_.end(), ThreadSum{});
        on_chunks([&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                a()[i] = for_update ? value_of_b(i) : std::numeric_limits<double>::quiet_NaN();
            }
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
                sums_[thread].value = kernel(chunk);
            }
            at_end(thread);
        }
    }

    void sweep(double (*kernel)(const Chunk&), double scalar, std::uint64_t sweeps) {
        sweep(kernel, scalar, sweeps, [](std::size_t) {});
    }

    // Of the elements of a; infinite where one was never written.
    template <class Expected>
    [[nodiscard]] double largest_relative_error(Expected expected_at) {
        double largest = 0;
        on_chunks([&](std::size_t begin, std::size_t end) {
            double worst = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const double expected = expected_at(i);
                const double error = std::abs(a()[i] - expected) / std::abs(expected);
                // An element never written is not a number: as wrong as can be.
                worst = error <= std::numeric_limits<double>::max()
                            ? std::max(worst, error)
                            : std::numeric_limits<double>::infinity();
            }
#pragma omp critical
            largest = std::max(largest, worst);
        });
        return largest;
    }

    // Of the sum over b that the threads of a reading sweep made.
    [[nodiscard]] double error_of_sum() const {
        const std::size_t count = bytes_ / sizeof(double);
        const auto sum_to = [](std::size_t n) { return n * (n + 1) / 2; };
        const std::size_t whole = count / 1024 * sum_to(1024) + sum_to(count % 1024);
        const auto expected = static_cast<double>(whole);
        double sum = 0;
        for (const ThreadSum& part : sums_) {
            sum += part.value;
        }
        return std::abs(sum - expected) / expected;
    }

    [[nodiscard]] std::size_t obtained_page_bytes() const {
        return least_obtained_page_bytes({buffers_.data(), &buffers_[1], &buffers_[2]});
    }

   private:
    // Equal offsets into pages make the arrays meet in the same sets and banks: about 5 % less.
    static constexpr std::size_t stagger_bytes = 4096 + 256;

    [[nodiscard]] double* at(std::size_t array) const {
        return buffers_[array].as<double>() + array * stagger_bytes / sizeof(double);
    }

    template <class Body>
    void on_chunks(Body body) {
#pragma omp parallel
        {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
#pragma omp single
            team_ = static_cast<std::size_t>(omp_get_num_threads());
            body(chunk_begin(bytes_, thread, threads()),
                 chunk_begin(bytes_, thread + 1, threads()));
        }
    }

    std::size_t bytes_;
    std::array<PageBuffer, 3> buffers_;
    std::vector<ThreadSum> sums_;
    std::size_t team_ = 0;
};

}  // namespace machmeter::stream
