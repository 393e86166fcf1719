// Sampling of what all ranks do together: all begin after a barrier, and the slowest one's time
// counts.
#pragma once

#include <cstdint>

#include "core/clock/sampling.hpp"
#include "core/session/team.hpp"
#include "core/session/team_sampling.hpp"

namespace machmeter {

// Every rank's samples are those of the slowest (`team.largest`). Ends early, by the root's
// decision, as `take_samples_together` does.
template <SteppingTeam T, TimedEvent E>
Samples sample_slowest(T& team, const ClockFacts& clock, const SamplingLimits& limits, E&& event) {
    constexpr std::uint64_t samples_between_decisions = 24;
    event(1);
    const double round_seconds = calibrate_together(team, clock, event);
    const SamplingPlan plan = plan_sampling(round_seconds, clock, limits);
    Samples taken;
    taken.batch = broadcast_count(team, plan.batch);
    const std::uint64_t samples = broadcast_count(team, plan.samples);
    for (std::uint64_t i = 0; i < samples; ++i) {
        if (i >= limits.least && i % samples_between_decisions == 0 &&
            broadcast_decision(team, taken.timed_seconds > 2 * limits.seconds)) {
            break;
        }
        team.barrier();
        const double seconds = event(taken.batch);
        taken.seconds.push_back(seconds / static_cast<double>(taken.batch));
        taken.timed_seconds += seconds;
    }
    for (double& seconds : taken.seconds) {
        seconds = team.largest(seconds);
    }
    return taken;
}

}  // namespace machmeter
