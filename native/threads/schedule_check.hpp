// Whether a loop does each iteration once, and hands out chunks as its schedule says (OpenMP 5.2,
// section 11.5.3).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "threads/schedules.hpp"

namespace machmeter {

// Who did each iteration of one loop, and whether any was done twice.
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

    // Dealt out in turn, `chunk` at a time, as static with a chunk promises.
    [[nodiscard]] bool dealt_in_turn(int threads, int chunk) const {
        bool right = true;
        for (std::size_t i = 0; i < owners_.size(); ++i) {
            const int turn = static_cast<int>(i) / chunk % threads;
            right = right && owners_[i] == turn;
        }
        return right;
    }

    // Pieces of `chunk` iterations that begin at its multiples stay with one thread, as dynamic
    // with a chunk promises.
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
            return owners.dealt_in_turn(threads, clause.chunk);
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
