// Sampling by several ranks in step: the leader's clock decides, and all do the same.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>

#include "core/clock/clock.hpp"
#include "core/clock/sampling.hpp"

namespace machmeter {

// `meet` leaves no rank behind; `share` gives every rank the leader's value.
template <class T>
concept Team = requires(T& team, double value) {
    team.meet();
    { team.share(value) } -> std::convertible_to<double>;
};

// Seconds of one event, the same on every rank. The fastest of two or three trials counts, so that
// one burst of noise does not shrink the plan.
template <Team T, class Event>
double calibrate_together(T& team, const Clock& clock, const ClockFacts& facts, Event&& event) {
    constexpr double long_enough_seconds = 20e-6;
    constexpr double short_seconds = 1e-3;
    constexpr int trials = 3;
    const double long_enough =
        std::max(long_enough_seconds, 20 * std::max(facts.overhead_seconds, facts.tick_seconds));
    double fastest = std::numeric_limits<double>::infinity();
    std::uint64_t count = 1;
    for (int trial = 0; trial < trials;) {
        team.meet();
        const std::uint64_t begin = clock.now();
        event(count);
        const double elapsed = team.share(seconds_between(begin, clock.now()));
        if (elapsed < long_enough && count < std::uint64_t{1} << 24U) {
            count *= 2;
            continue;
        }
        fastest = std::min(fastest, elapsed / static_cast<double>(count));
        trial += elapsed > short_seconds ? 2 : 1;
    }
    return fastest;
}

// Samples in a few runs. Between two of them the leader ends a point that takes twice its time,
// as it does when a rank is robbed of its CPU.
template <Team T, class Event>
Samples take_samples_together(T& team, const Clock& clock, const SamplingPlan& plan,
                              const SamplingLimits& limits, Event&& event) {
    constexpr std::uint64_t runs = 8;
    const std::uint64_t run_samples = std::max(limits.least, plan.samples / runs);
    Samples all;
    all.batch = plan.batch;
    double over = 0;
    while (over == 0 && all.seconds.size() < plan.samples) {
        team.meet();
        const std::uint64_t left = plan.samples - all.seconds.size();
        const Samples run = take_samples(clock, {plan.batch, std::min(run_samples, left)}, event);
        all.seconds.insert(all.seconds.end(), run.seconds.begin(), run.seconds.end());
        all.timed_seconds += run.timed_seconds;
        over = team.share(all.timed_seconds > 2 * limits.seconds ? 1 : 0);
    }
    return all;
}

// Every rank calls this with the same limits and the same kind of event; only the leader's samples
// are a measurement, the others' merely mirror it.
template <Team T, class Event>
Samples sample_together(T& team, const Clock& clock, const ClockFacts& facts,
                        const SamplingLimits& limits, double largest_clock_share, Event&& event) {
    event(1);
    const double event_seconds = calibrate_together(team, clock, facts, event);
    // The leader's clock makes the plan: the others' may have another cost.
    const SamplingPlan own = plan_sampling(event_seconds, facts, limits, largest_clock_share);
    SamplingPlan plan;
    plan.batch = static_cast<std::uint64_t>(team.share(static_cast<double>(own.batch)));
    plan.samples = static_cast<std::uint64_t>(team.share(static_cast<double>(own.samples)));
    return take_samples_together(team, clock, plan, limits, event);
}

}  // namespace machmeter
