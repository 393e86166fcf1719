// How many events are timed together and how many samples a point gets.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/clock/clock.hpp"

namespace machmeter {

// most: samples of one point; least: samples taken even when the time is over;
// seconds: time for one point.
struct SamplingLimits {
    std::uint64_t most = 200;
    std::uint64_t least = 8;
    double seconds = 0.03;
};

// most_seconds: a point whose samples take longer ends early, as it does when threads are robbed of
// their CPUs.
struct SamplingPlan {
    std::uint64_t batch = 1;
    std::uint64_t samples = 1;
    double most_seconds = std::numeric_limits<double>::infinity();
};

// Samples of a point that ends early.
inline constexpr std::uint64_t fewest_samples = 3;

// Times its planned time after which a point ends early.
inline constexpr double longest_over_planned = 3;

struct Samples {
    std::vector<double> seconds;  // of one event
    std::uint64_t batch = 1;
    double timed_seconds = 0;
};

// Events are batched only where the clock (its cost or its tick) would be over this share of one.
inline constexpr double usual_clock_share = 0.05;

// Share that the clock (its cost or its tick) has in an event timed by itself; 1 where it sees no
// more than itself.
inline double share_of_clock(const ClockFacts& clock, double event_seconds) {
    const double cost = std::max(clock.overhead_seconds, clock.tick_seconds);
    return event_seconds > cost ? cost / event_seconds : 1;
}

inline SamplingPlan plan_sampling(double event_seconds, const ClockFacts& clock,
                                  const SamplingLimits& limits,
                                  double largest_clock_share = usual_clock_share) {
    const double event = std::max(event_seconds, 1e-10);
    const double floor = std::max(clock.overhead_seconds, clock.tick_seconds) / largest_clock_share;
    SamplingPlan plan;
    plan.batch = static_cast<std::uint64_t>(std::max(1.0, std::ceil(floor / event)));
    const double affordable = limits.seconds / (event * static_cast<double>(plan.batch));
    plan.samples = static_cast<std::uint64_t>(std::clamp(
        affordable, static_cast<double>(limits.least), static_cast<double>(limits.most)));
    return plan;
}

// `event(count)` runs `count` events; one untimed call warms up before this.
template <class Event>
Samples take_samples(const Clock& clock, const SamplingPlan& plan, Event&& event) {
    Samples taken;
    taken.batch = plan.batch;
    taken.seconds.reserve(plan.samples);
    for (std::uint64_t i = 0; i < plan.samples; ++i) {
        if (taken.timed_seconds > plan.most_seconds && i >= fewest_samples) {
            break;
        }
        const std::uint64_t begin = clock.now();
        event(plan.batch);
        const double elapsed = seconds_between(begin, clock.now());
        taken.timed_seconds += elapsed;
        taken.seconds.push_back(elapsed / static_cast<double>(plan.batch));
    }
    return taken;
}

// Time of one event, found by doubling the count until the clock no longer matters. The fastest of
// three trials (two of long ones) decides, so that an interrupt does not pass for a long event.
template <class Event>
double calibrate_event(const Clock& clock, const ClockFacts& facts, Event&& event) {
    constexpr std::uint64_t most_events = std::uint64_t{1} << 24U;
    constexpr double long_seconds = 1e-3;
    constexpr int trials = 3;
    const double long_enough = 20 * std::max(facts.overhead_seconds, facts.tick_seconds);
    for (std::uint64_t count = 1;; count *= 2) {
        double fastest = std::numeric_limits<double>::infinity();
        for (int trial = 0; trial < trials && fastest >= long_enough;) {
            const std::uint64_t begin = clock.now();
            event(count);
            const double elapsed = seconds_between(begin, clock.now());
            fastest = std::min(fastest, elapsed);
            trial += elapsed > long_seconds ? 2 : 1;
        }
        if (fastest >= long_enough || count >= most_events) {
            return fastest / static_cast<double>(count);
        }
    }
}

// Warm up, calibrate, plan, sample: the whole of a point that one process times by itself.
template <class Event>
Samples sample_event(const Clock& clock, const ClockFacts& facts, const SamplingLimits& limits,
                     Event&& event) {
    event(1);
    const double event_seconds = calibrate_event(clock, facts, event);
    SamplingPlan plan = plan_sampling(event_seconds, facts, limits);
    const double expected = event_seconds * static_cast<double>(plan.batch * plan.samples);
    plan.most_seconds = longest_over_planned * std::max(limits.seconds, expected);
    return take_samples(clock, plan, event);
}

}  // namespace machmeter
