// How many rounds of an event are timed together and how many samples a point gets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/clock/event.hpp"

namespace machmeter {

// most: samples of one point; least: samples taken even when the time is over;
// seconds: time for one point.
struct SamplingLimits {
    std::uint64_t most = 200;
    std::uint64_t least = 8;
    double seconds = 0.03;
};

// batch: rounds timed together. most_seconds: a point whose samples take longer ends early, as it
// does when its threads lose their CPUs.
struct SamplingPlan {
    std::uint64_t batch = 1;
    std::uint64_t samples = 1;
    double most_seconds = std::numeric_limits<double>::infinity();
};

struct Samples {
    std::vector<double> seconds;  // of one round
    std::uint64_t batch = 1;
    double timed_seconds = 0;
};

// Samples of a point that ends early.
inline constexpr std::uint64_t fewest_samples = 3;

// A point ends early after this many times its planned time.
inline constexpr double longest_over_planned = 3;

// Rounds are batched only where the clock (its cost or its tick) would exceed this share of one.
inline constexpr double usual_clock_share = 0.05;

// Share of the clock (its cost or its tick) in a round that is timed by itself, at most 1.
double share_of_clock(const ClockFacts& clock, double round_seconds);

SamplingPlan plan_sampling(double round_seconds, const ClockFacts& clock,
                           const SamplingLimits& limits,
                           double largest_clock_share = usual_clock_share);

// Samples that fit into the time, within the limits, where each takes so long.
std::uint64_t samples_that_fit(double sample_seconds, const SamplingLimits& limits);

// The upper median; 0 without values.
double median(std::vector<double> values);

// Without warm-up.
template <TimedEvent E>
Samples take_samples(const SamplingPlan& plan, E&& event) {
    Samples taken;
    taken.batch = plan.batch;
    taken.seconds.reserve(plan.samples);
    for (std::uint64_t i = 0; i < plan.samples; ++i) {
        if (taken.timed_seconds > plan.most_seconds && i >= fewest_samples) {
            break;
        }
        const double elapsed = event(plan.batch);
        taken.timed_seconds += elapsed;
        taken.seconds.push_back(elapsed / static_cast<double>(plan.batch));
    }
    return taken;
}

// Seconds of one round, found by doubling the count until the clock no longer matters. The fastest
// of three trials (two of long ones) counts, so that an interrupt does not pass for a long round.
template <TimedEvent E>
double calibrate(const ClockFacts& clock, E&& event) {
    constexpr std::uint64_t most_rounds = std::uint64_t{1} << 24U;
    constexpr double long_seconds = 1e-3;
    constexpr int trials = 3;
    const double long_enough = 20 * clock.resolution_seconds();
    for (std::uint64_t count = 1;; count *= 2) {
        double fastest = std::numeric_limits<double>::infinity();
        for (int trial = 0; trial < trials && fastest >= long_enough;) {
            const double elapsed = event(count);
            fastest = std::min(fastest, elapsed);
            trial += elapsed > long_seconds ? 2 : 1;
        }
        if (fastest >= long_enough || count >= most_rounds) {
            return fastest / static_cast<double>(count);
        }
    }
}

// Warm up, calibrate, plan, sample: all of a point that one process times by itself.
template <TimedEvent E>
Samples sample_event(const ClockFacts& clock, const SamplingLimits& limits, E&& event) {
    event(1);
    const double round_seconds = calibrate(clock, event);
    SamplingPlan plan = plan_sampling(round_seconds, clock, limits);
    const double expected = round_seconds * static_cast<double>(plan.batch * plan.samples);
    plan.most_seconds = longest_over_planned * std::max(limits.seconds, expected);
    return take_samples(plan, event);
}

}  // namespace machmeter
