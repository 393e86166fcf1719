// Explicit tasks around a payload, as constructs.hpp has the other constructs. After EPCC taskbench
// (Bull, Reid, McDonnell, IWOMP 2012: PARALLEL TASK, TASK WAIT); taskloop has no counterpart there.
//
// The reference of all three is pieces_on_all: the same pieces done by the threads themselves.
#pragma once

#include <omp.h>

#include <cstdint>

namespace machmeter {

// Every thread creates `count` tasks and then waits for them; any thread may do them.
template <class Payload>
void task_passages(std::uint64_t count, Payload& payload) {
    const int creator = omp_get_thread_num();
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp task default(none) shared(payload) firstprivate(creator, i)
        payload(creator, i);
    }
#pragma omp taskwait
}

// Every thread creates one task a passage and waits for it before the next.
template <class Payload>
void taskwait_passages(std::uint64_t count, Payload& payload) {
    const int creator = omp_get_thread_num();
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp task default(none) shared(payload) firstprivate(creator, i)
        payload(creator, i);
#pragma omp taskwait
    }
}

// The first thread splits a loop of one iteration a thread into as many tasks, and waits for them
// (a taskloop is a taskgroup); the others take tasks at the barrier that ends the region.
template <class Payload>
void taskloop_passages(std::uint64_t count, Payload& payload) {
    const auto iterations = static_cast<std::uint64_t>(omp_get_num_threads());
    for (std::uint64_t i = 0; omp_get_thread_num() == 0 && i < count; ++i) {
#pragma omp taskloop grainsize(1) default(none) shared(payload) firstprivate(i, iterations)
        for (std::uint64_t iteration = 0; iteration < iterations; ++iteration) {
            payload(static_cast<int>(iteration), i);
        }
    }
}

}  // namespace machmeter
