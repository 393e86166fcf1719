// Outer and inner teams of threads as the layout asks for them, and a walk over all of them.
#pragma once

#include <omp.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace machmeter {

// Thread i of the inner team of outer thread t counts as thread t * inner + i.
struct Teams {
    int outer = 1;
    int inner = 1;

    [[nodiscard]] int threads() const { return outer * inner; }
};

// The sizes that OMP_NUM_THREADS gives: inner teams have one thread where it names no second size
// or regions may not be nested (OMP_MAX_ACTIVE_LEVELS).
inline Teams asked_teams() {
    Teams teams{omp_get_max_threads(), 1};
    if (omp_get_max_active_levels() < 2) {
        return teams;
    }
#pragma omp parallel num_threads(teams.outer)
    if (omp_get_thread_num() == 0) {
        teams.inner = omp_get_max_threads();
    }
    return teams;
}

// `body(thread)` once on every thread of every inner team, at the same time. A team of one is a
// team too: a barrier inside `body` is that of the inner team.
template <class Body>
void on_every_thread(const Teams& teams, Body&& body) {
#pragma omp parallel num_threads(teams.outer)
    {
        const int first = omp_get_thread_num() * teams.inner;
#pragma omp parallel num_threads(teams.inner)
        body(first + omp_get_thread_num());
    }
}

// A team that waits for a thread that never comes waits for ever: an error while it can be told.
inline void require_whole(const Teams& teams) {
    std::atomic<int> threads = 0;
    on_every_thread(teams, [&](int /*thread*/) { ++threads; });
    if (threads != teams.threads()) {
        throw std::runtime_error(
            "OpenMP gave " + std::to_string(threads) + " threads where " +
            std::to_string(teams.outer) + " x " + std::to_string(teams.inner) +
            " were asked for: see OMP_DYNAMIC, OMP_THREAD_LIMIT and OMP_MAX_ACTIVE_LEVELS");
    }
}

}  // namespace machmeter
