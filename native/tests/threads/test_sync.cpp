// The constructs do what OpenMP specifies; the checks find one that does not.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"
#include "threads/sync.cpp"

namespace machmeter {
namespace {

TEST(every_construct_is_right_on_any_number_of_threads) {
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        for (const auto& [name, construct] : names) {
            CHECK(construct_is_right(construct, threads, 101));
        }
    }
}

TEST(checks_see_a_thread_that_is_missing) {
    omp_set_num_threads(1);
    CHECK(!parallel_is_right(2, 10));
    CHECK(!reduction_is_right(2, 10));
    CHECK(!parallel_loop_is_right(2, 10));
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

TEST(passages_in_turn_are_divided_to_the_last) {
    constexpr int threads = 3;
    constexpr std::uint64_t passages = 7;
    PieceCounts critical(threads);
    PieceCounts locked(threads);
    PieceCounts ordered(threads);
    Lock lock;
#pragma omp parallel num_threads(threads)
    {
        critical_passages(passages, critical);
        lock_passages(passages, lock, locked);
        ordered_passages(passages, ordered);
    }
    CHECK(critical.sum() == passages);
    CHECK(locked.sum() == passages);
    CHECK(ordered.of(0) == 3 && ordered.of(1) == 2 && ordered.of(2) == 2);
}

TEST(a_piece_that_comes_before_its_turn_is_found) {
    PiecesInStep early(2);
    early.wait_for_all(0, 0);
    early.wait_for_all(0, 1);
    early.wait_for_all(1, 0);
    early.wait_for_all(1, 1);
    CHECK(!early.right(2));
    PiecesInStep unwaited(2);
    unwaited.wait_for_own(0, 1);
    unwaited.wait_for_own(0, 0);
    CHECK(!unwaited.right(1));
    PiecesInStep in_step(2);
    for (const std::uint64_t index : {0U, 1U}) {
        in_step.wait_for_all(1, index);
        in_step.wait_for_all(0, index);
    }
    CHECK(in_step.right(2));
    CHECK(!in_step.right(3));
}

TEST(an_instance_that_comes_before_the_one_before_it_has_ended_is_found) {
    InstancesInTurn in_turn(2);
    in_turn(1, 0);
    CHECK(!in_turn.right());
    in_turn(0, 1);
    CHECK(in_turn.right());
    InstancesInTurn early(2);
    early(0, 1);
    early(1, 0);
    CHECK(!early.right());
    InstancesInTurn twice(1);
    twice(0, 0);
    twice(1, 0);
    CHECK(!twice.right());
}

TEST(more_threads_are_checked_over_more_passages) {
    CHECK(checked_passages(1) == 200);
    CHECK(checked_passages(50) == 200);
    CHECK(checked_passages(192) == 768);
}

TEST(updates_that_did_not_arrive_are_found) {
    omp_set_num_threads(2);
    ConstructBench bench(monotonic_clock, Construct::atomic);
    bench.test(7);
    bench.reference(5);
    bench.test(3);
    CHECK(bench.all_updated());
}

TEST(an_entry_that_is_missing_is_found) {
    CHECK(one_at_a_time(1, 5, [](auto& payload) { pieces_on_one(0, 5, payload); }));
    CHECK(!one_at_a_time(1, 5, [](auto& payload) { pieces_on_one(0, 4, payload); }));
}

TEST(tasks_are_done_by_the_time_their_creator_goes_on) {
    for (const int threads : {1, 2, 3}) {
        PieceCounts counts(threads);
        std::atomic<bool> right = true;
#pragma omp parallel num_threads(threads)
        {
            const auto own = static_cast<std::size_t>(omp_get_thread_num());
            for (std::uint64_t round = 1; round <= 20; ++round) {
                task_passages(5, counts);
                right = right && counts.of(own) == 10 * round - 5;
                taskwait_passages(5, counts);
                right = right && counts.of(own) == 10 * round;
            }
        }
        CHECK(right);
    }
}

TEST(updates_are_divided_with_and_without_atomic) {
    Sum shared;
    std::atomic<std::uint64_t> plain = 0;
#pragma omp parallel num_threads(3)
    {
        atomic_passages(7, shared);
        Sum own;
        plain_updates(7, own);
        plain += static_cast<std::uint64_t>(own.value);
    }
    CHECK(shared.value == 7.0);
    CHECK(plain == 7);
}

TEST(references_do_the_same_number_of_pieces) {
    PieceCounts together(2);
    PieceCounts alone(2);
#pragma omp parallel num_threads(2)
    {
        pieces_on_all(7, together);
        pieces_on_one(1, 7, alone);
    }
    CHECK(together.each_is(7));
    CHECK(alone.of(0) == 0 && alone.of(1) == 7);
}

// By thread: readings so far. Thread t starts t microseconds late and takes 5 ns.
std::array<std::atomic<std::uint64_t>, 3> readings{};
const Clock uneven_start{[] {
    const auto thread = static_cast<std::uint64_t>(omp_get_thread_num());
    return 1000 * thread + 5 * readings[thread]++;
}};

TEST(the_reference_has_an_uneven_start_only_where_the_test_cannot_make_up_for_it) {
    omp_set_num_threads(3);
    for (const auto& [name, construct] : names) {
        const bool with_start = construct == Construct::loop || construct == Construct::barrier;
        CHECK(test::near(ConstructBench(uneven_start, construct).reference(1),
                         with_start ? 2005e-9 : 5e-9));
    }
}

TEST(a_test_that_one_thread_times_has_no_uneven_start) {
    omp_set_num_threads(3);
    for (const Construct construct : {Construct::parallel, Construct::parallel_loop,
                                      Construct::reduction, Construct::taskloop}) {
        CHECK(test::near(ConstructBench(uneven_start, construct).test(1), 5e-9));
    }
    for (const Construct construct : {Construct::barrier, Construct::lock, Construct::task}) {
        for (auto& of_thread : readings) {
            of_thread = 0;
        }
        CHECK(test::near(ConstructBench(uneven_start, construct).test(3), 2005e-9));
    }
}

TEST(every_construct_becomes_a_point_with_its_pairs) {
    omp_set_num_threads(1);
    std::vector<std::string> points;
    for (const auto& [name, construct] : names) {
        points.push_back("construct=" + std::string(name));
    }
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
    ConstructBench bench(coarse, Construct::parallel);
    const ClockFacts facts{.overhead_seconds = 30e-9, .tick_seconds = 1e-6};
    CHECK(passages_per_sample(bench, facts, fewest_passages(1)) == 64);
}

TEST(an_unknown_construct_is_a_usage_error) {
    CHECK_THROWS(UsageError, "'section' is none of parallel, for, parallel-for,",
                 test::run_with_fake_clock(&run_sync, {"construct=section"}, 1));
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
    NodeRuntime runtime;
    NodeSession session(runtime, drifting, arguments,
                        [&](const PointResult& point) { recorded.push_back(point); });
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

}  // namespace
}  // namespace machmeter
