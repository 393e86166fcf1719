// Scores are those of the plain recurrence, whoever aligns; the checks see when they are not.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "codes/alignlong.cpp"
#include "codes/alignpairs.cpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"
#include "tests/support/weak_work.hpp"

namespace machmeter {
namespace {

using align::AllPairs;
using align::LongPair;
using align::Planted;

constexpr std::size_t page = 4096;

AllPairs aligned(std::size_t sequences, int threads, codes::Touch touch = codes::Touch::owner) {
    AllPairs pairs(sequences, touch, page, threads);
    pairs.make_profiles();
    pairs.align(AllPairs::Which::ahead, pairs.scores());
    return pairs;
}

LongPair aligned(gotoh::Letters a, gotoh::Letters b, std::size_t block, int threads) {
    LongPair pair(a, b, block, codes::Touch::owner, page, threads);
    pair.make_profiles();
    pair.align();
    return pair;
}

TEST(letters_score_as_they_should) {
    int sum = 0;
    for (int a = 0; a < gotoh::alphabet; ++a) {
        for (int b = 0; b < gotoh::alphabet; ++b) {
            CHECK(gotoh::score(a, b) == gotoh::score(b, a));
            CHECK(gotoh::score(a, a) > gotoh::score(a, b) || a == b);
            CHECK(gotoh::score(a, b) <= gotoh::highest);
            sum += gotoh::score(a, b);
        }
    }
    CHECK(sum < -gotoh::alphabet * gotoh::alphabet);
}

TEST(lengths_have_the_mean_that_they_should) {
    for (const std::size_t sequences : {100, 1000}) {
        double sum = 0;
        for (std::size_t number = 0; number < sequences; ++number) {
            const std::size_t length = align::length_of(number);
            CHECK(length >= align::shortest);
            CHECK(length <= align::longest);
            sum += static_cast<double>(length);
        }
        CHECK(sum / static_cast<double>(sequences) > 630);
        CHECK(sum / static_cast<double>(sequences) < 655);
    }
}

TEST(a_known_alignment_is_found) {
    // 4 letters, two left out, 3 letters.
    const std::vector<gotoh::Letter> a{5, 5, 5, 5, 2, 3, 4, 4, 4};
    const std::vector<gotoh::Letter> b{5, 5, 5, 5, 4, 4, 4};
    const std::int32_t expected = 4 * 9 + 3 * 8 - gotoh::open - 2 * gotoh::extend;
    CHECK(gotoh::plain_global(a, b) == expected);
    const auto steps = gotoh::FullTables(a, b).trace();
    CHECK(gotoh::score_of_steps(a, b, steps) == expected);
    CHECK(std::count(steps.begin(), steps.end(), gotoh::Step::of_a) == 2);
    CHECK(std::count(steps.begin(), steps.end(), gotoh::Step::both) == 7);
    CHECK(gotoh::score_of_steps(a, b, {steps.begin(), steps.end() - 1}) == gotoh::lowest);
}

TEST(pairs_score_as_by_the_plain_recurrence) {
    for (const std::size_t sequences : {2, 3, 16, 35}) {
        for (const int threads : {1, 2, 3}) {
            AllPairs pairs = aligned(sequences, threads);
            for (std::size_t a = 0; a < sequences; a += 2) {
                for (std::size_t b = a + 1; b < sequences; b += 4) {
                    CHECK(pairs.scores()[AllPairs::place(a, b)] ==
                          gotoh::plain_global(pairs.letters(a), pairs.letters(b)));
                }
            }
            CHECK(threads != 2 || align::fault_of(pairs).empty());
        }
    }
}

TEST(any_team_and_touch_gives_pairs_the_same_scores) {
    const AllPairs one = aligned(24, 1);
    for (const int threads : {2, 3}) {
        for (const codes::Touch touch : {codes::Touch::one, codes::Touch::interleaved}) {
            const AllPairs several = aligned(24, threads, touch);
            CHECK(std::equal(one.scores(), one.scores() + one.pairs(), several.scores()));
            CHECK(one.cells() == several.cells());
        }
    }
}

TEST(traced_alignments_have_the_score_of_the_plain_recurrence) {
    const AllPairs pairs(20, codes::Touch::one, page, 1);
    for (std::size_t a = 0; a < 20; a += 3) {
        for (std::size_t b = 0; b < 12; b += 2) {
            const auto steps = gotoh::FullTables(pairs.letters(a), pairs.letters(b)).trace();
            CHECK(gotoh::score_of_steps(pairs.letters(a), pairs.letters(b), steps) ==
                  gotoh::plain_global(pairs.letters(a), pairs.letters(b)));
        }
    }
}

TEST(wrong_pairs_are_seen) {
    constexpr std::size_t sequences = 33;
    const auto last = AllPairs::place(sequences - 1, sequences - 2);
    AllPairs pairs = aligned(sequences, 2);
    CHECK(align::fault_of(pairs) == "");

    ++pairs.scores()[last];
    CHECK(!align::scores_are_plain(pairs));
    CHECK(!align::scores_are_those_of_exchanged_pairs(pairs));
    pairs.scores()[last] -= 1;
    std::swap(pairs.scores()[AllPairs::place(7, 3)], pairs.scores()[AllPairs::place(9, 2)]);
    CHECK(!align::scores_are_those_of_exchanged_pairs(pairs));
    pairs.align(AllPairs::Which::ahead, pairs.scores());
    --pairs.scores()[AllPairs::place(0, sequences - 1)];
    CHECK(!align::traced_alignments_have_their_scores(pairs));
    pairs.align(AllPairs::Which::ahead, pairs.scores());
    CHECK(align::fault_of(pairs) == "");

    const auto letter = const_cast<gotoh::Letter*>(pairs.letters(4).data());
    *letter = static_cast<gotoh::Letter>((*letter + 1) % gotoh::alphabet);
    CHECK(!align::letters_are_as_made(pairs));
    CHECK(!align::a_sequence_has_all_of_itself(pairs));
}

TEST(a_wrong_profile_of_pairs_is_seen) {
    AllPairs pairs = aligned(33, 2);
    // What letter 0 scores in every column and lane.
    for (std::size_t at = 0; at < AllPairs::strip * AllPairs::lanes; ++at) {
        ++pairs.profiles()[at];
    }
    pairs.align(AllPairs::Which::ahead, pairs.scores());
    CHECK(!align::a_sequence_has_all_of_itself(pairs));
    CHECK(!align::scores_are_those_of_exchanged_pairs(pairs));
    CHECK(!align::fault_of(pairs).empty());
}

TEST(long_sequences_score_as_by_the_plain_recurrence) {
    for (const std::size_t length : {1024, 1025, 1500}) {
        const Planted planted(length);
        const gotoh::Part part =
            gotoh::plain_part(planted.a(), planted.b(), gotoh::nothing_before(length, length), 0);
        for (const int threads : {1, 2, 3}) {
            for (const std::size_t block : {8, 24, 128, 256, 512, 1024, 2048}) {
                const LongPair pair = aligned(planted.a(), planted.b(), block, threads);
                CHECK(pair.best() == part.best);
                CHECK(threads != 2 || align::blocks_are_plain(pair));
                CHECK(threads != 2 || align::pieces_are_found(pair, planted));
            }
        }
    }
}

TEST(long_sequences_of_other_lengths_are_aligned) {
    const Planted planted(2000);
    const gotoh::Letters a = gotoh::Letters(planted.a()).first(1111);
    for (const std::size_t block : {128, 512}) {
        const LongPair pair = aligned(a, planted.b(), block, 2);
        const LongPair exchanged = aligned(planted.b(), a, block, 3);
        CHECK(pair.best() ==
              gotoh::plain_part(a, planted.b(), gotoh::nothing_before(1111, 2000), 0).best);
        CHECK(align::is_that_of_exchanged(pair, exchanged));
    }
}

// Two sequences that are alike but for gaps: these cross the stretches of the lanes.
TEST(long_gaps_are_those_of_the_plain_recurrence) {
    const Planted planted(2048);
    std::vector<gotoh::Letter> b = planted.a();
    for (const std::size_t left_out : {1, 30, 300}) {
        b.erase(b.begin() + 700, b.begin() + 700 + static_cast<std::ptrdiff_t>(left_out));
        const gotoh::Part part =
            gotoh::plain_part(planted.a(), b, gotoh::nothing_before(2048, b.size()), 0);
        for (const std::size_t block : {128, 2048}) {
            const LongPair pair = aligned(planted.a(), b, block, 2);
            CHECK(pair.best() == part.best);
            CHECK(align::blocks_are_plain(pair));
            CHECK(align::is_that_of_exchanged(pair, aligned(b, planted.a(), block, 2)));
        }
    }
}

TEST(a_wrong_long_alignment_is_seen) {
    constexpr std::size_t block = 128;
    const Planted planted(2048);
    const LongPair exchanged = aligned(planted.b(), planted.a(), block, 2);
    const auto fault_after = [&](auto&& change) {
        LongPair pair = aligned(planted.a(), planted.b(), block, 2);
        change(pair);
        return align::fault_of(pair, exchanged, planted);
    };
    const align::Piece& piece = planted.pieces()[0];
    const std::size_t row = (piece.row_end - 1) / block;
    const std::size_t column = (piece.column_end - 1) / block;
    CHECK(fault_after([](LongPair&) {}) == "");
    const std::array<std::string, 6> faults{
        fault_after([&](LongPair& pair) { ++pair.best(3, 5); }),
        fault_after([&](LongPair& pair) { pair.best(row, column) = 0; }),
        fault_after([&](LongPair& pair) { ++pair.row_before(5)[1234].score; }),
        fault_after([&](LongPair& pair) { pair.column_before(5)[1234].gap += 1000; }),
        // A corner that is not the right one's.
        fault_after([&](LongPair& pair) { pair.row_before(row)[column * block - 1].score += 9; }),
        fault_after([&](LongPair& pair) {
            // What letter 0 scores with the first letters of the other.
            for (std::size_t at = 0; at < block; ++at) {
                ++pair.profiles()[at];
            }
            pair.align();
        }),
    };
    for (const std::string& fault : faults) {
        CHECK(!fault.empty());
    }
}

TEST(each_check_of_a_long_alignment_sees_its_fault) {
    constexpr std::size_t block = 128;
    const Planted planted(2048);
    const LongPair exchanged = aligned(planted.b(), planted.a(), block, 2);
    const auto changed = [&](auto&& change) {
        LongPair pair = aligned(planted.a(), planted.b(), block, 2);
        change(pair);
        return pair;
    };
    const LongPair line = changed([](LongPair& pair) { ++pair.row_before(16)[77].score; });
    CHECK(!align::the_beginning_is_plain(line));
    CHECK(!align::is_that_of_exchanged(line, exchanged));
    CHECK(
        !align::blocks_are_plain(changed([](LongPair& pair) { ++pair.row_before(3)[777].score; })));
    const LongPair nothing(planted.a(), planted.b(), block, codes::Touch::one, page, 1);
    CHECK(!align::pieces_are_found(nothing, planted));
}

std::string recorded_check(void (*benchmark)(NodeSession&), const std::string& point) {
    const std::vector<PointResult> points =
        test::run_with_fake_clock(benchmark, {point}, 1'000'000);
    CHECK(points.size() == 1);
    CHECK(points[0].check_passed);
    CHECK(test::quantity_of(points[0], "cells") > 0);
    CHECK(test::quantity_of(points[0], "data_bytes") > 0);
    return points[0].check_what;
}

TEST(points_are_recorded_and_others_refused) {
    CHECK(recorded_check(&run_pairs, "sequences=20,touch=one,scaling=strong").find("exchanged") !=
          std::string::npos);
    CHECK(recorded_check(&run_long, "length=1024,block=256,touch=owner,scaling=strong")
              .find("planted") != std::string::npos);
    const auto pairs = [](const char* point) {
        return test::run_with_fake_clock(&run_pairs, {point}, 1'000'000);
    };
    const auto two = [](const char* point) {
        return test::run_with_fake_clock(&run_long, {point}, 1'000'000);
    };
    CHECK_THROWS(UsageError, "sequences", pairs("sequences=0,touch=one,scaling=strong"));
    CHECK_THROWS(UsageError, "sequences", pairs("sequences=1,touch=one,scaling=strong"));
    CHECK_THROWS(UsageError, "sequences: 1000000",
                 pairs("sequences=1000000,touch=one,scaling=strong"));
    CHECK_THROWS(UsageError, "length", two("length=0,block=256,touch=one,scaling=strong"));
    CHECK_THROWS(UsageError, "length: 50000000",
                 two("length=50000000,block=128,touch=one,scaling=strong"));
    CHECK_THROWS(UsageError, "block", two("length=2048,block=100,touch=one,scaling=strong"));
}

TEST(weak_work_a_thread_is_that_of_one_thread_of_pairs) {
    for (const double part :
         test::weak_work(&run_pairs, "sequences=24,touch=owner", "cells", {2, 3})) {
        CHECK(std::abs(part - 1) <= 0.02);
    }
}

TEST(weak_work_a_thread_is_that_of_one_thread_of_long) {
    for (const double part :
         test::weak_work(&run_long, "length=1024,block=128,touch=owner", "cells", {2, 3})) {
        CHECK(std::abs(part - 1) <= 0.001);
    }
}

}  // namespace
}  // namespace machmeter
