// Nested teams do what OpenMP specifies, the check finds those that do not, and sampling in pairs.
#include <omp.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"
#include "threads/nested.cpp"

namespace machmeter {
namespace {

constexpr NestedConstruct both_constructs[] = {NestedConstruct::parallel, NestedConstruct::barrier};

// Regions may be nested for as long as this lives.
struct NestingAllowed {
    NestingAllowed() { omp_set_max_active_levels(2); }
    NestingAllowed(const NestingAllowed&) = delete;
    NestingAllowed& operator=(const NestingAllowed&) = delete;
    ~NestingAllowed() { omp_set_max_active_levels(1); }
};

TEST(both_constructs_are_right_for_every_split) {
    const NestingAllowed nesting;
    for (const Teams teams : {Teams{1, 1}, Teams{1, 3}, Teams{2, 1}, Teams{2, 2}, Teams{3, 2}}) {
        for (const NestedConstruct construct : both_constructs) {
            CHECK(nested_is_right(construct, teams, 11));
        }
    }
}

TEST(the_check_finds_inner_teams_that_are_too_small) {
    omp_set_max_active_levels(1);
    for (const NestedConstruct construct : both_constructs) {
        CHECK(!nested_is_right(construct, {2, 2}, 3));
    }
}

TEST(teams_that_lack_threads_are_an_error_before_anything_waits_for_them) {
    omp_set_max_active_levels(1);
    CHECK_THROWS(std::runtime_error, "gave 2 threads where 2 x 3", require_whole({2, 3}));
    const NestingAllowed nesting;
    require_whole({2, 3});
}

// Calls as a thread alone in its team would make them.
bool passed_after(NestedCheck& check, const std::vector<int>& threads, std::uint64_t count) {
    for (const int thread : threads) {
        for (std::uint64_t i = 0; i < count; ++i) {
            check(thread, i);
        }
    }
    return check.passed(count);
}

TEST(the_check_misses_threads_and_passages) {
    NestedCheck whole({2, 1}, Places::unbound);
    CHECK(passed_after(whole, {0, 1}, 4));
    CHECK(!whole.passed(5));
    NestedCheck lacks_one({2, 1}, Places::unbound);
    CHECK(!passed_after(lacks_one, {0}, 4));
    NestedCheck one_too_many({2, 1}, Places::unbound);
    CHECK(!passed_after(one_too_many, {0, 1, 2}, 4));
}

TEST(the_check_sees_a_thread_that_did_not_wait_for_its_team) {
    NestedCheck check({1, 2}, Places::unbound);
    bool passed = true;
    const NestingAllowed nesting;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        check(0, 0);
        check(1, 0);
        passed = check.passed(1);
        check(0, 1);
        // Thread 1 has not done its passage 1 yet.
        check(0, 2);
    }
    CHECK(passed);
    CHECK(!check.passed(1) && !check.passed(2) && !check.passed(3));
}

// Inner thread i of any team starts i microseconds late and takes 5 ns.
std::atomic<std::uint64_t> readings[2]{};
const Clock uneven_start{[] {
    const auto thread = static_cast<std::uint64_t>(omp_get_thread_num());
    return 1000 * thread + 5 * readings[thread]++;
}};

TEST(the_reference_of_a_region_has_no_uneven_start_in_it) {
    const NestingAllowed nesting;
    CHECK(test::near(NestedBench(uneven_start, {1, 2}, NestedConstruct::parallel).reference(1),
                     5e-9));
    CHECK(test::near(NestedBench(uneven_start, {1, 2}, NestedConstruct::barrier).reference(1),
                     1005e-9));
}

TEST(every_construct_becomes_a_point_with_its_pairs) {
    omp_set_num_threads(1);
    const auto recorded = test::run_with_fake_clock(
        &run_nested, {"construct=inner-parallel", "construct=inner-barrier"}, 64'000);
    CHECK(recorded.size() == 2);
    for (const PointResult& point : recorded) {
        CHECK(point.check_passed);
        CHECK(point.batch == fewest_nested_passages);
        CHECK(point.series[0].first == "test" && point.series[1].first == "reference");
        CHECK(point.series[0].second == std::vector<double>(200, 8e-6));
        CHECK(point.series[1].second == point.series[0].second);
    }
}

TEST(regions_of_milliseconds_are_timed_one_by_one) {
    omp_set_num_threads(1);
    const auto recorded =
        test::run_with_fake_clock(&run_nested, {"construct=inner-parallel"}, 5'000'000);
    CHECK(recorded.at(0).batch == 1);
    CHECK(recorded.at(0).series[0].second == std::vector<double>(8, 5e-3));
}

TEST(places_are_one_a_thread_or_one_a_team_and_anything_else_is_an_error) {
    CHECK(places_of({2, 3}, 6) == Places::one_a_thread);
    CHECK(places_of({2, 3}, 2) == Places::one_a_team);
    CHECK(places_of({2, 1}, 2) == Places::one_a_thread);
    CHECK_THROWS(std::runtime_error, "gives 3 places", places_of({2, 3}, 3));
    CHECK_THROWS(std::runtime_error, "one a thread, 6, or one an inner team, 2",
                 places_of({2, 3}, 12));
}

TEST(an_unknown_construct_is_a_usage_error) {
    CHECK_THROWS(UsageError, "'barrier' is none of inner-parallel, inner-barrier",
                 nested_construct_of(Parameters("construct=barrier")));
}

}  // namespace
}  // namespace machmeter
