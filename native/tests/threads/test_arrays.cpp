// Array clauses do what OpenMP specifies; the check finds a copy that is shared or stale; sampling.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"
#include "threads/arrays.cpp"

namespace machmeter {
namespace {

TEST(every_clause_is_right_for_every_size_on_any_number_of_threads) {
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        for (const auto& [name, clause] : clauses) {
            CHECK(array_clause_is_right<8>(clause, threads, 20));
            CHECK(array_clause_is_right<512>(clause, threads, 20));
            CHECK(array_clause_is_right<8192>(clause, threads, 5));
            CHECK(array_clause_is_right<131072>(clause, threads, 3));
        }
    }
}

TEST(a_region_that_shares_the_array_is_found) {
    omp_set_num_threads(2);
    const auto shared = [](auto& block, auto& check) { shared_regions(1, block, check); };
    CHECK(!private_copies_are_right<512>(2, 3, true, shared));
    // On one thread the copy has the right content, but the original is written to.
    omp_set_num_threads(1);
    CHECK(!private_copies_are_right<512>(1, 3, true, shared));
}

TEST(a_copy_without_the_content_of_the_original_is_found) {
    omp_set_num_threads(2);
    const ThreadBlocks<512> blocks(2);
    fill_words(own_array.words(), 64, 5);
    CopyCheck check(64);
    check.expect(5);
    regions_without_copyin(1, check);
    CHECK(!check.right(2));
}

TEST(a_single_that_does_not_hand_on_its_array_is_found) {
    const ThreadBlocks<512> blocks(2);
    CopyCheck check(64);
    check.expect(1);
    auto write = [](std::uint64_t* own, std::uint64_t /*index*/) { fill_words(own, 64, 1); };
#pragma omp parallel num_threads(2)
    single_without_copy(1, blocks.of(omp_get_thread_num()), write, check);
    CHECK(!check.right(2));
}

TEST(one_wrong_word_and_one_missing_thread_are_found) {
    std::uint64_t words[4];
    fill_words(words, 4, 9);
    CHECK(words_are(words, 4, 9));
    CHECK(!words_are(words, 4, 8));
    words[3] += 1;
    CHECK(!words_are(words, 4, 9));
    omp_set_num_threads(1);
    CopyCheck check(4);
    check(0, words);
    CHECK(check.right(1));
    CHECK(!check.right(2));
}

TEST(a_thread_array_copies_words_and_not_its_place) {
    std::uint64_t from[2] = {1, 2};
    std::uint64_t to[2] = {};
    ThreadArray original;
    ThreadArray copy;
    original.hold(from, sizeof from);
    copy.hold(to, sizeof to);
    copy = original;
    CHECK(to[0] == 1 && to[1] == 2 && copy.words() == to);
}

TEST(every_clause_and_size_becomes_a_point_with_its_pairs) {
    omp_set_num_threads(1);
    std::vector<std::string> points;
    for (const auto& [name, clause] : clauses) {
        for (const char* size : {"8", "512", "8192", "131072"}) {
            points.push_back("clause=" + std::string(name) + ",size=" + size);
        }
    }
    const auto recorded = test::run_with_fake_clock(&run_arrays, points, 64'000);
    CHECK(recorded.size() == points.size());
    for (const PointResult& point : recorded) {
        CHECK(point.check_passed);
        CHECK(point.batch == 8);
        CHECK(point.series[0].first == "test" && point.series[1].first == "reference");
        CHECK(point.series[0].second == std::vector<double>(200, 8e-6));
        CHECK(point.series[1].second == point.series[0].second);
    }
}

TEST(other_sizes_and_clauses_are_usage_errors) {
    const auto run = [](const char* point) { test::run_with_fake_clock(&run_arrays, {point}, 1); };
    CHECK_THROWS(UsageError, "16 bytes is none of 8, 512", (run("clause=private,size=16"), 0));
    CHECK_THROWS(UsageError, "'shared' is none of", (run("clause=shared,size=8"), 0));
}

}  // namespace
}  // namespace machmeter
