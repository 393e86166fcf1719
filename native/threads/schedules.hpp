// Worksharing loops under each schedule around a payload, the same iterations divided by hand, and
// whether a loop does each iteration once, in chunks as its schedule specifies (OpenMP 5.2, section
// 11.5.3). No clock here.
//
// The schedule is in the clause, not behind schedule(runtime): that is what programs have, and
// compilers turn schedule(static) into arithmetic where `runtime` calls the runtime library.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/openmp/padding.hpp"

namespace machmeter {

enum class Schedule : std::uint8_t { static_, dynamic, guided, auto_ };

// chunk: iterations that a thread gets at once; 0 leaves it out of the clause.
struct ScheduleClause {
    Schedule schedule = Schedule::static_;
    int chunk = 0;
};

// Iterations that each thread did; each number has its own cache line.
class IterationsDone {
   public:
    explicit IterationsDone(int threads) : lines_(static_cast<std::size_t>(threads)) {}

    void set(int thread, std::uint64_t iterations) {
        lines_[static_cast<std::size_t>(thread)].iterations = iterations;
    }

    [[nodiscard]] std::uint64_t of(int thread) const {
        return lines_[static_cast<std::size_t>(thread)].iterations;
    }

    [[nodiscard]] std::uint64_t sum() const {
        std::uint64_t all = 0;
        for (const Line& line : lines_) {
            all += line.iterations;
        }
        return all;
    }

   private:
    struct alignas(padded_bytes) Line {
        std::uint64_t iterations = 0;
    };

    std::vector<Line> lines_;
};

// One loop under each schedule, called by every thread of a team. No barrier at the end: it is no
// part of the schedule.
template <class Iteration>
void static_loop(int chunk, int iterations, Iteration& iteration) {
    if (chunk == 0) {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < iterations; ++i) {
            iteration(i);
        }
    } else {
#pragma omp for schedule(static, chunk) nowait
        for (int i = 0; i < iterations; ++i) {
            iteration(i);
        }
    }
}

template <class Iteration>
void dynamic_loop(int chunk, int iterations, Iteration& iteration) {
    if (chunk == 0) {
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < iterations; ++i) {
            iteration(i);
        }
    } else {
#pragma omp for schedule(dynamic, chunk) nowait
        for (int i = 0; i < iterations; ++i) {
            iteration(i);
        }
    }
}

template <class Iteration>
void guided_loop(int chunk, int iterations, Iteration& iteration) {
    if (chunk == 0) {
#pragma omp for schedule(guided) nowait
        for (int i = 0; i < iterations; ++i) {
            iteration(i);
        }
    } else {
#pragma omp for schedule(guided, chunk) nowait
        for (int i = 0; i < iterations; ++i) {
            iteration(i);
        }
    }
}

template <class Iteration>
void auto_loop(int iterations, Iteration& iteration) {
#pragma omp for schedule(auto) nowait
    for (int i = 0; i < iterations; ++i) {
        iteration(i);
    }
}

template <class Iteration>
void scheduled_loop(ScheduleClause clause, int iterations, Iteration& iteration) {
    switch (clause.schedule) {
        case Schedule::static_:
            return static_loop(clause.chunk, iterations, iteration);
        case Schedule::dynamic:
            return dynamic_loop(clause.chunk, iterations, iteration);
        case Schedule::guided:
            return guided_loop(clause.chunk, iterations, iteration);
        case Schedule::auto_:
            return auto_loop(iterations, iteration);
    }
}

// Every thread of a team calls this: `count` loops of `iterations`. `payload(thread, iteration)` is
// one iteration. Returns the iterations that the calling thread did.
template <class Payload>
std::uint64_t scheduled_loops(ScheduleClause clause, std::uint64_t count, int iterations,
                              Payload& payload) {
    const int thread = omp_get_thread_num();
    std::uint64_t done = 0;
    auto one = [&](int iteration) {
        payload(thread, iteration);
        ++done;
    };
    for (std::uint64_t loop = 0; loop < count; ++loop) {
        scheduled_loop(clause, iterations, one);
    }
    return done;
}

// Reference: as many iterations as the calling thread did under the schedule, by hand.
template <class Payload>
std::uint64_t loops_by_hand(std::uint64_t iterations, Payload& payload) {
    const int thread = omp_get_thread_num();
    std::uint64_t done = 0;
    for (std::uint64_t i = 0; i < iterations; ++i) {
        payload(thread, static_cast<int>(i));
        ++done;
    }
    return done;
}

// Which thread did each iteration of one loop, and whether any was done twice.
class IterationOwners {
   public:
    explicit IterationOwners(int iterations) : owners_(static_cast<std::size_t>(iterations)) {
        for (auto& owner : owners_) {
            owner = nobody;
        }
    }

    void operator()(int thread, int iteration) {
        int expected = nobody;
        if (!owners_[static_cast<std::size_t>(iteration)].compare_exchange_strong(expected,
                                                                                  thread)) {
            twice_ = true;
        }
    }

    [[nodiscard]] bool each_once() const {
        return !twice_ && std::all_of(owners_.begin(), owners_.end(),
                                      [](const auto& owner) { return owner != nobody; });
    }

    // In turn over the threads, `chunk` at a time, as static with a chunk guarantees.
    [[nodiscard]] bool static_in_turn(int threads, int chunk) const {
        bool right = true;
        for (std::size_t i = 0; i < owners_.size(); ++i) {
            const int turn = static_cast<int>(i) / chunk % threads;
            right = right && owners_[i] == turn;
        }
        return right;
    }

    // Pieces of `chunk` iterations that begin at its multiples stay with one thread, as dynamic
    // with a chunk guarantees.
    [[nodiscard]] bool chunks_are_whole(int chunk) const {
        bool right = true;
        for (std::size_t i = 1; i < owners_.size(); ++i) {
            const bool begins = i % static_cast<std::size_t>(chunk) == 0;
            right = right && (begins || owners_[i] == owners_[i - 1]);
        }
        return right;
    }

   private:
    static constexpr int nobody = -1;

    std::vector<std::atomic<int>> owners_;
    std::atomic<bool> twice_ = false;
};

inline bool as_scheduled(const IterationOwners& owners, ScheduleClause clause, int threads) {
    if (!owners.each_once()) {
        return false;
    }
    if (clause.chunk == 0) {
        return true;
    }
    switch (clause.schedule) {
        case Schedule::static_:
            return owners.static_in_turn(threads, clause.chunk);
        case Schedule::dynamic:
            return owners.chunks_are_whole(clause.chunk);
        case Schedule::guided:
        case Schedule::auto_:
            return true;
    }
    return false;
}

inline bool schedule_is_right(ScheduleClause clause, int threads, int iterations) {
    IterationOwners owners(iterations);
    std::atomic<std::uint64_t> done = 0;
#pragma omp parallel num_threads(threads)
    done += scheduled_loops(clause, 1, iterations, owners);
    return done == static_cast<std::uint64_t>(iterations) && as_scheduled(owners, clause, threads);
}

}  // namespace machmeter
