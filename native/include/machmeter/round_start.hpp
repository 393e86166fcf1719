// Rounds of an operation that all ranks begin together: at a time on the global clock (Hunold,
// Carpen-Amarie: Reproducible MPI benchmarking is still not as easy as you think, TPDS 2016), or
// after a barrier. A round that some rank began late is told from the others.
#pragma once

#include <sched.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "machmeter/clock.hpp"
#include "machmeter/clock_models.hpp"
#include "machmeter/sampler.hpp"
#include "machmeter/team_sampling.hpp"

namespace machmeter {

// `gather` gives the leader every rank's values in rank order, and the others nothing.
template <class T>
concept GatheringTeam = Team<T> && requires(T& team, const std::vector<double>& mine) {
    { team.gather(mine) } -> std::convertible_to<std::vector<std::vector<double>>>;
    { team.leads() } -> std::convertible_to<bool>;
};

enum class Start : std::uint8_t { time, barrier };

// Seconds of one event on its slowest rank, and of the agreement of all ranks on a number.
struct EventCost {
    double event_seconds = 0;
    double agreement_seconds = 0;
};

// How rounds begin. crowded: more ranks than CPUs, so that who waits gives its CPU away.
struct RoundPlan {
    Start start = Start::time;
    std::uint64_t rounds = 1;       // wanted, begun together
    std::uint64_t group = 1;        // of which so many belong together
    double window_seconds = 0;      // from one start to the next
    double lead_seconds = 0;        // from the agreement on a first start to that start
    double late_after_seconds = 0;  // a start is late by more than this
    bool crowded = false;
};

// The rounds of all ranks, at the leader, in the order taken; elsewhere empty.
struct Rounds {
    std::vector<double> slowest;               // seconds from start to the last rank's end
    std::vector<bool> late;                    // some rank began late
    std::vector<std::vector<double>> by_rank;  // seconds from the start to the end of each rank
    double window_seconds = 0;                 // of the last run
    double timed_seconds = 0;                  // of the rounds begun together
    std::uint64_t ran = 0;                     // on every rank

    [[nodiscard]] std::uint64_t tried() const { return slowest.size(); }
    [[nodiscard]] std::uint64_t late_starts() const {
        return static_cast<std::uint64_t>(std::count(late.begin(), late.end(), true));
    }

    // Whether all rounds of that group began together.
    [[nodiscard]] bool together(std::size_t first, std::size_t group) const {
        const auto begin = late.begin() + static_cast<std::ptrdiff_t>(first);
        return std::none_of(begin, begin + static_cast<std::ptrdiff_t>(group),
                            [](bool was_late) { return was_late; });
    }

