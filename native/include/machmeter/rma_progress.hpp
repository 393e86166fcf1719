// Epochs of an origin whose target computes outside the library meanwhile: an operation that needs
// the target's help is complete only when that work ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "machmeter/clock.hpp"
#include "machmeter/sampler.hpp"
#include "machmeter/team_sampling.hpp"

namespace machmeter {

// Both leave a meeting at about the same time; so long the origin works before it begins, so that
// the target has surely left the library.
inline constexpr double head_start_seconds = 20e-6;

// Long enough that waiting for its end is told from doing without: ten times what the epoch takes
// while the target waits, of long ones less.
inline double target_work_seconds(double waiting_seconds) {
    constexpr double least = 200e-6;
    constexpr double most_of_short = 5e-3;
    const double longest = std::max(2 * waiting_seconds, most_of_short);
    return std::max(least, std::min(10 * waiting_seconds, longest));
}

// samples: of the origin, of one epoch each; worked_seconds: how long the target computed in each
// after the head start, on the target.
struct WorkedSamples {
    Samples samples;
    std::vector<double> worked_seconds;
};

inline std::uint64_t samples_over_work(double waiting_seconds, const SamplingLimits& limits) {
    const double one = head_start_seconds + target_work_seconds(waiting_seconds);
    return static_cast<std::uint64_t>(std::clamp(
        limits.seconds / one, static_cast<double>(limits.least), static_cast<double>(limits.most)));
}

// `waiting_seconds` is the same on both. `meet()` lets both leave together, `compute(seconds)`
// works outside the library, `epoch()` is one epoch of the origin. Ends early, by the leader's
// word, when a run of samples shows that all of them would take over twice what was planned.
template <Team T, class Meet, class Compute, class Epoch>
WorkedSamples sample_over_work(T& team, const Clock& clock, const SamplingLimits& limits,
                               double waiting_seconds, bool origin, Meet&& meet, Compute&& compute,
                               Epoch&& epoch) {
    constexpr std::uint64_t samples_between_words = 8;
    const double work = target_work_seconds(waiting_seconds);
    const std::uint64_t planned = samples_over_work(waiting_seconds, limits);
    const double longest = 2 * static_cast<double>(planned) * (head_start_seconds + work);
    WorkedSamples taken;
    for (std::uint64_t i = 0; i < planned; ++i) {
        if (i >= limits.least && i % samples_between_words == 0 &&
            team.share(taken.samples.timed_seconds > longest ? 1 : 0) != 0) {
            break;
        }
        meet();
        const std::uint64_t met = clock.now();
        if (!origin) {
            compute(head_start_seconds + work);
            taken.worked_seconds.push_back(
                std::max(0.0, seconds_between(met, clock.now()) - head_start_seconds));
            continue;
        }
        compute(head_start_seconds);
        const std::uint64_t begin = clock.now();
        epoch();
        const double seconds = seconds_between(begin, clock.now());
        taken.samples.seconds.push_back(seconds);
        taken.samples.timed_seconds += seconds;
    }
    return taken;
}

}  // namespace machmeter
