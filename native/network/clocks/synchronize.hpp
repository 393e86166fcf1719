// Learning the global clock over messages: a client asks, its reference answers with its own idea
// of global time, and everyone is a client once and a reference afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/clock/clock.hpp"
#include "network/clocks/models.hpp"
#include "patterns/pair.hpp"

namespace machmeter {

// How much a client asks of its reference: offsets, exchanges behind each, seconds from one to the
// next.
struct ClockEffort {
    int offsets = 1;
    int exchanges = 10;
    double seconds_between = 0;
};

// Global time as the reference knows it, and how wrong it may be, seconds.
struct ClockAnswer {
    double global = 0;
    double bound = 0;
};

template <Transport T>
void answer(T& transport, int client, const Clock& clock, const ClockModel& model) {
    std::array<std::byte, sizeof(ClockAnswer)> bytes{};
    std::array<std::byte, token_bytes> token{};
    transport.receive(client, token.data(), token.size());
    const ClockAnswer now{model.global(clock.now()), model.bound};
    std::memcpy(bytes.data(), &now, sizeof now);
    transport.send(client, bytes.data(), bytes.size());
}

template <Transport T>
ClockAnswer ask(T& transport, int reference) {
    std::array<std::byte, sizeof(ClockAnswer)> bytes{};
    const std::array<std::byte, token_bytes> token{};
    transport.send(reference, token.data(), token.size());
    transport.receive(reference, bytes.data(), bytes.size());
    ClockAnswer answered;
    std::memcpy(&answered, bytes.data(), sizeof answered);
    return answered;
}

// One offset from several exchanges of `ask_once`, learned; what the model was wrong by before.
template <class AskOnce>
double learn_offset(LearnedClock& learned, const Clock& clock, int exchanges, AskOnce&& ask_once) {
    OffsetBounds bounds;
    ClockAnswer answered;
    double own = 0;
    for (int i = 0; i < exchanges; ++i) {
        const double sent = learned.model().own(clock.now());
        answered = ask_once();
        own = learned.model().own(clock.now());
        bounds.narrow({sent, answered.global, own});
    }
    const double error = learned.error(own, bounds);
    learned.learn(own, bounds, answered.bound);
    return error;
}

template <class AskOnce>
double learn_clock(LearnedClock& learned, const Clock& clock, const ClockEffort& effort,
                   AskOnce&& ask_once) {
    double error = 0;
    for (int i = 0; i < effort.offsets; ++i) {
        const std::uint64_t begin = clock.now();
        error = learn_offset(learned, clock, effort.exchanges, ask_once);
        while (i + 1 < effort.offsets &&
               seconds_between(begin, clock.now()) < effort.seconds_between) {
        }
    }
    return error;
}

// This rank's part of the rounds among `members` (ranks, of which the first has the global clock).
// What its model was wrong by before its last offset, seconds; 0 for the first member.
template <Transport T>
double synchronize(T& transport, const std::vector<int>& members, int rank, const Clock& clock,
                   const ClockEffort& effort, LearnedClock& learned) {
    double error = 0;
    for (const std::vector<ClockPair>& round : clock_rounds(static_cast<int>(members.size()))) {
        for (const ClockPair& pair : round) {
            const int reference = members[static_cast<std::size_t>(pair.reference)];
            const int client = members[static_cast<std::size_t>(pair.client)];
            if (rank == client) {
                error =
                    learn_clock(learned, clock, effort, [&] { return ask(transport, reference); });
            } else if (rank == reference) {
                for (int i = 0; i < effort.offsets * effort.exchanges; ++i) {
                    answer(transport, client, clock, learned.model());
                }
            }
        }
    }
    return error;
}

}  // namespace machmeter
