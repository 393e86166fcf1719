// Outer and inner teams of threads as the layout requests them, and a walk over all of them.
#pragma once

#include <omp.h>

#include <cstddef>

namespace machmeter {

// Thread i of the inner team of outer thread t counts as thread t * inner + i.
struct Teams {
    int outer = 1;
    int inner = 1;

    [[nodiscard]] int threads() const { return outer * inner; }
};

// The sizes that OMP_NUM_THREADS gives: inner teams have one thread where it names no second size
// or nesting is off (OMP_MAX_ACTIVE_LEVELS).
Teams requested_teams();

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

// A team smaller than requested is an error, not a slower measurement: these throw
// std::runtime_error. A thread that never comes would be waited for forever.
void require_team(std::size_t threads, std::size_t requested);
void require_whole(const Teams& teams);

// NUMA domains that the threads of a team of this process run on.
std::size_t domains_of_team();

}  // namespace machmeter
