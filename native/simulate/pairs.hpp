// Benchmarks of pairs of ranks: network.latency, network.bandwidth, network.pairs and
// network.consistency. Every rank runs the kernel's own pattern on a heap of events; closed forms
// where there are too many ranks for that, and of what a message consists of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/record/point.hpp"
#include "simulate/events/pair_patterns.hpp"
#include "simulate/machine/machine.hpp"
#include "simulate/machine/shared_links.hpp"

namespace machmeter::simulate {

inline constexpr double reply_bytes = 4;

// A value that the model does not describe. Throws UsageError.
inline void require_word(const Parameters& point, std::string_view name,
                         std::initializer_list<std::string_view> described) {
    const std::string& word = point.text(name);
    std::string words;
    for (const std::string_view one : described) {
        if (one == word) {
            return;
        }
        words.append(words.empty() ? "" : " or ").append(one);
    }
    throw UsageError(std::string(name) + "=" + word + " is not part of the model: request " +
                     std::string(name) + "=" + words);
}

inline double message_bytes(const Parameters& point, std::uint64_t least = 0) {
    constexpr std::uint64_t most = std::uint64_t{1} << 36U;
    return static_cast<double>(point.count_within("size", least, most));
}

inline std::string protocol_text(const Machine& machine, std::uint64_t from, std::uint64_t to,
                                 double bytes) {
    if (machine.node_of(from) == machine.node_of(to)) {
        return "within a node";
    }
    return bytes > machine.costs().eager_limit
               ? "rendezvous: a handshake of two small messages before the bytes"
               : "eager";
}

inline void add_parts(PointResult& result, const MessageParts& parts) {
    result.quantity("software_seconds", parts.software)
        .quantity("nic_seconds", parts.nic)
        .quantity("hops_seconds", parts.hops_seconds)
        .quantity("serialization_seconds", parts.serialization)
        .quantity("handshake_seconds", parts.handshake)
        .quantity("queueing_seconds", parts.queueing)
        .quantity("hops", parts.hops);
}

inline constexpr const char* by_events = "the kernel's pattern on a heap of events";

inline PointResult simulated(const Parameters& point, const std::string& by) {
    PointResult result(point);
    result.check(true, "simulated by " + by);
    return result;
}

inline void require_two_ranks(const Machine& machine) {
    if (machine.ranks() != 2) {
        throw UsageError(
            "the benchmark takes 2 ranks: request two nodes with one rank each, or "
            "one node with two");
    }
}

inline std::uint64_t pairs_of(const Machine& machine) {
    if (machine.ranks() % 2 != 0) {
        throw UsageError("the benchmark takes an even number of ranks: request one more or less");
    }
    return machine.ranks() / 2;
}

inline PointResult simulate_latency(const Machine& machine, const Parameters& point) {
    require_two_ranks(machine);
    require_word(point, "pattern", {"ping-pong", "ping-ping"});
    require_word(point, "way", {"blocking", "nonblocking"});
    require_word(point, "data", {"contiguous"});
    require_word(point, "buffers", {"hot"});
    const double bytes = message_bytes(point);
    const bool both = point.text("pattern") == "ping-ping";
    const MessageParts parts = both ? machine.exchange(0, 1, bytes) : machine.message(0, 1, bytes);
    const double seconds =
        both ? exchange_seconds(machine, bytes) : half_round_trips(machine, bytes, true).front();
    PointResult result = simulated(point, by_events);
    result.add_series("seconds", {seconds}).quantity("bytes", bytes);
    add_parts(result, parts);
    result
        .attribute("event", both ? "one message each way at once; the batch counts exchanges"
                                 : "half a round trip; the batch counts round trips")
        .attribute("protocol", protocol_text(machine, 0, 1, bytes))
        .attribute("contention", both ? "of the two messages for both NICs" : "none");
    return result;
}

inline PointResult simulate_consistency(const Machine& machine, const Parameters& point) {
    const auto [first, second] = parse_two(point.text("pair"), "pair");
    if (first == second || std::max(first, second) >= machine.ranks()) {
        throw UsageError("pair: " + point.text("pair") + " are not two of the ranks 0 to " +
                         std::to_string(machine.ranks() - 1));
    }
    const double bytes = message_bytes(point);
    const MessageParts parts = machine.message(first, second, bytes);
    constexpr double least_for_bandwidth = 65536;
    PointResult result = simulated(point, "the closed form of one message");
    result.add_series("seconds", {parts.seconds()})
        .quantity("bytes", bytes)
        .quantity("pairs_at_once", 1);
    if (bytes >= least_for_bandwidth) {
        result.quantity("bytes_one_way", bytes);
    }
    add_parts(result, parts);
    result.attribute("event", "half a round trip; the batch counts round trips")
        .attribute("protocol", protocol_text(machine, first, second, bytes))
        .attribute("contention", "none: each pair is simulated by itself");
    return result;
}

// All pairs of rank i and rank i + ranks / 2, a message of each one way, or both.
inline Loads loads_of_pairs(const Machine& machine, std::uint64_t pairs, double bytes, bool both) {
    Loads loads(machine, both ? machine.costs().duplex_share : 1);
    for (std::uint64_t rank = 0; rank < pairs; ++rank) {
        loads.add(rank, rank + pairs, bytes);
        if (both) {
            loads.add(rank + pairs, rank, bytes);
        }
    }
    return loads;
}

// Seconds of one window of one pair and what ends it: a token, or with both ways one each way, the
// second of which only leaves. The sender's CPU starts a message every
// overhead; NICs and links pass a round of messages, one of every pair, in an interval; the
// receiver's CPU takes each for an overhead.
inline double window_seconds(const Machine& machine, const Loads& loads, std::uint64_t from,
                             std::uint64_t to, double bytes, double window, bool both) {
    const Costs& costs = machine.costs();
    const MessageParts parts = machine.message(from, to, bytes);
    const double reply = machine.message(to, from, reply_bytes).seconds();
    const double ways = both ? 2 : 1;
    const bool near = machine.node_of(from) == machine.node_of(to);
    const double overhead =
        near ? std::min(costs.software_overhead, parts.software / 2) : costs.software_overhead;
    const double end = reply + (both ? overhead : 0);
    if (near) {
        const double step = std::max(overhead, parts.serialization);
        return parts.seconds() + (ways * window - 1) * step + end;
    }
    // Both ways at once, each has its share of what one has alone, whatever limits that.
    const double share = both ? costs.duplex_share : 1;
    const double links = loads.link_seconds(from, to) / share;
    const double bytes_out = parts.serialization / share;
    const double once = std::max({loads.nic_seconds(from, to), links, bytes_out});
    const double interval = std::max({loads.nic_interval(from, to), links, bytes_out});
    const double way = parts.base() - parts.software;
    const double first_arrives = overhead + once + way;
    const double last_arrives =
        std::max(overhead + (window - 1) * interval, window * overhead) + once + way;
    const double received = std::max(
        {last_arrives + overhead, first_arrives + window * overhead, ways * window * overhead});
    return parts.handshake + received + end;
}

// Of many pairs.
struct PairTimes {
    double slowest = 0;
    double mean = 0;
};

inline PairTimes times_over(const std::vector<double>& seconds) {
    PairTimes all;
    for (const double one : seconds) {
        all.slowest = std::max(all.slowest, one);
        all.mean += one / static_cast<double>(seconds.size());
    }
    return all;
}

// Of a window of each pair.
inline std::vector<double> windows_of_pairs(const Machine& machine, std::uint64_t pairs,
                                            double bytes, double window, bool both) {
    const Loads loads = loads_of_pairs(machine, pairs, bytes, both);
    std::vector<double> seconds;
    for (std::uint64_t rank = 0; rank < pairs; ++rank) {
        const double there =
            window_seconds(machine, loads, rank, rank + pairs, bytes, window, both);
        const double back =
            both ? window_seconds(machine, loads, rank + pairs, rank, bytes, window, both) : 0;
        seconds.push_back(std::max(there, back));
    }
    return seconds;
}

inline PointResult simulate_bandwidth(const Machine& machine, const Parameters& point) {
    require_word(point, "buffers", {"hot"});
    require_word(point, "direction", {"one-way", "both-ways"});
    const bool both = point.text("direction") == "both-ways";
    const double bytes = message_bytes(point);
    constexpr std::uint64_t most_window = 1024;
    const auto window = static_cast<double>(point.count_within("window", 1, most_window));
    const std::uint64_t pairs = pairs_of(machine);
    const PairTimes times =
        times_over(has_events(machine)
                       ? followed_windows(machine, bytes, static_cast<std::size_t>(window), both)
                       : windows_of_pairs(machine, pairs, bytes, window, both));
    const double messages = window * static_cast<double>(pairs) * (both ? 2 : 1);
    PointResult result = simulated(
        point, has_events(machine) ? by_events : "the closed form of a window of messages");
    if (pairs > 1) {
        result.add_series("slowest", {times.slowest});
    }
    result.add_series("seconds", {times.mean})
        .quantity(both ? "bytes_both_ways" : "bytes_one_way", messages * bytes)
        .quantity("messages", messages)
        .quantity("pairs", pairs);
    result
        .attribute("event", both ? "one window each way at once and a 4 B token each way to end it"
                                 : "one window and the 4 B token that replies to it")
        .attribute("protocol", protocol_text(machine, 0, pairs, bytes))
        .attribute("contention",
                   "messages of all pairs share the NICs of their nodes and the links of their "
                   "routes; a rendezvous costs one handshake a window; the time is the mean over "
                   "pairs");
    return result;
}

// Half a round trip of one of many pairs that run at once, and what it waits for the others: in a
// cycle of `seconds` each way, the most loaded part serves every pair once each way.
//
// classic: pairs settle into turns, so that they wait only where the part is busy all the time.
// barrier: all begin together; the last in turn waits for all others, once a round trip.
inline PairTimes times_of_pair(const Machine& machine, const Loads& loads, std::uint64_t from,
                               std::uint64_t to, double bytes, bool barrier) {
    const double alone = machine.message(from, to, bytes).seconds();
    if (machine.node_of(from) == machine.node_of(to)) {
        return {alone, alone};
    }
    const std::uint64_t node = machine.node_of(from);
    const std::uint64_t other = machine.node_of(to);
    const double sharing = std::max(
        {loads.messages_out(node), loads.messages_in(node), loads.messages_out(other), 1.0});
    const double rate = machine.costs().injection;
    const double service = std::max(machine.costs().message_gap, bytes / rate);
    const double links = std::max(loads.link_seconds(from, to), loads.link_seconds(to, from));
    const double busy = sharing > 1 ? std::max(sharing * service, links) : links;
    if (!barrier) {
        const double classic = std::max(alone, busy / 2);
        return {classic, classic};
    }
    const double waiting = sharing > 1 ? (sharing - 1) * service : 0;
    const double slowest = std::max(alone + waiting / 2, links / 2);
    return {slowest, std::max(alone + waiting / 4, links / 2)};
}

inline PairTimes times_of_pairs(const Machine& machine, const Loads& loads, double bytes,
                                bool barrier) {
    const std::uint64_t pairs = machine.ranks() / 2;
    PairTimes all;
    for (std::uint64_t rank = 0; rank < pairs; ++rank) {
        const PairTimes times = times_of_pair(machine, loads, rank, rank + pairs, bytes, barrier);
        all.slowest = std::max(all.slowest, times.slowest);
        all.mean += times.mean / static_cast<double>(pairs);
    }
    return all;
}

inline PairTimes followed_pairs(const Machine& machine, double bytes, bool barrier) {
    return times_over(half_round_trips(machine, bytes, barrier));
}

inline PointResult simulate_pairs(const Machine& machine, const Parameters& point) {
    require_word(point, "definition", {"classic", "barrier"});
    const bool barrier = point.text("definition") == "barrier";
    const double bytes = message_bytes(point);
    const std::uint64_t pairs = pairs_of(machine);
    const Loads loads = loads_of_pairs(machine, pairs, bytes, true);
    const PairTimes times = has_events(machine) ? followed_pairs(machine, bytes, barrier)
                                                : times_of_pairs(machine, loads, bytes, barrier);
    PointResult result = simulated(
        point, has_events(machine) ? by_events : "the closed form of ping-pongs that share NICs");
    result.add_series("slowest", {times.slowest})
        .add_series("mean", {times.mean})
        .quantity("bytes", bytes)
        .quantity("pairs", pairs);
    add_loads(result, loads.by_kind());
    result.attribute("event", "half a round trip; the batch counts round trips")
        .attribute("definition",
                   barrier ? "barrier: all pairs begin together, and wait in turn at the NICs"
                           : "classic: pairs settle into turns, and wait only where NICs or links "
                             "are busy all the time")
        .attribute("protocol", protocol_text(machine, 0, pairs, bytes))
        .attribute("contention", "of all pairs for the NICs of their nodes and links of routes");
    return result;
}

}  // namespace machmeter::simulate
