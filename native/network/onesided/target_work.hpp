// Epochs of an origin whose target computes outside the library at the same time: an operation that
// needs the target's help is complete only when that work ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/clock/sampling.hpp"
#include "core/session/team.hpp"

namespace machmeter {

// Both leave a barrier at about the same time; the origin works for so long before it begins, so
// that the target has surely left the library.
inline constexpr double head_start_seconds = 20e-6;

// Long enough to distinguish waiting for its end from doing without: ten times the epoch with a
// waiting target, less for long epochs.
inline double target_work_seconds(double waiting_seconds) {
    constexpr double least = 200e-6;
    constexpr double most_of_short = 5e-3;
    const double longest = std::max(2 * waiting_seconds, most_of_short);
    return std::max(least, std::min(10 * waiting_seconds, longest));
}

// samples: seconds of one epoch, on the origin; worked_seconds: how long the target computed in
// each sample after the head start, on the target.
struct WorkedSamples {
    Samples samples;
    std::vector<double> worked_seconds;
};

// The same on both. batch: epochs of a sample, of which only the first can wait for the target;
// work_seconds: how long the target computes after the head start, 0 where it waits.
struct WorkPlan {
    std::uint64_t batch = 1;
    double sample_seconds = 0;  // of a sample without work
    double work_seconds = 0;

    [[nodiscard]] double whole_seconds() const {
        return head_start_seconds + std::max(work_seconds, sample_seconds);
    }
    [[nodiscard]] std::uint64_t samples(const SamplingLimits& limits) const {
        return samples_that_fit(whole_seconds(), limits);
    }
};

// As many epochs a sample as the clock needs with a waiting target, and work far longer.
inline WorkPlan plan_over_work(double epoch_seconds, std::uint64_t batch) {
    const double sample = epoch_seconds * static_cast<double>(batch);
    return {batch, sample, target_work_seconds(sample)};
}

// `synchronize()` lets both leave together, `compute(seconds)` works outside the library, `epochs`
// is the event of the origin. Ends early, by the root's decision, when the samples would take over
// twice the planned time.
template <SteppingTeam T, class Synchronize, class Compute, TimedEvent E>
WorkedSamples sample_over_work(T& team, const Clock& clock, const SamplingLimits& limits,
                               const WorkPlan& plan, bool origin, Synchronize&& synchronize,
                               Compute&& compute, E&& epochs) {
    constexpr std::uint64_t samples_between_decisions = 8;
    const std::uint64_t planned = plan.samples(limits);
    const double longest = 2 * static_cast<double>(planned) * plan.whole_seconds();
    WorkedSamples taken;
    taken.samples.batch = plan.batch;
    for (std::uint64_t i = 0; i < planned; ++i) {
        if (i >= limits.least && i % samples_between_decisions == 0 &&
            broadcast_decision(team, taken.samples.timed_seconds > longest)) {
            break;
        }
        synchronize();
        const std::uint64_t start = clock.now();
        if (!origin) {
            if (plan.work_seconds > 0) {
                compute(head_start_seconds + plan.work_seconds);
            }
            taken.worked_seconds.push_back(
                std::max(0.0, seconds_between(start, clock.now()) - head_start_seconds));
            continue;
        }
        compute(head_start_seconds);
        const double seconds = epochs(plan.batch);
        taken.samples.seconds.push_back(seconds / static_cast<double>(plan.batch));
        taken.samples.timed_seconds += seconds;
    }
    return taken;
}

}  // namespace machmeter
