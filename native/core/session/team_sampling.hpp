// Sampling by several ranks in step: the root's clock decides, and all ranks do the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/clock/sampling.hpp"
#include "core/session/team.hpp"

namespace machmeter {

// Seconds of one round, the same on every rank. The fastest of two or three trials counts, so that
// one burst of noise does not shrink the plan.
template <SteppingTeam T, TimedEvent E>
double calibrate_together(T& team, const ClockFacts& clock, E&& event) {
    constexpr double long_enough_seconds = 20e-6;
    constexpr double short_seconds = 1e-3;
    constexpr int trials = 3;
    const double long_enough = std::max(long_enough_seconds, 20 * clock.resolution_seconds());
    double fastest = std::numeric_limits<double>::infinity();
    std::uint64_t count = 1;
    for (int trial = 0; trial < trials;) {
        team.barrier();
        const double elapsed = team.broadcast(event(count));
        if (elapsed < long_enough && count < std::uint64_t{1} << 24U) {
            count *= 2;
            continue;
        }
        fastest = std::min(fastest, elapsed / static_cast<double>(count));
        trial += elapsed > short_seconds ? 2 : 1;
    }
    return fastest;
}

// Samples in a few runs. Between two runs the root ends a point that takes twice its time, as when
// a rank loses its CPU.
template <SteppingTeam T, TimedEvent E>
Samples take_samples_together(T& team, const SamplingPlan& plan, const SamplingLimits& limits,
                              E&& event) {
    constexpr std::uint64_t runs = 8;
    const std::uint64_t run_samples = std::max(limits.least, plan.samples / runs);
    Samples all;
    all.batch = plan.batch;
    bool over = false;
    while (!over && all.seconds.size() < plan.samples) {
        team.barrier();
        const std::uint64_t left = plan.samples - all.seconds.size();
        const Samples run = take_samples({plan.batch, std::min(run_samples, left)}, event);
        all.seconds.insert(all.seconds.end(), run.seconds.begin(), run.seconds.end());
        all.timed_seconds += run.timed_seconds;
        over = broadcast_decision(team, all.timed_seconds > 2 * limits.seconds);
    }
    return all;
}

// Every rank calls this with the same limits and the same kind of event; only the root's samples
// are a measurement.
template <SteppingTeam T, TimedEvent E>
Samples sample_together(T& team, const ClockFacts& clock, const SamplingLimits& limits,
                        double largest_clock_share, E&& event) {
    event(1);
    const double round_seconds = calibrate_together(team, clock, event);
    // The root's plan: the clocks of other ranks may have another cost.
    const SamplingPlan own = plan_sampling(round_seconds, clock, limits, largest_clock_share);
    SamplingPlan plan;
    plan.batch = broadcast_count(team, own.batch);
    plan.samples = broadcast_count(team, own.samples);
    return take_samples_together(team, plan, limits, event);
}

}  // namespace machmeter
