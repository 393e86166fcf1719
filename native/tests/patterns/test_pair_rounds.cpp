#include <set>
#include <string>
#include <vector>

#include "patterns/pair_rounds.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

std::vector<RankPair> all_pairs(int ranks) {
    std::vector<RankPair> pairs;
    for (int first = 0; first < ranks; ++first) {
        for (int second = first + 1; second < ranks; ++second) {
            pairs.push_back({first, second});
        }
    }
    return pairs;
}

// No rank twice in a round, no pair left out, none twice.
void check_rounds(const std::vector<RankPair>& pairs) {
    std::set<std::size_t> seen;
    for (const Round& round : rounds_without_shared_ranks(pairs)) {
        std::set<int> ranks;
        for (const std::size_t number : round) {
            CHECK(seen.insert(number).second);
            CHECK(ranks.insert(pairs[number].first).second);
            CHECK(ranks.insert(pairs[number].second).second);
        }
        CHECK(!round.empty());
    }
    CHECK(seen.size() == pairs.size());
}

TEST(every_pair_has_one_round_and_no_rank_two_pairs_of_it) {
    for (int ranks = 2; ranks <= 33; ++ranks) {
        const std::vector<RankPair> pairs = all_pairs(ranks);
        check_rounds(pairs);
        const std::size_t most = 2 * static_cast<std::size_t>(ranks - 1) - 1;
        CHECK(rounds_without_shared_ranks(pairs).size() <= most);
    }
}

TEST(pairs_of_other_ranks_go_into_one_round) {
    const std::vector<RankPair> pairs{{0, 1}, {2, 3}, {5, 4}};
    CHECK(rounds_without_shared_ranks(pairs) == std::vector<Round>{{0, 1, 2}});
}

TEST(pairs_of_one_rank_go_one_after_another) {
    const std::vector<RankPair> pairs{{0, 1}, {2, 0}, {0, 3}, {1, 3}};
    CHECK(rounds_without_shared_ranks(pairs) == std::vector<Round>{{0}, {1, 3}, {2}});
}

TEST(a_pair_requested_twice_has_two_rounds) {
    const std::vector<RankPair> pairs{{0, 1}, {1, 0}};
    check_rounds(pairs);
    CHECK(rounds_without_shared_ranks(pairs).size() == 2);
}

TEST(all_pairs_of_many_ranks_have_their_rounds) {
    const std::size_t ranks = 256;
    const std::vector<RankPair> pairs = all_pairs(static_cast<int>(ranks));
    check_rounds(pairs);
    CHECK(rounds_without_shared_ranks(pairs).size() < 2 * ranks);
}

TEST(without_pairs_there_is_no_round) { CHECK(rounds_without_shared_ranks({}).empty()); }

TEST(a_pair_is_two_different_ranks_of_the_world) {
    const RankPair pair = parse_rank_pair("12-3", 13);
    CHECK(pair.first == 12 && pair.second == 3);
    CHECK_THROWS(UsageError, "is not two numbers", parse_rank_pair("3", 4));
    CHECK_THROWS(UsageError, "not a whole number", parse_rank_pair("a-1", 4));
    CHECK_THROWS(UsageError, "not a whole number", parse_rank_pair("1-", 4));
    CHECK_THROWS(UsageError, "not a whole number", parse_rank_pair("1-2-3", 4));
    CHECK_THROWS(UsageError, "two different ones of 4 ranks", parse_rank_pair("1-1", 4));
    CHECK_THROWS(UsageError, "two different ones of 4 ranks", parse_rank_pair("0-4", 4));
}

}  // namespace
}  // namespace machmeter
