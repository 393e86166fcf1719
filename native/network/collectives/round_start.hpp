// Rounds of an operation that all ranks begin together: at a time on the global clock (Hunold,
// Carpen-Amarie: Reproducible MPI benchmarking is still not as easy as you think, TPDS 2016), or
// after a barrier. A round that some rank began late does not count, nor does any of a run of
// rounds of which more than a quarter lasted past the start of the next.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/clock/sampling.hpp"
#include "core/session/team.hpp"
#include "network/clocks/models.hpp"

namespace machmeter {

enum class Start : std::uint8_t { time, barrier };

// Seconds of one event on its slowest rank and of the agreement of all ranks on a number, both of
// the fastest trial; usual_seconds: the upper quartile of the trials of the event.
struct EventCost {
    double event_seconds = 0;
    double agreement_seconds = 0;
    double usual_seconds = 0;
};

// How rounds begin. crowded: more ranks than CPUs, so that a waiting rank must yield its CPU.
struct RoundPlan {
    Start start = Start::time;
    std::uint64_t rounds = 1;       // requested, begun together
    std::uint64_t group = 1;        // of which so many belong together
    double window_seconds = 0;      // from one start to the next
    double widest_seconds = 0;      // of a window
    double lead_seconds = 0;        // from the agreement on a first start to that start
    double late_after_seconds = 0;  // a start is late by more than this
    bool crowded = false;
};

// The rounds of all ranks, at the root, in the order taken; elsewhere empty.
struct Rounds {
    std::vector<double> slowest;               // seconds from start to the last rank's end
    std::vector<bool> left_out;                // some rank began late, or the run is spoiled
    std::vector<std::vector<double>> by_rank;  // of each rank, in the rounds that count
    double window_seconds = 0;                 // of the last run
    double timed_seconds = 0;                  // of the rounds that count
    double clock_error_seconds = 0;            // of global time, as seen after them
    std::uint64_t late_starts = 0;             // rounds that some rank began late
    std::uint64_t ran = 0;                     // on every rank

    [[nodiscard]] std::uint64_t tried() const { return slowest.size(); }

    // Whether all rounds of that group count.
    [[nodiscard]] bool together(std::size_t first, std::size_t group) const {
        const auto begin = left_out.begin() + static_cast<std::ptrdiff_t>(first);
        return std::none_of(begin, begin + static_cast<std::ptrdiff_t>(group),
                            [](bool one) { return one; });
    }

    [[nodiscard]] std::uint64_t kept(std::size_t group) const {
        std::uint64_t rounds = 0;
        for (std::size_t first = 0; first + group <= left_out.size(); first += group) {
            rounds += together(first, group) ? group : 0;
        }
        return rounds;
    }
};

// Reads the clock until it shows `when`; returns that reading.
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
    return team.broadcast(largest);
}

// From a few trials after a barrier, fewer where they take over `most_seconds`. A burst or two of
// noise must not widen every window, but an event of two speeds must fit at either.
template <GatheringTeam T, class Event>
EventCost measure_cost(T& team, const Clock& clock, double most_seconds, Event&& event) {
    constexpr std::uint64_t most_trials = 9;
    double agreement = std::numeric_limits<double>::infinity();
    std::vector<double> seconds;
    event(0);
    double spent = 0;
    for (std::uint64_t trial = 0; trial < most_trials && (trial < 3 || spent < most_seconds);
         ++trial) {
        team.barrier();
        const std::uint64_t begin = clock.now();
        event(trial);
        const std::uint64_t end = clock.now();
        seconds.push_back(largest_of(team, seconds_between(begin, end)));
        agreement = std::min(agreement, seconds_between(end, clock.now()));
        spent = team.broadcast(spent + seconds_between(begin, clock.now()));
    }
    std::sort(seconds.begin(), seconds.end());
    return {seconds.front(), team.broadcast(agreement), seconds[(3 * seconds.size() + 3) / 4 - 1]};
}

// A later start than planned would change what is measured, or exceed the clock's resolution.
inline RoundPlan plan_rounds(const EventCost& cost, const ClockFacts& clock,
                             const SamplingLimits& limits, Start start, bool crowded,
                             std::uint64_t group = 1) {
    constexpr double pause_seconds = 10e-6;
    constexpr double usual_jitter = 1.5;
    constexpr double largest_late_share = 0.05;
    // Independent of a rank that lost its CPU for a while.
    const double window = usual_jitter * cost.event_seconds + pause_seconds;
    const double widest = std::max(8 * window, 2e-3);
    const double reading = clock.resolution_seconds();
    RoundPlan plan;
    plan.start = start;
    plan.group = group;
    plan.crowded = crowded;
    plan.window_seconds =
        std::clamp(usual_jitter * cost.usual_seconds + pause_seconds, window, widest);
    plan.widest_seconds = widest;
    plan.lead_seconds = 4 * cost.agreement_seconds + 2 * pause_seconds;
    plan.late_after_seconds = std::max(largest_late_share * cost.event_seconds, 4 * reading);
    const double affordable = limits.seconds / (plan.window_seconds * static_cast<double>(group));
    plan.rounds =
        group * static_cast<std::uint64_t>(std::clamp(affordable, static_cast<double>(limits.least),
                                                      static_cast<double>(limits.most)));
    return plan;
}

