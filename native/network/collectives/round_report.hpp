// Series, quantities and attributes of rounds that begin together.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/record/point.hpp"
#include "network/collectives/round_start.hpp"

namespace machmeter {

// Up to so many ranks each has its own series; more would fill the record.
inline constexpr std::size_t most_rank_series = 128;

// The values of the rounds that count.
inline std::vector<double> values_together(const std::vector<double>& values,
                                           const std::vector<bool>& left_out) {
    std::vector<double> together;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!left_out[i]) {
            together.push_back(values[i]);
        }
    }
    return together;
}

inline double mean(const std::vector<double>& values) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return sum / static_cast<double>(std::max<std::size_t>(values.size(), 1));
}

// Quantities and attributes of any rounds.
inline void describe_rounds(PointResult& result, const Rounds& rounds, Start start) {
    result.quantity("rounds", rounds.tried());
    if (start == Start::barrier) {
        result.attribute("start",
                         "each rank's time begins when it leaves an MPI_Barrier before the "
                         "operation");
        return;
    }
    const std::uint64_t kept = rounds.kept(1);
    result.quantity("rounds_left_out", rounds.tried() - kept)
        .quantity("late_starts", rounds.late_starts)
        .quantity("window_seconds", rounds.window_seconds);
    result.attribute(
        "start",
        "all ranks wait for a time on the global clock; " + std::to_string(kept) + " of " +
            std::to_string(rounds.tried()) +
            " rounds count, without those that some rank began late and without runs of rounds of "
            "which more than a quarter lasted past the next start" +
            (2 * kept < rounds.tried() ? "; more were discarded than counted: the CPUs were busy "
                                         "with something else"
                                       : ""));
}

// Of an event timed by itself; nothing is subtracted from it.
inline void describe_clock_share(PointResult& result, double clock_share) {
    result.quantity("clock_share", clock_share);
    if (clock_share > usual_clock_share) {
        result.attribute("clock", "reading the clock is " +
                                      std::to_string(std::lround(100 * clock_share)) +
                                      " % of one event, each timed by itself; nothing is "
                                      "subtracted");
    }
}

// `seconds` of the slowest rank and the times of every rank, in the rounds that count.
inline void add_series(PointResult& result, const Rounds& rounds) {
    result.add_series("seconds", values_together(rounds.slowest, rounds.left_out));
    std::vector<double> means;
    for (std::size_t rank = 0; rank < rounds.by_rank.size(); ++rank) {
        const std::vector<double>& own = rounds.by_rank[rank];
        means.push_back(mean(own));
        if (rounds.by_rank.size() <= most_rank_series) {
            result.add_series("rank " + std::to_string(rank), own);
        }
    }
    if (rounds.by_rank.size() > most_rank_series) {
        result.add_series("mean of each rank", std::move(means));
    }
}

// Largest error of global time as a share of an event: it goes into the time unreduced.
inline constexpr double largest_clock_error = 0.05;

inline bool clock_is_right(const Rounds& rounds, const EventCost& cost) {
    return rounds.clock_error_seconds <= largest_clock_error * cost.event_seconds;
}

// Fails the check where clocks drifted apart or too few rounds count; at the root alone.
inline void require_together(PointResult& result, const Rounds& rounds, const EventCost& cost,
                             const SamplingLimits& limits) {
    if (!clock_is_right(rounds, cost)) {
        result.check(false, "the ranks' clocks drifted apart by " +
                                std::to_string(std::lround(rounds.clock_error_seconds * 1e9)) +
                                " ns, over 5 % of the event: request larger sizes or "
                                "start=barrier");
    }
    if (rounds.kept(1) < std::min(limits.least, limits.most)) {
        result.check(false, std::to_string(rounds.kept(1)) + " of " +
                                std::to_string(rounds.tried()) +
                                " rounds count, in the others some rank was late: give every rank "
                                "its own CPU, or request start=barrier");
    }
}

}  // namespace machmeter
