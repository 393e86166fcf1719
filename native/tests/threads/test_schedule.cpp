// Loops do each iteration once under every schedule; the check finds one that does not; sampling.
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"
#include "threads/schedule.cpp"

namespace machmeter {
namespace {

TEST(every_schedule_is_right_with_every_chunk_on_any_number_of_threads) {
    for (const int threads : {1, 2, 3}) {
        for (const auto& [name, schedule] : schedules) {
            for (const int chunk : {0, 1, 8, 100, 1024}) {
                if (schedule != Schedule::auto_ || chunk == 0) {
                    CHECK(schedule_is_right({schedule, chunk}, threads, threads * 1024));
                    CHECK(schedule_is_right({schedule, chunk}, threads, 1));
                }
            }
        }
    }
}

TEST(an_iteration_that_is_missing_or_done_twice_is_found) {
    IterationOwners owners(2);
    owners(0, 0);
    CHECK(!owners.each_once());
    owners(0, 1);
    CHECK(owners.each_once());
    owners(1, 1);
    CHECK(!owners.each_once());
}

TEST(chunks_in_another_order_are_found) {
    IterationOwners owners(8);
    for (const int iteration : {0, 1, 4, 5}) {
        owners(0, iteration);
    }
    for (const int iteration : {2, 3, 6, 7}) {
        owners(1, iteration);
    }
    CHECK(as_scheduled(owners, {Schedule::static_, 2}, 2));
    CHECK(!as_scheduled(owners, {Schedule::static_, 1}, 2));
    CHECK(!as_scheduled(owners, {Schedule::static_, 2}, 3));
    CHECK(as_scheduled(owners, {Schedule::dynamic, 2}, 2));
    CHECK(as_scheduled(owners, {Schedule::dynamic, 1}, 2));
    CHECK(!as_scheduled(owners, {Schedule::dynamic, 4}, 2));
    CHECK(as_scheduled(owners, {Schedule::guided, 4}, 2));
}

// By thread: pieces so far.
struct CountPieces {
    std::array<std::atomic<std::uint64_t>, 3> pieces{};

    void operator()(int thread, int /*iteration*/) { ++pieces[static_cast<std::size_t>(thread)]; }
};

TEST(the_reference_does_as_many_iterations_as_each_thread_did) {
    CountPieces scheduled;
    CountPieces by_hand;
    IterationsDone done(3);
    std::atomic<std::uint64_t> repeated = 0;
#pragma omp parallel num_threads(3)
    {
        const int thread = omp_get_thread_num();
        done.set(thread, scheduled_loops({Schedule::dynamic, 8}, 4, 300, scheduled));
        repeated += loops_by_hand(done.of(thread), by_hand);
    }
    CHECK(done.sum() == 1200);
    CHECK(repeated == 1200);
    for (const int thread : {0, 1, 2}) {
        const auto own = static_cast<std::size_t>(thread);
        CHECK(scheduled.pieces[own] == done.of(thread));
        CHECK(by_hand.pieces[own] == done.of(thread));
    }
}

TEST(the_reference_repeats_the_shares_of_a_test_of_as_many_loops) {
    omp_set_num_threads(2);
    ScheduleBench bench(monotonic_clock, {Schedule::dynamic, 1});
    bench.reference(1);
    CHECK(bench.done().sum() == 2 * 1024);
    bench.reference(3);
    CHECK(bench.done().sum() == 3 * 2 * 1024);
    bench.test(2);
    CHECK(bench.done().sum() == 2 * 2 * 1024);
}

// Thread t starts t microseconds late and takes 5 ns.
std::array<std::atomic<std::uint64_t>, 3> readings{};
const Clock uneven_start{[] {
    const auto thread = static_cast<std::uint64_t>(omp_get_thread_num());
    return 1000 * thread + 5 * readings[thread]++;
}};

TEST(an_uneven_start_is_in_neither_part) {
    omp_set_num_threads(3);
    ScheduleBench bench(uneven_start, {Schedule::guided, 0});
    CHECK(test::near(bench.test(1), 5e-9));
    CHECK(test::near(bench.reference(1), 5e-9));
}

TEST(every_schedule_and_chunk_becomes_a_point_with_its_pairs) {
    omp_set_num_threads(1);
    std::vector<std::string> points = {"schedule=auto,chunk=0"};
    for (const char* schedule : {"static", "dynamic", "guided"}) {
        for (const char* chunk : {"0", "1", "8", "64", "1024"}) {
            points.push_back("schedule=" + std::string(schedule) + ",chunk=" + chunk);
        }
    }
    const auto recorded = test::run_with_fake_clock(&run_schedule, points, 64'000);
    CHECK(recorded.size() == points.size());
    for (const PointResult& point : recorded) {
        CHECK(point.check_passed);
        CHECK(point.batch == 1);
        CHECK(point.series[0].first == "test" && point.series[1].first == "reference");
        CHECK(point.series[0].second == std::vector<double>(200, 64e-6));
        CHECK(point.series[1].second == point.series[0].second);
        CHECK(point.quantities[1].first == "events_per_sample" &&
              point.quantities[1].second == 1024);
    }
}

TEST(what_no_loop_has_is_a_usage_error) {
    const auto run = [](const char* point) {
        test::run_with_fake_clock(&run_schedule, {point}, 1);
    };
    CHECK_THROWS(UsageError, "'affinity' is none of", (run("schedule=affinity,chunk=0"), 0));
    CHECK_THROWS(UsageError, "schedule(auto) takes none", (run("schedule=auto,chunk=8"), 0));
    CHECK_THROWS(UsageError, "chunk: 1025 is not within 0 and 1024",
                 (run("schedule=static,chunk=1025"), 0));
}

}  // namespace
}  // namespace machmeter
