#include <cmath>

#include "memory/latency/loaded.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

constexpr std::size_t small_bytes = std::size_t{1} << 20U;
constexpr Mix all_mixes[] = {Mix::read, Mix::two_to_one, Mix::write};

// Runs a load on its own thread until it has moved that many blocks.
void run_until(Load& load, Mix mix, std::uint64_t blocks) {
    StopFlag stop;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        while (load.moved() < blocks) {
            sched_yield();
        }
        stop.raised = true;
    } else {
        load.run(mix, 0, stop);
    }
}

// Timed by a clock that only the body moves.
template <class Body>
auto fake_event(Body body) {
    test::fake_step = 0;
    test::fake_now = 0;
    return Event(test::fake_clock, body);
}

std::vector<PointResult> run(const std::vector<std::string>& points) {
    return test::run_with_fake_clock(&run_loaded, points, 1'000'000);
}

}  // namespace

TEST(a_load_reads_and_writes_what_it_should_run_after_run) {
    for (const std::size_t blocks : {1U, 2U, 7U, 64U}) {
        Load load(blocks * load_block_bytes, base_page_bytes());
        load.fill();
        for (const Mix mix : all_mixes) {
            for (const std::uint64_t moves : {1U, 5U, 200U}) {
                run_until(load, mix, moves);
                CHECK(load.moved() >= moves);
                CHECK(load.settle(mix));
                CHECK(load.moved() == 0);
            }
        }
    }
}

TEST(the_check_finds_a_wrong_value_read) {
    Load load(64 * load_block_bytes, base_page_bytes());
    load.fill();
    load.at(63)[load_block_doubles - 1] += 1;
    run_until(load, Mix::read, 64);
    CHECK(!load.settle(Mix::read));
}

TEST(the_check_finds_a_block_not_written) {
    for (const Mix mix : {Mix::two_to_one, Mix::write}) {
        Load load(63 * load_block_bytes, base_page_bytes());
        load.fill();
        run_until(load, mix, 300);
        // Block 2 is written by either mix, whose thirds fall on the same blocks in each round.
        load.at(2)[5] = -1;
        CHECK(!load.settle(mix));
    }
}

TEST(the_mixes_write_all_a_third_or_nothing) {
    int written[] = {0, 0, 0};
    for (std::uint64_t move = 0; move < 300; ++move) {
        for (const Mix mix : all_mixes) {
            written[static_cast<std::size_t>(mix)] += writes(mix, move) ? 1 : 0;
        }
    }
    CHECK(written[0] == 0 && written[1] == 100 && written[2] == 300);
}

TEST(a_window_lasts_until_the_team_moved_enough_and_gives_both_series) {
    std::uint64_t chases = 0;
    // A load takes 100 ns; the team moves 3 blocks in each step of 50 loads.
    auto chase = fake_event([&](std::uint64_t loads) {
        test::fake_now += 100 * loads;
        ++chases;
    });
    const auto moved = [&] { return 3 * chases; };
    const Windows windows = take_windows(test::fake_clock, {50, 4}, {}, chase, moved);
    CHECK(chases == 12);
    CHECK(windows.latency_seconds.size() == 4 && windows.kibibyte_seconds.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(test::near(windows.latency_seconds[i], 100e-9));
        CHECK(test::near(windows.kibibyte_seconds[i], 15e-6 / 9));
    }
    CHECK(test::near(windows.timed_seconds, 60e-6));
}

TEST(reading_the_counts_is_no_part_of_a_load_and_falls_out_of_the_rate) {
    // 10 blocks a microsecond move all the time, also in the 7 us that reading the counts takes.
    auto chase = fake_event([](std::uint64_t loads) { test::fake_now += 100 * loads; });
    const auto moved = [] {
        const std::uint64_t blocks = test::fake_now / 100;
        test::fake_now += 7'000;
        return blocks;
    };
    const Windows windows = take_windows(test::fake_clock, {50, 5}, {}, chase, moved);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(test::near(windows.latency_seconds[i], 100e-9));
        CHECK(test::near(windows.kibibyte_seconds[i], 100e-9));
    }
}

