// threads.nested: the cost of a parallel region inside a parallel region, and of a barrier of its
// team.
//
// All outer threads do it at the same time. A passage holds a short delay of fixed work on every
// thread; the overhead is test minus reference, taken in alternating order. The reference does the
// same delays on the same threads, in one inner region that exists already.
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/work.hpp"
#include "core/host/places.hpp"
#include "core/openmp/padding.hpp"
#include "core/openmp/team_clock.hpp"
#include "core/openmp/team_errors.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"
#include "threads/paired_sampling.hpp"

namespace machmeter {
namespace {

constexpr std::uint64_t nested_delay_steps = 128;
constexpr std::uint64_t nested_checked_passages = 10;
constexpr std::uint64_t fewest_nested_passages = 8;

enum class NestedConstruct : std::uint8_t { parallel, barrier };

NestedConstruct nested_construct_of(const Parameters& point) {
    return point.choice<NestedConstruct>("construct",
                                         {{"inner-parallel", NestedConstruct::parallel},
                                          {"inner-barrier", NestedConstruct::barrier}});
}

// What is timed and what is checked are the same code with another `payload(thread, index)`.

// Called by every outer thread.
template <class Payload>
void inner_regions(int inner, std::uint64_t count, Payload& payload) {
    const int first = omp_get_thread_num() * inner;
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp parallel num_threads(inner)
        payload(first + omp_get_thread_num(), i);
    }
}

// Called by every inner thread.
template <class Payload>
void inner_barriers(int thread, std::uint64_t count, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
        payload(thread, i);
#pragma omp barrier
    }
}

// Called by every inner thread: the reference of both.
template <class Payload>
void inner_pieces(int thread, std::uint64_t count, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
        payload(thread, i);
    }
}

struct NestedDelay {
    void operator()(int thread, std::uint64_t /*index*/) const {
        work(static_cast<std::uint64_t>(thread), nested_delay_steps);
    }
};

class NestedBench {
   public:
    NestedBench(const Clock& clock, const Teams& teams, NestedConstruct construct)
        : clock_(clock, teams), teams_(teams), construct_(construct) {}

    // Seconds of `count` passages.
    double test(std::uint64_t count) {
        if (construct_ == NestedConstruct::parallel) {
            return clock_.slowest_outer([&] { inner_regions(teams_.inner, count, delay_); });
        }
        return clock_.all_inner([&](int thread) { inner_barriers(thread, count, delay_); });
    }

    // Seconds of the same delays without the construct, timed from the same begin: a region is
    // entered by one thread, a barrier waits for the last one to come.
    double reference(std::uint64_t count) {
        const auto pieces = [&](int thread) { inner_pieces(thread, count, delay_); };
        return construct_ == NestedConstruct::parallel ? clock_.slowest_inner(pieces)
                                                       : clock_.all_inner(pieces);
    }

   private:
    TeamsClock clock_;
    Teams teams_;
    NestedConstruct construct_;
    NestedDelay delay_;
};

// A region of milliseconds (threads that spin on each other's CPU) is a sample by itself.
std::uint64_t nested_passages_per_sample(NestedBench& bench, NestedConstruct construct,
                                         const ClockFacts& clock) {
    constexpr double long_seconds = 1e-3;
    const bool one_is_enough = construct == NestedConstruct::parallel &&
                               middle_of_three([&] { return bench.test(1); }) >= long_seconds;
    return one_is_enough ? 1 : passages_per_sample(bench, clock, fewest_nested_passages);
}

enum class Places : std::uint8_t { unbound, one_a_thread, one_a_team };

// What this many places promise teams whose threads are bound. Throws where they promise neither
// of the two: the CPUs of the threads could not be checked.
Places places_of(const Teams& teams, int places) {
    if (places == teams.threads()) {
        return Places::one_a_thread;
    }
    if (places == teams.outer) {
        return Places::one_a_team;
    }
    throw std::runtime_error("OMP_PLACES gives " + std::to_string(places) +
                             " places to bind threads to: give one a thread, " +
                             std::to_string(teams.threads()) + ", or one an inner team, " +
                             std::to_string(teams.outer));
}

// What OMP_PLACES and OMP_PROC_BIND promise; outside any region.
Places requested_places(const Teams& teams) {
    return omp_get_proc_bind() == omp_proc_bind_false ? Places::unbound
                                                      : places_of(teams, omp_get_num_places());
}

