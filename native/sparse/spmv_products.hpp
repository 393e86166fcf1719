// Products of a placed matrix with a vector, by schedule, and their times.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/clock/sampling.hpp"
#include "core/openmp/padding.hpp"
#include "core/session/node.hpp"
#include "sparse/spmv_kernels.hpp"
#include "sparse/spmv_matrix.hpp"

namespace machmeter::sparse {

// How rows are divided between threads: by OpenMP's schedules, or by a partition made beforehand.
enum class Schedule : std::uint8_t { fixed, dynamic, guided, balanced };

inline constexpr int dynamic_chunk = 256;

// Throws UsageError.
inline Schedule schedule_of(const Parameters& point) {
    return point.choice<Schedule>("schedule", {{"static", Schedule::fixed},
                                               {"dynamic", Schedule::dynamic},
                                               {"guided", Schedule::guided},
                                               {"balanced", Schedule::balanced}});
}

// Every thread of a team calls this once a product; no thread waits for another.
template <class RowProduct>
void multiply_share(const PlacedMatrix& matrix, Schedule schedule, std::size_t thread) {
    const std::uint64_t* offsets = matrix.offsets();
    const Column* columns = matrix.column_of();
    const double* values = matrix.values();
    const double* x = matrix.x();
    double* y = matrix.y();
    const std::size_t rows = matrix.rows();
    const auto multiply_row = [=](std::size_t row) {
        const std::uint64_t begin = offsets[row];
        y[row] = RowProduct{}(columns + begin, values + begin, offsets[row + 1] - begin, x);
    };
    switch (schedule) {
        case Schedule::fixed:
#pragma omp for schedule(static) nowait
            for (std::size_t row = 0; row < rows; ++row) {
                multiply_row(row);
            }
            break;
        case Schedule::dynamic:
#pragma omp for schedule(dynamic, dynamic_chunk) nowait
            for (std::size_t row = 0; row < rows; ++row) {
                multiply_row(row);
            }
            break;
        case Schedule::guided:
#pragma omp for schedule(guided) nowait
            for (std::size_t row = 0; row < rows; ++row) {
                multiply_row(row);
            }
            break;
        case Schedule::balanced:
            for (std::size_t row = matrix.parts()[thread]; row < matrix.parts()[thread + 1];
                 ++row) {
                multiply_row(row);
            }
            break;
    }
}

// Seconds of one product: of all of it, of the slowest thread, of the mean thread.
struct ProductTimes {
    std::vector<double> whole;
    std::vector<double> slowest;
    std::vector<double> mean;
    std::uint64_t batch = 1;
};

class Products {
   public:
    Products(const Clock& clock, const PlacedMatrix& matrix, Schedule schedule, bool has_runs)
        : clock_(clock),
          matrix_(matrix),
          schedule_(schedule),
          share_(has_runs ? &multiply_share<RunsProduct> : &multiply_share<ScatteredProduct>),
          own_(matrix.threads()) {}

    void run(std::uint64_t products) {
        for (std::uint64_t i = 0; i < products; ++i) {
#pragma omp parallel num_threads(static_cast<int>(own_.size()))
            {
                const auto thread = static_cast<std::size_t>(omp_get_thread_num());
                const std::uint64_t begin = clock_.now();
                share_(matrix_, schedule_, thread);
                own_[thread].nanoseconds += clock_.now() - begin;
            }
        }
    }

    ProductTimes sample(NodeSession& session) {
        run(1);
        const double seconds =
            calibrate(session.clock_facts(), session.event([this](std::uint64_t n) { run(n); }));
        SamplingPlan plan = plan_sampling(seconds, session.clock_facts(), session.limits());
        const double expected = seconds * static_cast<double>(plan.batch * plan.samples);
        plan.most_seconds = longest_over_planned * std::max(session.limits().seconds, expected);
        return take(session, plan);
    }

    // A plan's samples; fewer where they take longer than it allows.
    ProductTimes take(NodeSession& session, const SamplingPlan& plan) {
        ProductTimes times;
        times.batch = plan.batch;
        const auto timed = [&](std::uint64_t products) {
            std::fill(own_.begin(), own_.end(), ThreadTime{});
            const double seconds = time_alone(clock_, [&] { run(products); });
            times.slowest.push_back(slowest_seconds() / static_cast<double>(products));
            times.mean.push_back(mean_seconds() / static_cast<double>(products));
            return seconds;
        };
        const Samples taken = take_samples(plan, timed);
        session.add_timed(taken.timed_seconds);
        times.whole = taken.seconds;
        return times;
    }

   private:
    struct alignas(padded_bytes) ThreadTime {
        std::uint64_t nanoseconds = 0;
    };

    [[nodiscard]] double slowest_seconds() const {
        std::uint64_t longest = 0;
        for (const ThreadTime& time : own_) {
            longest = std::max(longest, time.nanoseconds);
        }
        return static_cast<double>(longest) / 1e9;
    }

    [[nodiscard]] double mean_seconds() const {
        double sum = 0;
        for (const ThreadTime& time : own_) {
            sum += static_cast<double>(time.nanoseconds);
        }
        return sum / 1e9 / static_cast<double>(own_.size());
    }

    Clock clock_;
    const PlacedMatrix& matrix_;
    Schedule schedule_;
    void (*share_)(const PlacedMatrix&, Schedule, std::size_t);
    std::vector<ThreadTime> own_;
};

}  // namespace machmeter::sparse