TEST(a_point_that_takes_twice_its_time_ends) {
    std::uint64_t blocks = 0;
    auto chase = fake_event([](std::uint64_t) { test::fake_now += 1'000'000; });
    const auto moved = [&] { return blocks += 4; };
    const SamplingLimits limits{.most = 200, .least = 8, .seconds = 5e-3};
    CHECK(take_windows(test::fake_clock, {1, 200}, limits, chase, moved).latency_seconds.size() ==
          8);
    const SamplingLimits longer{.most = 200, .least = 8, .seconds = 49.5e-3};
    CHECK(take_windows(test::fake_clock, {1, 200}, longer, chase, moved).latency_seconds.size() ==
          50);
}

TEST(every_mix_passes_its_check_and_is_timed_by_the_clock_given) {
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        const auto recorded =
            run({"mix=read,pause=0,size=1048576", "mix=two-to-one,pause=30,size=1048576",
                 "mix=write,pause=1000,size=1048576", "mix=read,pause=0,size=2097152"});
        CHECK(recorded.size() == 4);
        for (const PointResult& point : recorded) {
            CHECK(point.check_passed);
            const auto latency = test::series_of(point, "latency_seconds");
            const auto kibibyte = test::series_of(point, "kibibyte_seconds");
            // Every stretch takes 1 ms, and one load is as long as that, then.
            CHECK(!latency.empty());
            for (const double seconds : latency) {
                CHECK(std::abs(seconds / 1e-3 - 1) < 1e-9);
            }
            CHECK(kibibyte.size() == latency.size());
            for (const double seconds : kibibyte) {
                CHECK(seconds > 0);
            }
            CHECK(point.quantities.at(0).second == 1024);
            CHECK(point.quantities.at(1).second == threads - 1);
            CHECK(point.page_bytes == base_page_bytes());
        }
    }
}

TEST(the_check_finds_a_chain_that_leads_elsewhere) {
    omp_set_num_threads(2);
    NodeSession session = test::fake_session();
    test::fake_step = 1'000'000;
    LoadedTeam team(small_bytes, base_page_bytes(), 1);
    CHECK(team.chased_right());
    team.measure(session, Mix::read, 0);
    CHECK(team.chased_right());
    CHECK(team.settle(Mix::read));
    Line* const next = team.next();
    std::swap(next->next, next->next->next->next);
    team.measure(session, Mix::write, 0);
    CHECK(!team.chased_right());
    CHECK(team.settle(Mix::write));
}

TEST(a_point_that_loses_its_cpus_ends_with_fewer_samples) {
    std::uint64_t blocks = 0;
    auto chase = fake_event([](std::uint64_t) { test::fake_now += 100'000'000; });
    const auto moved = [&] { return blocks += 8; };
    const SamplingLimits limits{.most = 200, .least = 8, .seconds = 5e-3};
    const Windows windows = take_windows(test::fake_clock, {1, 200}, limits, chase, moved);
    CHECK(windows.latency_seconds.size() == fewest_samples);
}

TEST(a_team_that_needs_more_memory_than_available_is_refused) {
    require_memory_of_team(small_bytes, 8, 9.0 * small_bytes);
    CHECK_THROWS(UsageError, "size: 9 threads with 1048576 bytes each",
                 (require_memory_of_team(small_bytes, 9, 9.0 * small_bytes), 0));
}

TEST(a_rest_is_work_as_long_as_requested) {
    test::fake_step = 20'000;
    // 20,000 steps take 20 us, then.
    CHECK(rest_steps_of(test::fake_clock, 0) == 0);
    CHECK(rest_steps_of(test::fake_clock, 300) == 300);
    CHECK(rest_steps_of(test::fake_clock, 3'000) == 3'000);
}

TEST(points_that_mean_nothing_are_refused) {
    omp_set_num_threads(2);
    CHECK_THROWS(UsageError, "none of read", run({"mix=all,pause=0,size=1048576"}));
    CHECK_THROWS(UsageError, "multiple of the page", run({"mix=read,pause=0,size=1000"}));
    CHECK_THROWS(UsageError, "not a whole number", run({"mix=read,pause=-1,size=1048576"}));
    omp_set_num_threads(1);
    CHECK_THROWS(UsageError, "two or more threads", run({"mix=read,pause=0,size=1048576"}));
}

}  // namespace machmeter
