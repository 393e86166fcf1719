// OpenMP constructs around a payload, and the payload without the construct: what is timed and what
// is checked are the same code with another payload. No clock here.
//
// After EPCC syncbench (Bull, EWOMP 1999), with references that differ from the construct by the
// construct alone: where all threads do the payload, all do it in the reference too.
#pragma once

#include <omp.h>

#include <cstdint>

namespace machmeter {

// `payload(thread, index)` is one piece of work; a piece belongs to one passage of the construct.
// The functions named `*_passages` are called by every thread of a team; the others make teams.

template <class Payload>
void parallel_regions(std::uint64_t count, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp parallel
        payload(omp_get_thread_num(), i);
    }
}

// Returns the sum over all regions of what the reduction gave: threads x count when it is right.
template <class Payload>
std::uint64_t reduction_regions(std::uint64_t count, Payload& payload) {
    std::uint64_t all = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
        {
            payload(omp_get_thread_num(), i);
            sum += 1;
        }
        all += sum;
    }
    return all;
}

// One iteration a thread, so that every thread does one piece a passage.
template <class Payload>
void for_passages(std::uint64_t count, Payload& payload) {
    const int iterations = omp_get_num_threads();
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp for schedule(static)
        for (int iteration = 0; iteration < iterations; ++iteration) {
            payload(iteration, i);
        }
    }
}

template <class Payload>
void barrier_passages(std::uint64_t count, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
        payload(omp_get_thread_num(), i);
#pragma omp barrier
    }
}

// One thread does each piece, whichever comes first; the others wait for it.
template <class Payload>
void single_passages(std::uint64_t count, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp single
        payload(omp_get_thread_num(), i);
    }
}

// `count` pieces in all, shared out between the threads, one at a time.
template <class Payload>
void critical_passages(std::uint64_t count, Payload& payload) {
    const auto threads = static_cast<std::uint64_t>(omp_get_num_threads());
    const auto thread = static_cast<std::uint64_t>(omp_get_thread_num());
    for (std::uint64_t i = count * thread / threads; i < count * (thread + 1) / threads; ++i) {
#pragma omp critical(machmeter_sync)
        payload(omp_get_thread_num(), i);
    }
}

// Reference where every thread does its own pieces at the same time: parallel, for, barrier,
// reduction.
template <class Payload>
void pieces_on_all(std::uint64_t count, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
        payload(omp_get_thread_num(), i);
    }
}

// Reference where the pieces come one after another: single, critical. The other threads wait.
template <class Payload>
void pieces_on_one(std::uint64_t count, Payload& payload) {
    for (std::uint64_t i = 0; omp_get_thread_num() == 0 && i < count; ++i) {
        payload(0, i);
    }
}

enum class Construct : std::uint8_t { parallel, loop, barrier, reduction, single, critical };

}  // namespace machmeter