    [[nodiscard]] std::uint64_t kept(std::size_t group) const {
        std::uint64_t rounds = 0;
        for (std::size_t first = 0; first + group <= late.size(); first += group) {
            rounds += together(first, group) ? group : 0;
        }
        return rounds;
    }
};

// Reads the clock until it shows `when`; that first reading.
inline std::uint64_t wait_until(const Clock& clock, std::uint64_t when, bool crowded) {
    constexpr std::uint64_t far_nanoseconds = 20'000;
    std::uint64_t now = clock.now();
    while (now < when) {
        if (crowded && when - now > far_nanoseconds) {
            sched_yield();
        }
        now = clock.now();
    }
    return now;
}

// The largest of all ranks' values, on every rank.
template <GatheringTeam T>
double largest_of(T& team, double mine) {
    double largest = mine;
    for (const std::vector<double>& values : team.gather({mine})) {
        largest = std::max(largest, values.front());
    }
    return team.share(largest);
}

// The fastest of a few trials begun after a barrier, fewer where they take over `most_seconds`: one
// burst of noise must not widen every window.
template <GatheringTeam T, class Event>
EventCost measure_cost(T& team, const Clock& clock, double most_seconds, Event&& event) {
    constexpr std::uint64_t most_trials = 5;
    constexpr double none = std::numeric_limits<double>::infinity();
    EventCost fastest{none, none};
    event(0);
    double spent = 0;
    for (std::uint64_t trial = 0; trial < most_trials && (trial < 3 || spent < most_seconds);
         ++trial) {
        team.meet();
        const std::uint64_t begin = clock.now();
        event(trial);
        const std::uint64_t end = clock.now();
        const double slowest = largest_of(team, seconds_between(begin, end));
        const double agreement = seconds_between(end, clock.now());
        fastest.event_seconds = std::min(fastest.event_seconds, slowest);
        fastest.agreement_seconds = std::min(fastest.agreement_seconds, agreement);
        spent = team.share(spent + seconds_between(begin, clock.now()));
    }
    fastest.agreement_seconds = team.share(fastest.agreement_seconds);
    return fastest;
}

// A start later than this would change what is measured, or is more than the clock can tell.
inline RoundPlan plan_rounds(const EventCost& cost, const ClockFacts& clock,
                             const SamplingLimits& limits, Start start, bool crowded,
                             std::uint64_t group = 1) {
    constexpr double pause_seconds = 10e-6;
    constexpr double usual_jitter = 1.5;
    constexpr double largest_late_share = 0.05;
    const double reading = std::max(clock.overhead_seconds, clock.tick_seconds);
    RoundPlan plan;
    plan.start = start;
    plan.group = group;
    plan.crowded = crowded;
    plan.window_seconds = usual_jitter * cost.event_seconds + pause_seconds;
    plan.lead_seconds = 4 * cost.agreement_seconds + 2 * pause_seconds;
    plan.late_after_seconds = std::max(largest_late_share * cost.event_seconds, 4 * reading);
    const double affordable = limits.seconds / (plan.window_seconds * static_cast<double>(group));
    plan.rounds =
        group * static_cast<std::uint64_t>(std::clamp(affordable, static_cast<double>(limits.least),
                                                      static_cast<double>(limits.most)));
    return plan;
}

// A rank that lost its CPU for a while says nothing of the operation: windows stop widening here.
inline double widest_window(const RoundPlan& plan) {
    constexpr double short_seconds = 1e-3;
    return std::max(4 * plan.window_seconds, std::min(32 * plan.window_seconds, short_seconds));
}

// What the leader decides after a run of rounds: the next window in seconds, or 0 to end. Windows
// widen while too many starts are late, and narrow again. A point with few rounds gets more time,
// unless ranks without a CPU each have shown that they cannot.
// begun_seconds: since the first run began.
inline double next_window(const Rounds& rounds, const RoundPlan& plan, std::uint64_t run_rounds,
                          double begun_seconds, const SamplingLimits& limits) {
    constexpr std::uint64_t most_tries = 4;
    const std::uint64_t kept = rounds.kept(plan.group);
    const double patience = kept < plan.group * limits.least ? 8 : 2;
    const bool hopeless = plan.crowded && kept == 0;
    if (kept >= plan.rounds || rounds.tried() >= most_tries * plan.rounds || hopeless ||
        begun_seconds > patience * limits.seconds) {
        return 0;
    }
    const auto run_begin = rounds.late.end() - static_cast<std::ptrdiff_t>(run_rounds);
    const auto late = static_cast<std::uint64_t>(std::count(run_begin, rounds.late.end(), true));
    if (4 * late > run_rounds) {
        return std::min(2 * rounds.window_seconds, widest_window(plan));
    }
    return late == 0 ? std::max(rounds.window_seconds / 2, plan.window_seconds)
                     : rounds.window_seconds;
}

// Rounds between two agreements.
struct Run {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    double window_seconds = 0;
};

// One rank's part of a run: seconds of each round, then whether it was late, 1 or 0, of each.
template <GatheringTeam T, class Event>
std::vector<double> run_rounds(T& team, const Clock& clock, const ClockModel& model,
                               const RoundPlan& plan, const Run& run, Event&& event) {
    std::vector<double> mine(2 * run.count);
    const double lead = std::max(plan.lead_seconds, run.window_seconds);
    const double first_start =
        plan.start == Start::time ? team.share(model.global(clock.now()) + lead) : 0;
    for (std::uint64_t i = 0; i < run.count; ++i) {
        if (plan.start == Start::barrier) {
            team.meet();
            const std::uint64_t begin = clock.now();
            event(run.first + i);
            mine[i] = seconds_between(begin, clock.now());
            continue;
        }
        const double start = first_start + static_cast<double>(i) * run.window_seconds;
        const std::uint64_t begin = wait_until(clock, model.nanoseconds_at(start), plan.crowded);
        event(run.first + i);
        mine[i] = model.global(clock.now()) - start;
        mine[run.count + i] = model.global(begin) - start > plan.late_after_seconds ? 1 : 0;
    }
    return mine;
}

inline void append_run(Rounds& rounds, const std::vector<std::vector<double>>& run,
                       std::uint64_t count) {
    rounds.by_rank.resize(run.size());
    for (std::uint64_t i = 0; !run.empty() && i < count; ++i) {
        double slowest = 0;
        bool late = false;
        for (std::size_t rank = 0; rank < run.size(); ++rank) {
            slowest = std::max(slowest, run[rank][i]);
            late = late || run[rank][count + i] != 0;
            rounds.by_rank[rank].push_back(run[rank][i]);
        }
        rounds.slowest.push_back(slowest);
        rounds.late.push_back(late);
        rounds.timed_seconds += late ? 0 : slowest;
    }
    rounds.ran += count;
}

// `event(i)` is round i. Ends by the leader's word: with enough rounds begun together, after four
// times as many tries, or when they take twice their time.
template <GatheringTeam T, class Event>
Rounds take_rounds(T& team, const Clock& clock, const ClockModel& model,
                   const SamplingLimits& limits, RoundPlan plan, Event&& event) {
    constexpr std::uint64_t runs = 8;
    plan.rounds = static_cast<std::uint64_t>(team.share(static_cast<double>(plan.rounds)));
    plan.window_seconds = team.share(plan.window_seconds);
    const std::uint64_t usual = std::max(limits.least, plan.rounds / plan.group / runs);
    Rounds rounds;
    const std::uint64_t begin = clock.now();
    for (double window = plan.window_seconds; window > 0;) {
        // One late rank spoils what is left of its run: where that happens, runs are short.
        const bool spoiled = window > plan.window_seconds;
        const Run run{rounds.ran, plan.group * (spoiled ? limits.least : usual), window};
        rounds.window_seconds = window;
        append_run(rounds, team.gather(run_rounds(team, clock, model, plan, run, event)),
                   run.count);
        const double spent = seconds_between(begin, clock.now());
        window = team.share(team.leads() ? next_window(rounds, plan, run.count, spent, limits) : 0);
    }
    return rounds;
}

}  // namespace machmeter
