// Learning the global clock over messages: a reference replies to its client with global time by
// its own model; every rank is a client once and a reference afterwards.
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

// Global time by the model of the reference, and its largest error, seconds.
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

// Learns one offset from several exchanges by `ask_once`; returns the error of the model before.
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

// This rank's part of the rounds among `members` (ranks, of which the first has the global clock).
// Returns the error of its model before its last offset, seconds; 0 for the first member.
template <Transport T>
double synchronize(T& transport, const std::vector<int>& members, int rank, const Clock& clock,
                   LearnedClock& learned) {
    constexpr int exchanges = 10;
    double error = 0;
    for (const std::vector<ClockPair>& round : clock_rounds(static_cast<int>(members.size()))) {
        for (const ClockPair& pair : round) {
            const int reference = members[static_cast<std::size_t>(pair.reference)];
            const int client = members[static_cast<std::size_t>(pair.client)];
            if (rank == client) {
                error = learn_offset(learned, clock, exchanges,
                                     [&] { return ask(transport, reference); });
            } else if (rank == reference) {
                for (int i = 0; i < exchanges; ++i) {
                    answer(transport, client, clock, learned.model());
                }
            }
        }
    }
    return error;
}

}  // namespace machmeter
