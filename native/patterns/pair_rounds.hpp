// Pairs of ranks in rounds in which no rank takes part twice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/values/parameters.hpp"

namespace machmeter {

struct RankPair {
    int first = 0;
    int second = 0;

    [[nodiscard]] bool has(int rank) const { return rank == first || rank == second; }
};

// `0-3`: two different ranks of so many. Throws UsageError.
inline RankPair parse_rank_pair(std::string_view text, int ranks) {
    const auto [first, second] = parse_two(text, "pair");
    const auto most = static_cast<std::uint64_t>(ranks);
    if (first == second || first >= most || second >= most) {
        throw UsageError("pair: '" + std::string(text) + "' is not two different ones of " +
                         std::to_string(ranks) + " ranks, counted from 0");
    }
    return {static_cast<int>(first), static_cast<int>(second)};
}

using Round = std::vector<std::size_t>;

// Numbers of pairs by round: each pair goes into the first round that has neither of its ranks
// (greedy edge coloring: at most 2 d - 1 rounds where no rank is in more than d pairs).
inline std::vector<Round> rounds_without_shared_ranks(const std::vector<RankPair>& pairs) {
    int last_rank = -1;
    for (const RankPair& pair : pairs) {
        last_rank = std::max({last_rank, pair.first, pair.second});
    }
    std::vector<Round> rounds;
    // The rounds that each rank takes part in.
    std::vector<std::vector<bool>> busy(static_cast<std::size_t>(last_rank + 1));
    for (std::size_t number = 0; number < pairs.size(); ++number) {
        std::vector<bool>& first = busy[static_cast<std::size_t>(pairs[number].first)];
        std::vector<bool>& second = busy[static_cast<std::size_t>(pairs[number].second)];
        std::size_t round = 0;
        while (round < rounds.size() && (first[round] || second[round])) {
            ++round;
        }
        if (round == rounds.size()) {
            rounds.emplace_back();
            for (std::vector<bool>& own : busy) {
                own.push_back(false);
            }
        }
        rounds[round].push_back(number);
        first[round] = true;
        second[round] = true;
    }
    return rounds;
}

}  // namespace machmeter
