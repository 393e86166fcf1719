// Times of teams and of nested teams, from the readings of their own threads.
#include <omp.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "core/openmp/team_clock.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

// Regions may be nested for as long as this lives.
struct NestingAllowed {
    NestingAllowed() { omp_set_max_active_levels(2); }
    NestingAllowed(const NestingAllowed&) = delete;
    NestingAllowed& operator=(const NestingAllowed&) = delete;
    ~NestingAllowed() { omp_set_max_active_levels(1); }
};

std::atomic<std::uint64_t> ticks = 0;
const Clock counting{[] { return ticks++; }};

TEST(team_clock_spans_first_begin_to_last_end) {
    // Two readings a thread, one apart each: 0 .. 2 n - 1 however the threads interleave.
    for (const int threads : {1, 2, 3}) {
        ticks = 0;
        TeamClock team(counting, threads);
        const double seconds = team.time([] {});
        CHECK(seconds == seconds_between(0, 2 * static_cast<std::uint64_t>(threads) - 1));
    }
}

// By thread: readings so far. Thread t starts t microseconds late and takes 5 ns.
std::array<std::atomic<std::uint64_t>, 3> readings{};
const Clock uneven_start{[] {
    const auto thread = static_cast<std::uint64_t>(omp_get_thread_num());
    return 1000 * thread + 5 * readings[thread]++;
}};

TEST(the_slowest_thread_counts_from_its_own_begin) {
    TeamClock team(uneven_start, 3);
    CHECK(test::near(team.time([] {}), 2005e-9));
    CHECK(test::near(team.time_of_slowest([] {}), 5e-9));
}

TEST(team_clock_runs_the_body_once_a_thread_and_can_be_used_again) {
    TeamClock team(monotonic_clock, 2);
    std::array<std::atomic<int>, 2> counts{};
    for (int round = 0; round < 3; ++round) {
        team.time([&] { ++counts[static_cast<std::size_t>(omp_get_thread_num())]; });
    }
    CHECK(counts[0] == 3 && counts[1] == 3);
}

TEST(all_inner_teams_are_timed_from_the_first_begin_to_the_last_end) {
    const NestingAllowed nesting;
    for (const Teams teams : {Teams{1, 3}, Teams{2, 2}, Teams{3, 1}}) {
        ticks = 0;
        TeamsClock clock(counting, teams);
        const auto readings = 2 * static_cast<std::uint64_t>(teams.threads());
        CHECK(clock.all_inner([](int) {}) == seconds_between(0, readings - 1));
        CHECK(ticks == readings);
    }
}

TEST(regions_are_timed_by_their_outer_threads_alone) {
    const NestingAllowed nesting;
    ticks = 0;
    TeamsClock clock(counting, {2, 2});
    std::atomic<int> calls = 0;
    const double seconds = clock.slowest_outer([&] { ++calls; });
    CHECK(calls == 2);
    CHECK(ticks == 4);
    CHECK(seconds >= 1e-9 && seconds <= 3e-9);
}

}  // namespace
}  // namespace machmeter
