// Time of what every thread of a team does: of the whole team, or of its slowest thread.
#pragma once

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/clock/clock.hpp"

namespace machmeter {

// Threads that arrive spin until all are there, whatever the wait policy of the runtime: they leave
// within one line transfer of each other, where a barrier that sleeps would leave some late.
class Rendezvous {
   public:
    // `round` counts the meetings of this team so far.
    void arrive(std::uint64_t round, std::uint64_t threads) {
        constexpr std::uint64_t patience = 10'000;
        const std::uint64_t all = (round + 1) * threads;
        arrived_.fetch_add(1, std::memory_order_acq_rel);
        for (std::uint64_t spins = 0; arrived_.load(std::memory_order_acquire) < all; ++spins) {
            // More threads than CPUs: let the others come.
            if (spins >= patience) {
                sched_yield();
            }
        }
    }

   private:
    alignas(64) std::atomic<std::uint64_t> arrived_ = 0;
};

// Each thread reads the clock for itself, so that no closing barrier is timed with the work.
class TeamClock {
   public:
    TeamClock(const Clock& clock, int threads)
        : clock_(clock), spans_(static_cast<std::size_t>(threads)) {}

    // Seconds from the first thread that begins to the last that ends; `body()` is called once by
    // every thread of one parallel region.
    template <class Body>
    double time(Body&& body) {
        run(body);
        return elapsed_seconds();
    }

    // Seconds of the thread that takes longest, from its own begin: without the threads' uneven
    // start, for what is compared with a time that one thread took.
    template <class Body>
    double time_of_slowest(Body&& body) {
        run(body);
        double longest = 0;
        for (const Span& span : spans_) {
            longest = std::max(longest, seconds_between(span.begin, span.end));
        }
        return longest;
    }

   private:
    struct alignas(64) Span {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };

    template <class Body>
    void run(Body&& body) {
        int team = 0;
#pragma omp parallel num_threads(static_cast<int>(spans_.size()))
        {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            if (thread == 0) {
                team = omp_get_num_threads();
            }
            rendezvous_.arrive(round_, static_cast<std::uint64_t>(omp_get_num_threads()));
            spans_[thread].begin = clock_.now();
            body();
            spans_[thread].end = clock_.now();
        }
        ++round_;
        if (team != static_cast<int>(spans_.size())) {
            throw std::runtime_error("OpenMP gave " + std::to_string(team) + " threads where " +
                                     std::to_string(spans_.size()) +
                                     " were asked for: see OMP_DYNAMIC and OMP_THREAD_LIMIT");
        }
    }

    [[nodiscard]] double elapsed_seconds() const {
        std::uint64_t begin = spans_.front().begin;
        std::uint64_t end = spans_.front().end;
        for (const Span& span : spans_) {
            begin = std::min(begin, span.begin);
            end = std::max(end, span.end);
        }
        return seconds_between(begin, end);
    }

    Clock clock_;
    Rendezvous rendezvous_;
    std::uint64_t round_ = 0;
    std::vector<Span> spans_;
};

}  // namespace machmeter
