// The constructs keep their promises; the checks see when one does not; the team's clock adds up.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "check.hpp"
#include "fake_clock.hpp"
#include "threads/sync.cpp"

namespace machmeter {
namespace {

constexpr Construct all_constructs[] = {Construct::parallel, Construct::loop,
                                        Construct::barrier,  Construct::reduction,
                                        Construct::single,   Construct::critical};

TEST(every_construct_is_right_on_any_number_of_threads) {
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        for (const Construct construct : all_constructs) {
            CHECK(construct_is_right(construct, threads, 101));
        }
    }
}

TEST(checks_see_a_thread_that_is_missing) {
    omp_set_num_threads(1);
    CHECK(!parallel_is_right(2, 10));
    CHECK(!reduction_is_right(2, 10));
}

TEST(counts_see_a_piece_too_many_and_one_too_few) {
    PieceCounts counts(2);
    counts(0, 0);
    CHECK(!counts.each_is(1));
    counts(1, 0);
    CHECK(counts.each_is(1));
    counts(1, 1);
    CHECK(!counts.each_is(1));
    CHECK(counts.sum() == 3);
}

TEST(critical_shares_out_every_passage) {
    constexpr int threads = 3;
    constexpr std::uint64_t passages = 7;
    PieceCounts counts(threads);
#pragma omp parallel num_threads(threads)
    critical_passages(passages, counts);
    CHECK(counts.sum() == passages);
}

TEST(references_do_the_same_number_of_pieces) {
    PieceCounts together(2);
    PieceCounts alone(2);
#pragma omp parallel num_threads(2)
    {
        pieces_on_all(7, together);
        pieces_on_one(7, alone);
    }
    CHECK(together.each_is(7));
    CHECK(alone.of(0) == 7 && alone.of(1) == 0);
}

std::atomic<std::uint64_t> ticks = 0;

TEST(team_clock_spans_first_begin_to_last_end) {
    // Two readings a thread, one apart each: 0 .. 2 n - 1 however the threads interleave.
    const Clock counting{[] { return ticks++; }};
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

TEST(the_reference_of_a_test_timed_on_the_master_alone_has_no_uneven_start) {
    omp_set_num_threads(3);
    for (const Construct construct : {Construct::parallel, Construct::reduction}) {
        CHECK(test::near(Bench(uneven_start, construct).reference(1), 5e-9));
    }
    CHECK(test::near(Bench(uneven_start, Construct::barrier).reference(1), 2005e-9));
}

TEST(team_clock_runs_the_body_once_a_thread_and_can_be_used_again) {
    TeamClock team(monotonic_clock, 2);
    PieceCounts counts(2);
    for (int round = 0; round < 3; ++round) {
        team.time([&] { counts(omp_get_thread_num(), 0); });
    }
    CHECK(counts.each_is(3));
}

TEST(every_construct_becomes_a_point_with_its_pairs) {
    omp_set_num_threads(1);
    const std::vector<std::string> points = {"construct=parallel", "construct=for",
                                             "construct=barrier",  "construct=reduction",
                                             "construct=single",   "construct=critical"};
    const auto recorded = test::run_with_fake_clock(&run_sync, points, 64'000);
    CHECK(recorded.size() == points.size());
    for (const PointResult& point : recorded) {
        CHECK(point.check_passed);
        CHECK(point.batch == 32);
        CHECK(point.series[0].first == "test" && point.series[1].first == "reference");
        CHECK(point.series[0].second == std::vector<double>(200, 2e-6));
        CHECK(point.series[1].second == point.series[0].second);
    }
}

std::uint64_t coarse_readings = 0;

TEST(passages_are_added_until_the_clock_does_not_show_in_the_reference_either) {
    omp_set_num_threads(1);
    // Three stretches of 10 us, less than 20 ticks; all others take 200 us.
    const Clock coarse{[] {
        const std::uint64_t reading = coarse_readings++;
        const std::uint64_t stretches = (reading + 1) / 2;
        return std::min<std::uint64_t>(stretches, 3) * 10'000 +
               (stretches > 3 ? stretches - 3 : 0) * 200'000;
    }};
    Bench bench(coarse, Construct::parallel);
    const ClockFacts facts{.overhead_seconds = 30e-9, .tick_seconds = 1e-6};
    CHECK(passages_per_sample(bench, facts, 1) == 64);
}

TEST(an_unknown_construct_is_a_usage_error) {
    CHECK_THROWS(UsageError, "'taskloop' is none of",
                 construct_of(Parameters("construct=taskloop")));
}

std::uint64_t drifting_now = 0;
std::uint64_t drifting_step = 0;

TEST(drift_cancels_over_the_pairs) {
    omp_set_num_threads(1);
    // Every reading takes 10 ns longer than the one before.
    const Clock drifting{[] { return drifting_now += drifting_step += 10; }};
    std::vector<PointResult> recorded;
    Arguments arguments;
    arguments.points.emplace_back("construct=barrier");
    Session session(drifting, arguments, [&](const PointResult& p) { recorded.push_back(p); });
    drifting_step = 60'000;
    run_sync(session);
    const auto& test = recorded.at(0).series[0].second;
    const auto& reference = recorded.at(0).series[1].second;
    CHECK(test.size() == 200);
    double overhead = 0;
    double largest = 0;
    for (std::size_t i = 0; i < test.size(); ++i) {
        overhead += test[i] - reference[i];
        largest = std::max(largest, std::abs(test[i] - reference[i]));
    }
    CHECK(largest > 0);
    CHECK(std::abs(overhead) < 1e-6 * largest);
}

TEST(runtime_is_named) { CHECK(openmp_runtime().find("omp") < 5); }

}  // namespace
}  // namespace machmeter
