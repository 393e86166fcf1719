// The memory is one cycle, every sweep reads all of it, and an error in either is found.
#include <string>
#include <vector>

#include "core/memory/pages.hpp"
#include "memory/latency/matrix.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

constexpr std::size_t lines = 20'000;

// All threads of the team, whatever domain they run on.
ThreadsOfDomain all_on(int domain, int threads) {
    omp_set_num_threads(threads);
    ThreadsOfDomain all;
    for (int thread = 0; thread < threads; ++thread) {
        all[domain].push_back(thread);
    }
    return all;
}

int domain_here() { return threads_of_domains().begin()->first; }

Sweeps sweeps_of(const LinkedMemory& memory, const std::vector<int>& threads) {
    NodeSession session = test::fake_session();
    test::fake_step = 1'000'000;
    return measure_sweeps(session, memory, threads);
}

Memory fresh_memory() { return {lines * line_bytes(), base_page_bytes()}; }

constexpr int no_such_domain = 60'000;

}  // namespace

TEST(every_thread_is_on_one_domain) {
    omp_set_num_threads(3);
    std::vector<int> all;
    for (const auto& [domain, threads] : threads_of_domains()) {
        CHECK(domain >= 0);
        all.insert(all.end(), threads.begin(), threads.end());
    }
    std::sort(all.begin(), all.end());
    CHECK(all == std::vector{0, 1, 2});
}

TEST(only_the_requested_threads_act_each_on_its_part) {
    omp_set_num_threads(4);
    std::vector<int> thread_of_part(2, -1);
    on_threads({1, 3}, [&](std::size_t part) { thread_of_part[part] = omp_get_thread_num(); });
    CHECK(thread_of_part == std::vector{1, 3});
}

TEST(the_sum_takes_every_word_of_every_line) {
    const std::size_t words = line_bytes() / sizeof(std::uint64_t);
    const Memory memory(3 * line_bytes(), base_page_bytes());
    memory.fill<std::uint64_t>(0, 3 * words, [](std::size_t i) { return i; });
    const Lines lines_of_memory(memory.as<std::byte>());
    CHECK(sum_of(lines_of_memory, 0, 3) == 3 * words * (3 * words - 1) / 2);
    CHECK(sum_of(lines_of_memory, 1, 1) == words * (3 * words - 1) / 2);
}

TEST(linked_memory_is_one_cycle_whose_words_add_up) {
    for (const int threads : {1, 3}) {
        LinkedMemory memory(domain_here(), all_on(domain_here(), threads), lines, fresh_memory(),
                            1);
        CHECK(memory.single_cycle());
        CHECK(is_single_cycle(memory.lines(), lines));
        LinkedMemory fresh(domain_here(), all_on(domain_here(), threads), lines, fresh_memory(), 1);
        CHECK(sum_of(fresh.lines(), 0, lines) == fresh.expected_sum());
        CHECK(!fresh.placement().elsewhere);
    }
}

TEST(sweeps_take_the_time_from_the_first_begin_to_the_last_end) {
    for (const int threads : {1, 2, 3}) {
        const ThreadsOfDomain all = all_on(domain_here(), threads);
        const LinkedMemory memory(domain_here(), all, lines, fresh_memory(), 1);
        const Sweeps sweeps = sweeps_of(memory, all.begin()->second);
        CHECK(sweeps.right);
        CHECK(sweeps.seconds.size() >= 8);
        for (const double seconds : sweeps.seconds) {
            // Two readings a thread, 1 ms apart each, in whatever order.
            CHECK(test::near(seconds, (2 * threads - 1) * 1e-3));
        }
    }
}

TEST(sweeps_that_lose_their_cpus_end_with_fewer_samples) {
    const ThreadsOfDomain all = all_on(domain_here(), 2);
    const LinkedMemory memory(domain_here(), all, lines, fresh_memory(), 1);
    NodeSession session = test::fake_session();
    test::fake_step = 1'000'000'000;
    CHECK(measure_sweeps(session, memory, all.begin()->second).seconds.size() == fewest_samples);
}

TEST(a_line_that_changed_makes_the_sweeps_wrong) {
    const ThreadsOfDomain all = all_on(domain_here(), 2);
    const LinkedMemory memory(domain_here(), all, lines, fresh_memory(), 1);
    memory.lines().at(lines - 1)->mark += 1;
    CHECK(!sweeps_of(memory, all.begin()->second).right);
    memory.lines().at(lines - 1)->mark -= 1;
    CHECK(sweeps_of(memory, all.begin()->second).right);
}

TEST(memory_that_cannot_be_bound_is_reported_as_elsewhere) {
    const LinkedMemory memory(no_such_domain, all_on(domain_here(), 1), lines, fresh_memory(), 1);
    CHECK(memory.placement().elsewhere);
    CHECK(memory.placement().what.find("NUMA domain 60000") != std::string::npos);
    CHECK(memory.single_cycle());
}

TEST(a_point_has_both_series_and_passes_its_check) {
    omp_set_num_threads(2);
    const std::string here = std::to_string(domain_here());
    const auto recorded = test::run_with_fake_clock(
        &run_matrix,
        {"pair=" + here + "-" + here + ",size=2097152",
         "pair=" + here + "-" + here + ",size=1048576",
         "pair=" + here + "-" + std::to_string(no_such_domain) + ",size=1048576"},
        1'000'000);
    CHECK(recorded.size() == 3);
    CHECK(recorded[0].check_passed && recorded[1].check_passed && !recorded[2].check_passed);
    CHECK(recorded[0].quantities.at(0).second == 2'097'152);
    for (const PointResult& point : recorded) {
        CHECK(point.series.at(0).first == "latency_seconds");
        CHECK(point.series.at(1).first == "sweep_seconds");
        CHECK(point.series.at(0).second == std::vector<double>(15, 1e-3));
        CHECK(point.series.at(1).second.size() >= 8);
        CHECK(point.page_bytes == base_page_bytes());
    }
}

TEST(points_that_make_no_sense_are_refused) {
    const auto run = [](const std::string& point) {
        return test::run_with_fake_clock(&run_matrix, {point}, 1'000'000);
    };
    CHECK_THROWS(UsageError, "runs on NUMA domain 60000", run("pair=60000-0,size=1048576"));
    CHECK_THROWS(UsageError, "2 to 2^32", run("pair=0-0,size=16"));
    CHECK_THROWS(UsageError, "two numbers", run("pair=0,size=1048576"));
    CHECK_THROWS(UsageError, "'size'", run("pair=0-0"));
}

}  // namespace machmeter
