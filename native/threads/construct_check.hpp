// Whether a construct does what OpenMP specifies (OpenMP 5.2, chapters 5, 10, 11, 12 and 15).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/clock/work.hpp"
#include "core/openmp/padding.hpp"
#include "threads/constructs.hpp"

namespace machmeter {

// Pieces done, by thread or iteration; each has its own cache line.
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
    struct alignas(padded_bytes) Line {
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

// Counts pieces, and checks that before piece i all threads, or the piece's own, had done all of
// theirs before i.
class PiecesInStep {
   public:
    explicit PiecesInStep(int threads) : counts_(threads) {}

    void wait_for_all(int thread, std::uint64_t index) {
        for (std::size_t other = 0; other < counts_.threads(); ++other) {
            wait_for(other, index);
        }
        counts_(thread, index);
    }

    void wait_for_own(int thread, std::uint64_t index) {
        wait_for(static_cast<std::size_t>(thread), index);
        counts_(thread, index);
    }

    [[nodiscard]] bool right(std::uint64_t count) const {
        return in_step_ && counts_.each_is(count);
    }

   private:
    void wait_for(std::size_t other, std::uint64_t index) {
        if (counts_.of(other) < index) {
            in_step_ = false;
        }
    }

    PieceCounts counts_;
    std::atomic<bool> in_step_ = true;
};

// Each piece once, and none begins before all of the passage before have ended. `passages(payload)`
// is called by every thread of a team.
template <class Passages>
bool all_in_step(int threads, std::uint64_t count, Passages&& passages) {
    PiecesInStep pieces(threads);
    auto payload = [&](int thread, std::uint64_t index) { pieces.wait_for_all(thread, index); };
#pragma omp parallel num_threads(threads)
    passages(payload);
    return pieces.right(count);
}

inline bool parallel_loop_is_right(int threads, std::uint64_t count) {
    PiecesInStep pieces(threads);
    auto payload = [&](int iteration, std::uint64_t index) {
        pieces.wait_for_all(iteration, index);
    };
    parallel_for_regions(count, payload);
    return pieces.right(count);
}

// Counts the instances of a construct that one thread enters, and checks that each began when the
// one before it had ended.
class InstancesInTurn {
   public:
    explicit InstancesInTurn(std::uint64_t count) : times_(count) {}

    void operator()(int thread, std::uint64_t index) {
        if (index > 0 && times_[index - 1] != 1) {
            in_turn_ = false;
        }
        // Long enough for another thread to begin the next instance if it does not wait.
        work(static_cast<std::uint64_t>(thread), instance_steps);
        ++times_[index];
    }

    // Each once: every index was seen by exactly one thread.
    [[nodiscard]] bool right() const {
        return in_turn_ && std::all_of(times_.begin(), times_.end(),
                                       [](const auto& seen) { return seen == 1; });
    }

   private:
    static constexpr std::uint64_t instance_steps = 128;

    std::vector<std::atomic<std::uint64_t>> times_;
    std::atomic<bool> in_turn_ = true;
};

inline bool single_is_right(int threads, std::uint64_t count) {
    InstancesInTurn instances(count);
#pragma omp parallel num_threads(threads)
    single_passages(count, instances);
    return instances.right();
}

// A count that is not atomic is right only if one thread at a time was inside.
template <class Passages>
bool one_at_a_time(int threads, std::uint64_t count, Passages&& passages) {
    volatile std::uint64_t unguarded = 0;
    auto payload = [&](int /*thread*/, std::uint64_t /*index*/) { unguarded = unguarded + 1; };
#pragma omp parallel num_threads(threads)
    passages(payload);
    return unguarded == count;
}

// One at a time, and piece i is the i-th.
inline bool ordered_is_right(int threads, std::uint64_t count) {
    std::atomic<std::uint64_t> next = 0;
    std::atomic<bool> in_order = true;
    auto payload = [&](int /*thread*/, std::uint64_t index) {
        if (next.load(std::memory_order_relaxed) != index) {
            in_order = false;
        }
        next.store(index + 1, std::memory_order_relaxed);
    };
#pragma omp parallel num_threads(threads)
    ordered_passages(count, payload);
    return in_order && next == count;
}

// No update is lost: whole numbers this small are exact in a double.
inline bool atomic_is_right(int threads, std::uint64_t count) {
    Sum sum;
#pragma omp parallel num_threads(threads)
    atomic_passages(count, sum);
    return sum.value == static_cast<double>(count);
}

// Each task once, and all done when their creator has waited for them.
inline bool task_is_right(int threads, std::uint64_t count) {
    PieceCounts counts(threads);
    std::atomic<bool> waited = true;
#pragma omp parallel num_threads(threads)
    {
        task_passages(count, counts);
        if (counts.of(static_cast<std::size_t>(omp_get_thread_num())) != count) {
            waited = false;
        }
    }
    return waited && counts.each_is(count);
}

inline bool taskwait_is_right(int threads, std::uint64_t count) {
    PiecesInStep pieces(threads);
    auto payload = [&](int creator, std::uint64_t index) { pieces.wait_for_own(creator, index); };
#pragma omp parallel num_threads(threads)
    taskwait_passages(count, payload);
    return pieces.right(count);
}

inline bool construct_is_right(Construct construct, int threads, std::uint64_t count) {
    switch (construct) {
        case Construct::parallel:
            return parallel_is_right(threads, count);
        case Construct::loop:
            return all_in_step(threads, count, [=](auto& work) { for_passages(count, work); });
        case Construct::parallel_loop:
            return parallel_loop_is_right(threads, count);
        case Construct::barrier:
            return all_in_step(threads, count, [=](auto& work) { barrier_passages(count, work); });
        case Construct::reduction:
            return reduction_is_right(threads, count);
        case Construct::single:
            return single_is_right(threads, count);
        case Construct::critical:
            return one_at_a_time(threads, count,
                                 [=](auto& work) { critical_passages(count, work); });
        case Construct::lock: {
            Lock lock;
            return one_at_a_time(threads, count,
                                 [&](auto& work) { lock_passages(count, lock, work); });
        }
        case Construct::ordered:
            return ordered_is_right(threads, count);
        case Construct::atomic:
            return atomic_is_right(threads, count);
        case Construct::task:
            return task_is_right(threads, count);
        case Construct::taskwait:
            return taskwait_is_right(threads, count);
        case Construct::taskloop:
            return all_in_step(threads, count, [=](auto& work) { taskloop_passages(count, work); });
    }
    return false;
}

}  // namespace machmeter
