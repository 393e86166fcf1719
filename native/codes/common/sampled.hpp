// How the events of codes are sampled: they may take a moment or a minute.
#pragma once

#include <utility>

#include "core/clock/event.hpp"
#include "core/clock/sampling.hpp"
#include "core/session/node.hpp"

namespace machmeter::codes {

// Short events as any others are, after a warm-up. Of longer ones as many as fit into the time of a
// point, and where the first takes the most of it, that one alone: what is cold at its begin is a
// small part of it.
template <TimedEvent E>
Samples sampled(NodeSession& session, E&& event) {
    constexpr double most_of_point = 0.5;
    constexpr double short_part = 1.0 / 16;
    double first = 0;
    {
        const CpuWatch watch = session.watch_cpu();
        first = event(1);
    }
    session.add_timed(first);
    if (first > most_of_point * session.limits().seconds) {
        Samples one;
        one.seconds = {first};
        one.timed_seconds = first;
        return one;
    }
    if (first < short_part * session.limits().seconds) {
        return session.sample(event);
    }
    return session.sample_long([] {}, [&] { event(1); });
}

}  // namespace machmeter::codes
