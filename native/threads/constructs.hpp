// OpenMP constructs around a payload, and the payload without the construct: what is timed and what
// is checked are the same code with another payload. No clock here.
//
// After EPCC syncbench (Bull, EWOMP 1999) and taskbench (Bull, Reid, McDonnell, IWOMP 2012:
// PARALLEL TASK, TASK WAIT; taskloop has no counterpart there). Each reference differs from its
// construct by the construct alone: where all threads do the payload, all do it in the reference
// too.
#pragma once

#include <omp.h>

#include <cstdint>

#include "core/openmp/padding.hpp"

namespace machmeter {

enum class Construct : std::uint8_t {
    parallel,
    loop,
    parallel_loop,
    barrier,
    reduction,
    single,
    critical,
    lock,
    ordered,
    atomic,
    task,
    taskwait,
    taskloop
};

// `payload(thread, index)` is one piece of work; a piece belongs to one passage of the construct.
// The functions named `*_passages` are called by every thread of a team; the others make teams.

template <class Payload>
void parallel_regions(std::uint64_t count, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp parallel
        payload(omp_get_thread_num(), i);
    }
}

// One iteration a thread, so that every thread does one piece a region.
template <class Payload>
void parallel_for_regions(std::uint64_t count, Payload& payload) {
    const int iterations = omp_get_max_threads();
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp parallel for schedule(static)
        for (int iteration = 0; iteration < iterations; ++iteration) {
            payload(iteration, i);
        }
    }
}

// Returns the sum of the reductions of all regions: threads x count when they are right.
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

// The calling thread's share of `count` passages.
struct Share {
    std::uint64_t begin;
    std::uint64_t end;
};

inline Share own_share(std::uint64_t count) {
    const auto threads = static_cast<std::uint64_t>(omp_get_num_threads());
    const auto thread = static_cast<std::uint64_t>(omp_get_thread_num());
    return {count * thread / threads, count * (thread + 1) / threads};
}

// `count` pieces in all, divided between the threads, one at a time.
template <class Payload>
void critical_passages(std::uint64_t count, Payload& payload) {
    const Share own = own_share(count);
    for (std::uint64_t i = own.begin; i < own.end; ++i) {
#pragma omp critical(machmeter_sync)
        payload(omp_get_thread_num(), i);
    }
}

class Lock {
   public:
    Lock() { omp_init_lock(&lock_); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() { omp_destroy_lock(&lock_); }

    void set() { omp_set_lock(&lock_); }
    void unset() { omp_unset_lock(&lock_); }

   private:
    omp_lock_t lock_{};
};

// As critical_passages, between a lock that is set and unset.
template <class Payload>
void lock_passages(std::uint64_t count, Lock& lock, Payload& payload) {
    const Share own = own_share(count);
    for (std::uint64_t i = own.begin; i < own.end; ++i) {
        lock.set();
        payload(omp_get_thread_num(), i);
        lock.unset();
    }
}

// Iterations in turn over the threads; the pieces are done in the order of the iterations. No
// barrier at the end: each thread reads the clock for itself.
template <class Payload>
void ordered_passages(std::uint64_t count, Payload& payload) {
#pragma omp for ordered schedule(static, 1) nowait
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp ordered
        payload(omp_get_thread_num(), i);
    }
}

struct alignas(padded_bytes) Sum {
    double value = 0;
};

// `count` updates of one number in all, divided between the threads. An atomic holds nothing but
// its update, so there is no payload; double, as in syncbench.
inline void atomic_passages(std::uint64_t count, Sum& sum) {
    const Share own = own_share(count);
    for (std::uint64_t i = own.begin; i < own.end; ++i) {
#pragma omp atomic
        sum.value += 1.0;
    }
}

// Reference of atomic: the same share of plain updates, in memory, of the thread's own number.
inline void plain_updates(std::uint64_t count, Sum& own_sum) {
    const Share own = own_share(count);
    for (std::uint64_t i = own.begin; i < own.end; ++i) {
        own_sum.value += 1.0;
        asm volatile("" : "+m"(own_sum.value));
    }
}

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

// Reference where every thread does its own pieces at the same time; also that of the tasks.
template <class Payload>
void pieces_on_all(std::uint64_t count, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
        payload(omp_get_thread_num(), i);
    }
}

// Reference where the pieces come one after another, on one thread. The other threads wait.
template <class Payload>
void pieces_on_one(int thread, std::uint64_t count, Payload& payload) {
    for (std::uint64_t i = 0; omp_get_thread_num() == thread && i < count; ++i) {
        payload(thread, i);
    }
}

}  // namespace machmeter
