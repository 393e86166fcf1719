// The patterns of pairs that the kernels measure, run by every rank of a simulated machine: rank i
// of the first half of the ranks and rank i of the second are a pair.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "patterns/pair.hpp"
#include "simulate/events/ranks.hpp"

namespace machmeter::simulate {

// Whether a fiber for each rank is small enough.
inline bool has_events(const Machine& machine) { return machine.ranks() <= Ranks::most; }

inline End end_of(std::uint64_t rank, std::uint64_t pairs) {
    const bool first = rank < pairs;
    return {first, static_cast<int>(first ? rank + pairs : rank - pairs)};
}

// One way to move messages of so many bytes to and from a peer.
struct SimulatedWay {
    RankTransport& transport;
    int peer;
    std::size_t bytes;

    void send(const std::byte* out) const { transport.send(peer, out, bytes); }
    void receive(std::byte* in) const { transport.receive(peer, in, bytes); }
    void exchange(const std::byte* out, std::byte* in) const {
        std::array<RankTransport::Request, 2> requests{transport.start_receive(peer, in, bytes),
                                                       transport.start_send(peer, out, bytes)};
        transport.wait_all(std::span<RankTransport::Request>(requests));
    }
};

// Seconds of one exchange of the two ranks.
inline double exchange_seconds(const Machine& machine, double bytes) {
    Ranks ranks(machine);
    ranks.run([&](std::uint64_t rank, RankTransport& transport) {
        SimulatedWay way{transport, static_cast<int>(1 - rank), static_cast<std::size_t>(bytes)};
        OnePlace place;
        ping_ping(way, place, 1);
    });
    return std::max(ranks.clock(0), ranks.clock(1));
}

// Seconds of half a round trip of each pair: of one that all begin together, or in the middle of
// many that follow one another.
inline std::vector<double> half_round_trips(const Machine& machine, double bytes,
                                            bool begin_together) {
    // Pairs have found their turns by then.
    constexpr std::uint64_t many = 16;
    const std::uint64_t rounds = begin_together ? 1 : many;
    const std::uint64_t pairs = machine.ranks() / 2;
    std::vector<double> begun(machine.ranks());
    Ranks ranks(machine);
    ranks.run([&](std::uint64_t rank, RankTransport& transport) {
        const auto pass = [&](std::uint64_t count) {
            ping_pong(transport, end_of(rank, pairs), nullptr, nullptr,
                      static_cast<std::size_t>(bytes), count);
        };
        pass(begin_together ? 0 : many);
        begun[rank] = ranks.clock(rank);
        pass(rounds);
    });
    std::vector<double> seconds(pairs);
    for (std::uint64_t rank = 0; rank < pairs; ++rank) {
        seconds[rank] = (ranks.clock(rank) - begun[rank]) / (2 * static_cast<double>(rounds));
    }
    return seconds;
}

// Seconds of a window of each pair, with what ends it.
inline std::vector<double> followed_windows(const Machine& machine, double bytes,
                                            std::size_t window, bool both) {
    const std::uint64_t pairs = machine.ranks() / 2;
    Ranks ranks(machine);
    ranks.run([&](std::uint64_t rank, RankTransport& transport) {
        Messages messages;
        messages.bytes = static_cast<std::size_t>(bytes);
        messages.window = window;
        std::vector<RankTransport::Request> requests;
        const End end = end_of(rank, pairs);
        if (both) {
            window_both_ways(transport, end, messages, requests, 1);
        } else {
            window_one_way(transport, end, messages, requests, 1);
        }
    });
    std::vector<double> seconds(pairs);
    for (std::uint64_t rank = 0; rank < pairs; ++rank) {
        seconds[rank] = ranks.clock(rank);
    }
    return seconds;
}

}  // namespace machmeter::simulate