std::string places_text(Places places) {
    switch (places) {
        case Places::one_a_thread:
            return "one a thread";
        case Places::one_a_team:
            return "one an inner team";
        case Places::unbound:
            break;
    }
    return "unbound";
}

// The thread is bound to the CPUs of this place and no others, and runs on one of them.
bool runs_on_place(int place) {
    std::vector<int> cpus(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, cpus.data());
    const ThreadPlace observed = observe_place(0, 0);
    return std::set(cpus.begin(), cpus.end()) ==
               std::set(observed.cpus.begin(), observed.cpus.end()) &&
           std::find(cpus.begin(), cpus.end(), observed.cpu) != cpus.end();
}

// A payload that checks how often, in which team and where it runs.
class NestedCheck {
   public:
    NestedCheck(const Teams& teams, Places places)
        : teams_(teams), places_(places), lines_(static_cast<std::size_t>(teams.threads())) {}

    void operator()(int thread, std::uint64_t index) {
        if (thread >= teams_.threads() || omp_get_num_threads() != teams_.inner) {
            right_ = false;
            return;
        }
        if (!team_has_done(thread - thread % teams_.inner, index)) {
            right_ = false;
        }
        errors_.catching([&] {
            if (!in_place(thread)) {
                right_ = false;
            }
        });
        ++lines_[static_cast<std::size_t>(thread)].passages;
    }

    // Whether every thread of every team ran `count` times. Throws what kept a thread from reading
    // its place.
    [[nodiscard]] bool passed(std::uint64_t count) const {
        errors_.rethrow();
        return right_ && std::all_of(lines_.begin(), lines_.end(),
                                     [&](const Line& line) { return line.passages == count; });
    }

   private:
    struct alignas(padded_bytes) Line {
        std::atomic<std::uint64_t> passages = 0;
    };

    // No thread begins passage i before all of its team have ended theirs before i.
    [[nodiscard]] bool team_has_done(int first, std::uint64_t index) const {
        const auto begin = lines_.begin() + first;
        return std::all_of(begin, begin + teams_.inner,
                           [&](const Line& line) { return line.passages >= index; });
    }

    [[nodiscard]] bool in_place(int thread) const {
        switch (places_) {
            case Places::one_a_thread:
                return runs_on_place(thread);
            case Places::one_a_team:
                return runs_on_place(thread / teams_.inner);
            case Places::unbound:
                break;
        }
        return true;
    }

    Teams teams_;
    Places places_;
    std::vector<Line> lines_;
    std::atomic<bool> right_ = true;
    TeamErrors errors_;
};

bool nested_is_right(NestedConstruct construct, const Teams& teams, std::uint64_t count) {
    NestedCheck check(teams, requested_places(teams));
    if (construct == NestedConstruct::parallel) {
#pragma omp parallel num_threads(teams.outer)
        inner_regions(teams.inner, count, check);
    } else {
        on_every_thread(teams, [&](int thread) { inner_barriers(thread, count, check); });
    }
    return check.passed(count);
}

PointResult measure_nested(NodeSession& session, const Teams& teams, const Parameters& point) {
    const NestedConstruct construct = nested_construct_of(point);
    require_whole(teams);
    const bool right_before = nested_is_right(construct, teams, nested_checked_passages);
    NestedBench bench(session.clock(), teams, construct);
    const std::uint64_t batch = nested_passages_per_sample(bench, construct, session.clock_facts());
    const Paired paired = sample_pairs(session, bench, batch);
    const bool right_after = nested_is_right(construct, teams, nested_checked_passages);
    return paired_result(point, paired, batch)
        .check(right_before && right_after,
               std::to_string(nested_checked_passages)
                   .append(" passages before and after: every inner team whole and in step, "
                           "every thread on the CPUs of its place"))
        .quantity("outer_threads", teams.outer)
        .quantity("inner_threads", teams.inner)
        .quantity("delay_steps", nested_delay_steps)
        .attribute("places", places_text(requested_places(teams)));
}

void run_nested(NodeSession& session) {
    const Teams teams = requested_teams();
    session.record_each(
        [&](const Parameters& point) { return measure_nested(session, teams, point); });
}

const RegisterNodeBenchmark registered_nested({"threads.nested", {"construct"}, &run_nested});

}  // namespace
}  // namespace machmeter
