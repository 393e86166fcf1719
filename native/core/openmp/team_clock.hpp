// Time of what the threads of a team, or of nested teams, do at the same time.
#pragma once

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/openmp/padding.hpp"
#include "core/openmp/teams.hpp"

namespace machmeter {

// Threads that arrive spin until all have, whatever the runtime's wait policy: they leave within
// one line transfer of each other, where after a sleeping barrier some would leave late.
class Rendezvous {
   public:
    // round: how often this team has met before.
    void arrive(std::uint64_t round, std::uint64_t threads) {
        constexpr std::uint64_t patience = 10'000;
        const std::uint64_t all = (round + 1) * threads;
        arrived_.fetch_add(1, std::memory_order_acq_rel);
        for (std::uint64_t spins = 0; arrived_.load(std::memory_order_acquire) < all; ++spins) {
            // More threads than CPUs: let the others run.
            if (spins >= patience) {
                sched_yield();
            }
        }
    }

   private:
    alignas(padded_bytes) std::atomic<std::uint64_t> arrived_ = 0;
};

// When each thread began and ended. Each reads the clock for itself, so that no closing barrier is
// timed with the work.
class ThreadSpans {
   public:
    explicit ThreadSpans(std::size_t threads) : spans_(threads) {}

    [[nodiscard]] std::size_t threads() const { return spans_.size(); }

    template <class Body>
    void time(const Clock& clock, std::size_t thread, Body&& body) {
        Span& span = spans_[thread];
        span.begin = clock.now();
        body();
        span.end = clock.now();
    }

    // From the first begin to the last end.
    [[nodiscard]] double elapsed_seconds() const {
        std::uint64_t begin = spans_.front().begin;
        std::uint64_t end = spans_.front().end;
        for (const Span& span : spans_) {
            begin = std::min(begin, span.begin);
            end = std::max(end, span.end);
        }
        return seconds_between(begin, end);
    }

    // Of the thread that takes longest, from its own begin.
    [[nodiscard]] double longest_seconds() const {
        double longest = 0;
        for (const Span& span : spans_) {
            longest = std::max(longest, seconds_between(span.begin, span.end));
        }
        return longest;
    }

   private:
    struct alignas(padded_bytes) Span {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };

    std::vector<Span> spans_;
};

class TeamClock {
   public:
    TeamClock(const Clock& clock, int threads)
        : clock_(clock), spans_(static_cast<std::size_t>(threads)) {}

    // Seconds from the first thread that begins to the last that ends; every thread of one parallel
    // region calls `body()` once.
    template <class Body>
    double time(Body&& body) {
        run(body);
        return spans_.elapsed_seconds();
    }

    // Seconds of the slowest thread from its own begin: without the uneven start of the threads,
    // for comparison with a time that one thread took.
    template <class Body>
    double time_of_slowest(Body&& body) {
        run(body);
        return spans_.longest_seconds();
    }

   private:
    template <class Body>
    void run(Body&& body) {
        int team = 0;
#pragma omp parallel num_threads(static_cast<int>(spans_.threads()))
        {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            if (thread == 0) {
                team = omp_get_num_threads();
            }
            rendezvous_.arrive(round_, static_cast<std::uint64_t>(omp_get_num_threads()));
            spans_.time(clock_, thread, body);
        }
        ++round_;
        require_team(static_cast<std::size_t>(team), spans_.threads());
    }

    Clock clock_;
    Rendezvous rendezvous_;
    std::uint64_t round_ = 0;
    ThreadSpans spans_;
};

// The same for nested teams, each of which must be whole: a thread begins once all others are
// there.
class TeamsClock {
   public:
    TeamsClock(const Clock& clock, const Teams& teams) : clock_(clock), teams_(teams) {}

    // Seconds of the slowest outer thread from its own begin; every outer thread calls `body()`
    // once.
    template <class Body>
    double slowest_outer(Body&& body) const {
        ThreadSpans spans(static_cast<std::size_t>(teams_.outer));
        Rendezvous start;
#pragma omp parallel num_threads(teams_.outer)
        run(spans, start, omp_get_thread_num(), body);
        return spans.longest_seconds();
    }

    // Of every thread of the inner teams, which call `body(thread)`.
    template <class Body>
    [[nodiscard]] double slowest_inner(Body&& body) const {
        return inner(body).longest_seconds();
    }

    // Seconds from the first inner thread that begins to the last that ends.
    template <class Body>
    [[nodiscard]] double all_inner(Body&& body) const {
        return inner(body).elapsed_seconds();
    }

   private:
    template <class Body>
    [[nodiscard]] ThreadSpans inner(Body&& body) const {
        ThreadSpans spans(static_cast<std::size_t>(teams_.threads()));
        Rendezvous start;
        on_every_thread(teams_,
                        [&](int thread) { run(spans, start, thread, [&] { body(thread); }); });
        return spans;
    }

    template <class Body>
    void run(ThreadSpans& spans, Rendezvous& start, int thread, Body&& body) const {
        start.arrive(0, spans.threads());
        spans.time(clock_, static_cast<std::size_t>(thread), body);
    }

    Clock clock_;
    Teams teams_;
};

}  // namespace machmeter
