// Events that take a good part of a point's time, such as a whole solve: each is prepared outside
// the clock, and one may be all there is.
#pragma once

#include <cstdint>

#include "core/clock/clock.hpp"
#include "core/clock/sampling.hpp"
#include "core/session/team.hpp"

namespace machmeter {

// `prepare()` brings every rank to the state from which `event()` runs, and touches its memory:
// there is no warm-up and no calibration. From when all ranks begin until the last one ends, by
// the clock of each; the root decides whether another fits into the time.
template <SteppingTeam T, class Prepare, class Event>
Samples sample_long(T& team, const Clock& clock, const SamplingLimits& limits, Prepare&& prepare,
                    Event&& event) {
    Samples taken;
    bool another = true;
    while (another) {
        prepare();
        team.barrier();
        const std::uint64_t begin = clock.now();
        event();
        team.barrier();
        const double seconds = seconds_between(begin, clock.now());
        taken.seconds.push_back(seconds);
        taken.timed_seconds += seconds;
        another = broadcast_decision(team, taken.seconds.size() < limits.most &&
                                               taken.timed_seconds + seconds <= limits.seconds);
    }
    return taken;
}

}  // namespace machmeter
