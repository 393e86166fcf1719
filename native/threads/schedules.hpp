// Worksharing loops under each schedule around a payload, and the same iterations shared out by
// hand. No clock here.
//
// The schedule stands in the clause and not behind schedule(runtime): that is what programs have,
// and compilers turn schedule(static) into arithmetic where `runtime` asks the runtime library.
#pragma once

#include <omp.h>

#include <cstdint>
#include <vector>

namespace machmeter {

enum class Schedule : std::uint8_t { static_, dynamic, guided, auto_ };

// chunk: iterations handed out at once; 0 leaves it out of the clause.
struct ScheduleClause {
    Schedule schedule = Schedule::static_;
    int chunk = 0;
};

// Iterations that each thread did; each number has a cache line of its own.
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
    struct alignas(64) Line {
        std::uint64_t iterations = 0;
    };

    std::vector<Line> lines_;
};

// One loop under each schedule, called by every thread of a team. No barrier at the end, for that
// is no part of the schedule.
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

}  // namespace machmeter
