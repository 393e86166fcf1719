// Blocks of fused multiply-adds on every core, checked, and the clock of the cores after each.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compute/fma_kernels.hpp"
#include "compute/multiply_chain.hpp"
#include "core/openmp/padding.hpp"
#include "core/openmp/team_clock.hpp"

namespace machmeter::compute {

// In every step each lane of a chain grows by their product, 0.75. All sums of a block are exact in
// single precision too.
inline constexpr double fma_factor = 3;
inline constexpr double fma_term = 0.25;
inline constexpr std::uint64_t steps_of_block = std::uint64_t{1} << 17U;

// What one thread computes. numbers: its registers; totals: of each lane over all blocks.
template <class Number>
struct alignas(polled_bytes) Lanes {
    static constexpr std::size_t most = widest_register_bytes / sizeof(Number);
    alignas(widest_register_bytes) Number numbers[registers * most];
    std::vector<double> totals;
    std::uint32_t product = 1;
    double multiply_seconds = 0;
};

// Where a lane starts in each block: other lanes start elsewhere.
inline double start_of(std::size_t lane) { return static_cast<double>(lane % 64); }

template <class Number>
class Blocks {
   public:
    Blocks(const Clock& clock, const Kernel<Number>& kernel)
        : clock_(clock),
          kernel_(kernel),
          threads_(static_cast<std::size_t>(omp_get_max_threads())),
          team_(clock, static_cast<int>(threads_)),
          own_(threads_) {
        for (Lanes<Number>& own : own_) {
            own.totals.assign(lanes(), 0);
        }
    }

    [[nodiscard]] std::size_t threads() const { return threads_; }
    [[nodiscard]] double flops() const {
        return 2.0 * static_cast<double>(steps_of_block * lanes() * threads_);
    }

    // Seconds of so many blocks on every thread, then one chain of multiplications.
    double operator()(std::uint64_t blocks) {
        blocks_ += blocks;
        ++chains_;
        const double seconds = team_.time([&] {
            Lanes<Number>& own = own_[static_cast<std::size_t>(omp_get_thread_num())];
            for (std::uint64_t i = 0; i < blocks; ++i) {
                run_block(own);
            }
        });
        multiply_seconds_.push_back(time_multiplications());
        return seconds;
    }

    // Of the last samples: seconds of a chain, the mean of all threads.
    [[nodiscard]] std::vector<double> multiply_seconds(std::size_t samples) const {
        const auto count = std::min(samples, multiply_seconds_.size());
        return {multiply_seconds_.end() - static_cast<std::ptrdiff_t>(count),
                multiply_seconds_.end()};
    }

    // Lanes, of all threads, whose sum is not that of all blocks that ran.
    [[nodiscard]] std::size_t wrong_lanes() const {
        const double grown = static_cast<double>(steps_of_block) * fma_factor * fma_term;
        std::size_t wrong = 0;
        for (const Lanes<Number>& own : own_) {
            for (std::size_t lane = 0; lane < lanes(); ++lane) {
                const double expected = static_cast<double>(blocks_) * (start_of(lane) + grown);
                wrong += own.totals[lane] == expected ? 0 : 1;
            }
        }
        return wrong;
    }

    [[nodiscard]] bool multiplied() const {
        const std::uint32_t expected = product_of_chain(1, chains_ * multiplications_of_chain);
        return std::all_of(own_.begin(), own_.end(),
                           [&](const Lanes<Number>& own) { return own.product == expected; });
    }

   private:
    [[nodiscard]] std::size_t lanes() const { return chains * kernel_.lanes; }

    void run_block(Lanes<Number>& own) const {
        for (std::size_t lane = 0; lane < lanes(); ++lane) {
            own.numbers[lane] = static_cast<Number>(start_of(lane));
        }
        std::fill_n(own.numbers + lanes(), kernel_.lanes, Number{fma_factor});
        std::fill_n(own.numbers + lanes() + kernel_.lanes, kernel_.lanes, Number{fma_term});
        kernel_.run(own.numbers, steps_of_block);
        for (std::size_t lane = 0; lane < lanes(); ++lane) {
            own.totals[lane] += static_cast<double>(own.numbers[lane]);
        }
    }

    double time_multiplications() {
        team_.time([&] {
            Lanes<Number>& own = own_[static_cast<std::size_t>(omp_get_thread_num())];
            own.multiply_seconds = time_alone(clock_, [&] {
                own.product = multiply_chain(own.product, multiplications_of_chain);
            });
        });
        double sum = 0;
        for (const Lanes<Number>& own : own_) {
            sum += own.multiply_seconds;
        }
        return sum / static_cast<double>(threads_);
    }

    Clock clock_;
    Kernel<Number> kernel_;
    std::size_t threads_;
    TeamClock team_;
    std::vector<Lanes<Number>> own_;
    std::uint64_t blocks_ = 0;
    std::uint64_t chains_ = 0;
    std::vector<double> multiply_seconds_;
};

}  // namespace machmeter::compute