// Whether a run is spoiled, of which so many of the rounds begun together lasted past the next
// start: its other rounds are those that followed fast ones, and keeping them would favor fast
// ones. A rank that loses its CPU while it waits spoils only the rounds that it is late for.
inline bool spoils(std::uint64_t overruns, std::uint64_t begun_together) {
    return overruns > 1 && 4 * overruns > begun_together;
}

// The root's decision after a run of rounds: the next window in seconds, or 0 to end. Windows widen
// after a spoiled run and stay so: narrower ones would select fast rounds. A point with few rounds
// gets more time, unless more ranks than CPUs show that it is hopeless. begun_seconds: since the
// first run began.
inline double next_window(const Rounds& rounds, const RoundPlan& plan, bool spoiled,
                          double begun_seconds, const SamplingLimits& limits) {
    constexpr std::uint64_t most_tries = 4;
    constexpr double least_patience_seconds = 0.5;
    const std::uint64_t kept = rounds.kept(plan.group);
    const bool few = kept < plan.group * limits.least;
    const double patience =
        few ? std::max(8 * limits.seconds, least_patience_seconds) : 2 * limits.seconds;
    const bool enough = kept >= plan.rounds || (!few && rounds.tried() >= most_tries * plan.rounds);
    const bool hopeless = plan.crowded && kept == 0;
    if (enough || hopeless || begun_seconds > patience) {
        return 0;
    }
    return spoiled ? std::min(2 * rounds.window_seconds, plan.widest_seconds)
                   : rounds.window_seconds;
}

// Rounds between two agreements of the ranks.
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
        plan.start == Start::time ? team.broadcast(model.global(clock.now()) + lead) : 0;
    for (std::uint64_t i = 0; i < run.count; ++i) {
        if (plan.start == Start::barrier) {
            team.barrier();
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

// Which rounds of a run some rank began late.
inline std::vector<bool> late_rounds(const std::vector<std::vector<double>>& run,
                                     std::uint64_t count) {
    std::vector<bool> late(count);
    for (const std::vector<double>& of_rank : run) {
        for (std::uint64_t i = 0; i < count; ++i) {
            late[i] = late[i] || of_rank[count + i] != 0;
        }
    }
    return late;
}

// Seconds of the slowest rank in each round of a run.
inline std::vector<double> slowest_of(const std::vector<std::vector<double>>& run,
                                      std::uint64_t count) {
    std::vector<double> slowest(count);
    for (const std::vector<double>& of_rank : run) {
        for (std::uint64_t i = 0; i < count; ++i) {
            slowest[i] = std::max(slowest[i], of_rank[i]);
        }
    }
    return slowest;
}

// The outcome of a run.
struct RunFate {
    bool spoiled = false;  // none of its rounds count
    std::uint64_t late = 0;
};

// Adds a run as gathered at the root. window_seconds: infinite where no window bounds a round.
inline RunFate append_run(Rounds& rounds, const std::vector<std::vector<double>>& run,
                          std::uint64_t count, double window_seconds) {
    rounds.ran += count;
    if (run.empty()) {
        return {};
    }
    const std::vector<bool> late = late_rounds(run, count);
    const std::vector<double> slowest = slowest_of(run, count);
    RunFate fate;
    std::uint64_t overruns = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        fate.late += late[i] ? 1 : 0;
        overruns += !late[i] && slowest[i] > window_seconds ? 1 : 0;
    }
    fate.spoiled = spoils(overruns, count - fate.late);
    rounds.late_starts += fate.late;
    rounds.by_rank.resize(run.size());
    for (std::uint64_t i = 0; i < count; ++i) {
        const bool left_out = late[i] || fate.spoiled;
        rounds.slowest.push_back(slowest[i]);
        rounds.left_out.push_back(left_out);
        rounds.timed_seconds += left_out ? 0 : slowest[i];
        for (std::size_t rank = 0; !left_out && rank < run.size(); ++rank) {
            rounds.by_rank[rank].push_back(run[rank][i]);
        }
    }
    return fate;
}

// `event(i)` is round i. Ends by the root's decision: with enough rounds begun together, after four
// times as many tries, or after twice the time; later where nearly none count.
template <GatheringTeam T, class Event>
Rounds take_rounds(T& team, const Clock& clock, const ClockModel& model,
                   const SamplingLimits& limits, RoundPlan plan, Event&& event) {
    constexpr std::uint64_t runs = 8;
    plan.rounds = broadcast_count(team, plan.rounds);
    plan.window_seconds = team.broadcast(plan.window_seconds);
    const std::uint64_t usual = std::max(limits.least, plan.rounds / plan.group / runs);
    constexpr double none = std::numeric_limits<double>::infinity();
    Rounds rounds;
    std::uint64_t length = usual;
    const std::uint64_t begin = clock.now();
    for (double window = plan.window_seconds; window > 0;) {
        const Run run{rounds.ran, plan.group * length, window};
        rounds.window_seconds = window;
        const RunFate fate =
            append_run(rounds, team.gather(run_rounds(team, clock, model, plan, run, event)),
                       run.count, plan.start == Start::time ? window : none);
        const double spent = seconds_between(begin, clock.now());
        window = team.broadcast(
            team.is_root() ? next_window(rounds, plan, fate.spoiled, spent, limits) : 0);
        // A late rank is late for the rest of its run: where that happens, runs are short.
        const bool many_late = broadcast_decision(team, 4 * fate.late > run.count);
        length = many_late ? limits.least : usual;
    }
    return rounds;
}

}  // namespace machmeter
