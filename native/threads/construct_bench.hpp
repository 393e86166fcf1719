// Passages of an OpenMP construct around a delay of fixed work, timed, and their reference.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "core/clock/work.hpp"
#include "core/openmp/team_clock.hpp"
#include "threads/constructs.hpp"

namespace machmeter {

inline constexpr std::uint64_t delay_steps = 128;

struct Delay {
    void operator()(int thread, std::uint64_t /*index*/) const {
        work(static_cast<std::uint64_t>(thread), delay_steps);
    }
};

class ConstructBench {
   public:
    ConstructBench(const Clock& clock, Construct construct)
        : clock_(clock),
          threads_(omp_get_max_threads()),
          team_(clock, threads_),
          construct_(construct) {}

    // Seconds of `count` passages.
    double test(std::uint64_t count) {
        passages_ += count;
        switch (construct_) {
            case Construct::parallel:
                return time_alone(clock_, [&] { parallel_regions(count, delay_); });
            case Construct::reduction:
                return time_alone(clock_, [&] { reduction_regions(count, delay_); });
            case Construct::parallel_loop:
                return time_alone(clock_, [&] { parallel_for_regions(count, delay_); });
            case Construct::loop:
                return team_.time([&] { for_passages(count, delay_); });
            case Construct::barrier:
                return team_.time([&] { barrier_passages(count, delay_); });
            case Construct::single:
                return team_.time([&] { single_passages(count, delay_); });
            case Construct::critical:
                return team_.time([&] { critical_passages(count, delay_); });
            case Construct::lock:
                return team_.time([&] { lock_passages(count, lock_, delay_); });
            case Construct::ordered:
                return team_.time([&] { ordered_passages(count, delay_); });
            case Construct::atomic:
                return team_.time([&] { atomic_passages(count, shared_sum_); });
            case Construct::task:
                return team_.time([&] { task_passages(count, delay_); });
            case Construct::taskwait:
                return team_.time([&] { taskwait_passages(count, delay_); });
            case Construct::taskloop:
                return team_.time_of_slowest([&] { taskloop_passages(count, delay_); });
        }
        return 0;
    }

    // Seconds of the same pieces without the construct. The uneven start of a team is in the
    // reference only where the test contains all of it too: not where one thread takes the time of
    // the test, nor where the others can do the work of a thread that is late.
    double reference(std::uint64_t count) {
        switch (construct_) {
            case Construct::loop:
            case Construct::barrier:
                return team_.time([&] { pieces_on_all(count, delay_); });
            case Construct::single:
            case Construct::critical:
            case Construct::lock:
            case Construct::ordered:
                turn_ = (turn_ + 1) % threads_;
                return team_.time_of_slowest([&] { pieces_on_one(turn_, count, delay_); });
            case Construct::atomic:
                return team_.time_of_slowest([&] {
                    Sum own;
                    plain_updates(count, own);
                });
            case Construct::parallel:
            case Construct::parallel_loop:
            case Construct::reduction:
            case Construct::task:
            case Construct::taskwait:
            case Construct::taskloop:
                return team_.time_of_slowest([&] { pieces_on_all(count, delay_); });
        }
        return 0;
    }

    // Whether all atomic updates that were timed have arrived.
    [[nodiscard]] bool all_updated() const {
        return construct_ != Construct::atomic ||
               shared_sum_.value == static_cast<double>(passages_);
    }

   private:
    Clock clock_;
    int threads_;
    int turn_ = 0;
    std::uint64_t passages_ = 0;
    TeamClock team_;
    Construct construct_;
    Delay delay_;
    Lock lock_;
    Sum shared_sum_;
};

// At least one a thread.
inline std::uint64_t fewest_passages(int threads) {
    return std::max<std::uint64_t>(32, static_cast<std::uint64_t>(threads));
}

// Every thread has a few turns in the constructs that give out pieces one by one.
inline std::uint64_t checked_passages(int threads) {
    return std::max<std::uint64_t>(200, 4 * static_cast<std::uint64_t>(threads));
}

}  // namespace machmeter
