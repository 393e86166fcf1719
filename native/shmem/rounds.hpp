// Sampling of what a whole team does: all begin after a meeting, and the slowest one's time counts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock/clock.hpp"
#include "core/clock/sampling.hpp"
#include "core/session/team_sampling.hpp"

namespace machmeter {

// `team.largest` gives every member the largest of all values. Ends early, by the leader's word, as
// `take_samples_together` does. Every member's samples are those of the slowest.
template <Team T, class Event>
Samples sample_slowest(T& team, const Clock& clock, const ClockFacts& facts,
                       const SamplingLimits& limits, Event&& event) {
    constexpr std::uint64_t samples_between_words = 24;
    event(1);
    const double event_seconds = calibrate_together(team, clock, facts, event);
    const SamplingPlan plan = plan_sampling(event_seconds, facts, limits);
    Samples taken;
    taken.batch = static_cast<std::uint64_t>(team.share(static_cast<double>(plan.batch)));
    const auto samples = static_cast<std::uint64_t>(team.share(static_cast<double>(plan.samples)));
    for (std::uint64_t i = 0; i < samples; ++i) {
        if (i >= limits.least && i % samples_between_words == 0 &&
            team.share(taken.timed_seconds > 2 * limits.seconds ? 1 : 0) != 0) {
            break;
        }
        team.meet();
        const std::uint64_t begin = clock.now();
        event(taken.batch);
        const double seconds = seconds_between(begin, clock.now());
        taken.seconds.push_back(seconds / static_cast<double>(taken.batch));
        taken.timed_seconds += seconds;
    }
    for (double& seconds : taken.seconds) {
        seconds = team.largest(seconds);
    }
    return taken;
}

}  // namespace machmeter
