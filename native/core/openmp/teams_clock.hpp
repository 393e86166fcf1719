// Time of what outer threads, or all threads of their inner teams, do at the same time.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/openmp/team_clock.hpp"
#include "core/openmp/teams.hpp"

namespace machmeter {

// Each thread reads the clock for itself once all others are there: every team must
// be whole.
class TeamsClock {
   public:
    TeamsClock(const Clock& clock, const Teams& teams) : clock_(clock), teams_(teams) {}

    // Seconds of the outer thread that takes longest, from its own begin; `body()` is called once
    // by every outer thread.
    template <class Body>
    double slowest_outer(Body&& body) {
        spans_.assign(static_cast<std::size_t>(teams_.outer), {});
        Rendezvous start;
#pragma omp parallel num_threads(teams_.outer)
        run(start, omp_get_thread_num(), body);
        return longest();
    }

    // The same of every thread of the inner teams; `body(thread)`.
    template <class Body>
    double slowest_inner(Body&& body) {
        run_inner(body);
        return longest();
    }

    // Seconds from the first inner thread that begins to the last that ends.
    template <class Body>
    double all_inner(Body&& body) {
        run_inner(body);
        std::uint64_t begin = spans_.front().begin;
        std::uint64_t end = spans_.front().end;
        for (const Span& span : spans_) {
            begin = std::min(begin, span.begin);
            end = std::max(end, span.end);
        }
        return seconds_between(begin, end);
    }

   private:
    struct alignas(64) Span {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };

    template <class Body>
    void run_inner(Body&& body) {
        spans_.assign(static_cast<std::size_t>(teams_.threads()), {});
        Rendezvous start;
        on_every_thread(teams_, [&](int thread) { run(start, thread, [&] { body(thread); }); });
    }

    template <class Body>
    void run(Rendezvous& start, int thread, Body&& body) {
        Span& span = spans_[static_cast<std::size_t>(thread)];
        start.arrive(0, spans_.size());
        span.begin = clock_.now();
        body();
        span.end = clock_.now();
    }

    [[nodiscard]] double longest() const {
        double seconds = 0;
        for (const Span& span : spans_) {
            seconds = std::max(seconds, seconds_between(span.begin, span.end));
        }
        return seconds;
    }

    Clock clock_;
    Teams teams_;
    std::vector<Span> spans_;
};

}  // namespace machmeter
