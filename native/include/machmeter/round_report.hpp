// What a record says of rounds that ranks began together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "machmeter/record.hpp"
#include "machmeter/round_start.hpp"

namespace machmeter {

// Ranks of which each has a series of its own; of more, a record would hold little else.
inline constexpr std::size_t most_rank_series = 128;

// The values of the rounds that began together.
inline std::vector<double> values_together(const std::vector<double>& values,
                                           const std::vector<bool>& late) {
    std::vector<double> together;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!late[i]) {
            together.push_back(values[i]);
        }
    }
    return together;
}

inline double mean(const std::vector<double>& values) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return sum / static_cast<double>(std::max<std::size_t>(values.size(), 1));
}

// Facts and words of any rounds.
inline void describe_rounds(PointResult& result, const Rounds& rounds, Start start) {
    result.facts.emplace_back("rounds", static_cast<double>(rounds.tried()));
    if (start == Start::barrier) {
        result.words.emplace_back(
            "start", "each rank's time begins when it leaves an MPI_Barrier before the operation");
        return;
    }
    result.facts.emplace_back("late_starts", static_cast<double>(rounds.late_starts()));
    result.facts.emplace_back("window_seconds", rounds.window_seconds);
    result.words.emplace_back("start",
                              "all ranks wait for a time on the global clock; rounds that some "
                              "rank began late are counted and left out");
}

// `seconds` of the slowest rank and the times of every rank, in the rounds that began together.
inline void add_series(PointResult& result, const Rounds& rounds) {
    result.series.emplace_back("seconds", values_together(rounds.slowest, rounds.late));
    std::vector<double> means;
    for (std::size_t rank = 0; rank < rounds.by_rank.size(); ++rank) {
        std::vector<double> own = values_together(rounds.by_rank[rank], rounds.late);
        means.push_back(mean(own));
        if (rounds.by_rank.size() <= most_rank_series) {
            result.series.emplace_back("rank " + std::to_string(rank), std::move(own));
        }
    }
    if (rounds.by_rank.size() > most_rank_series) {
        result.series.emplace_back("mean of each rank", std::move(means));
    }
}

// A launch's value comes from several rounds, or it is none; only the leader knows.
inline void require_together(PointResult& result, const Rounds& rounds,
                             const SamplingLimits& limits) {
    const std::uint64_t needed = std::min(fewest_samples, limits.most);
    if (rounds.kept(1) < needed) {
        result.check_passed = false;
        result.check_what = std::to_string(rounds.kept(1)) + " of " +
                            std::to_string(rounds.tried()) +
                            " rounds began together, in the others some rank was late: give every "
                            "rank a CPU of its own, or ask for start=barrier";
    }
}

}  // namespace machmeter
