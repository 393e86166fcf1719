// One message with work between its start and its completion, and its parts, each timed by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/clock/sampling.hpp"
#include "core/clock/work.hpp"
#include "patterns/message_data.hpp"
#include "patterns/pair.hpp"

namespace machmeter {

// The message alone, the work alone, the message with the work inside it.
enum class Part : std::uint8_t { communication, work, total };

inline constexpr std::array<Part, 3> parts{Part::communication, Part::work, Part::total};

// Seconds of one part, on the first end, after a barrier of both; the second end does no work.
template <Transport T>
double time_part(T& transport, const End& end, const Clock& clock, Side side,
                 const Messages& messages, Part part, std::uint64_t steps) {
    barrier(transport, end);
    const std::uint64_t begin = clock.now();
    if (part == Part::work) {
        if (end.first) {
            work(begin, steps);
        }
    } else {
        message_over_work(transport, end, side, messages, [&] {
            if (part == Part::total) {
                work(begin, steps);
            }
        });
    }
    return seconds_between(begin, clock.now());
}

// Median time of the message alone over a few trials.
template <Transport T>
double usual_message_seconds(T& transport, const End& end, const Clock& clock, Side side,
                             const Messages& messages) {
    constexpr std::size_t trials = 9;
    std::vector<double> seconds(trials);
    for (double& trial : seconds) {
        trial = time_part(transport, end, clock, side, messages, Part::communication, 0);
    }
    return median(std::move(seconds));
}

// One more message with known bytes, with work as in the timed ones: whether they arrived here and
// nothing behind them. Always true at the end that sends.
template <Transport T>
bool worked_message_is_right(T& transport, const End& end, const Clock& clock, Side side,
                             const Messages& messages, std::byte* out, std::uint64_t seed,
                             std::uint64_t steps) {
    const std::uint64_t sender = side == Side::send ? 0 : 1;
    const MessageName name{seed, messages.bytes, sender, 0};
    fill_message(out, name);
    prepare_receive(messages.in, messages.bytes);
    time_part(transport, end, clock, side, messages, Part::total, steps);
    const bool sends = (side == Side::send) == end.first;
    return sends ||
           (message_is_right(messages.in, name) && guard_is_whole(messages.in, messages.bytes));
}

}  // namespace machmeter
