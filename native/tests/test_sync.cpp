// The constructs keep their promises; the checks see when one does not; the team's clock adds up.
#include <atomic>
#include <cstdint>

#include "check.hpp"
#include "machmeter/construct_check.hpp"
#include "machmeter/openmp_runtime.hpp"
#include "machmeter/team_clock.hpp"

namespace {

using machmeter::Construct;
using machmeter::PieceCounts;

constexpr Construct all_constructs[] = {Construct::parallel, Construct::loop,
                                        Construct::barrier,  Construct::reduction,
                                        Construct::single,   Construct::critical};

void test_every_construct_is_right_with(int threads) {
    omp_set_num_threads(threads);
    for (const Construct construct : all_constructs) {
        CHECK(machmeter::construct_is_right(construct, threads, 101));
    }
}

void test_checks_see_a_thread_that_is_missing() {
    omp_set_num_threads(1);
    CHECK(!machmeter::parallel_is_right(2, 10));
    CHECK(!machmeter::reduction_is_right(2, 10));
}

void test_counts_see_a_piece_too_many_and_one_too_few() {
    PieceCounts counts(2);
    counts(0, 0);
    CHECK(!counts.each_is(1));
    counts(1, 0);
    CHECK(counts.each_is(1));
    counts(1, 1);
    CHECK(!counts.each_is(1));
    CHECK(counts.sum() == 3);
}

void test_critical_shares_out_every_passage(int threads, std::uint64_t passages) {
    PieceCounts counts(threads);
#pragma omp parallel num_threads(threads)
    machmeter::critical_passages(passages, counts);
    CHECK(counts.sum() == passages);
}

void test_references_do_the_same_number_of_pieces() {
    PieceCounts together(2);
    PieceCounts alone(2);
#pragma omp parallel num_threads(2)
    {
        machmeter::pieces_on_all(7, together);
        machmeter::pieces_on_one(7, alone);
    }
    CHECK(together.each_is(7));
    CHECK(alone.of(0) == 7 && alone.of(1) == 0);
}

std::atomic<std::uint64_t> ticks = 0;

void test_team_clock_spans_first_begin_to_last_end() {
    // Two readings a thread, one apart each: 0 .. 2 n - 1 however the threads interleave.
    const machmeter::Clock counting{[] { return ticks++; }};
    for (const int threads : {1, 2, 3}) {
        ticks = 0;
        machmeter::TeamClock team(counting, threads);
        const double seconds = team.time([] {});
        CHECK(seconds ==
              machmeter::seconds_between(0, 2 * static_cast<std::uint64_t>(threads) - 1));
    }
}

void test_team_clock_runs_the_body_once_a_thread_and_can_be_used_again() {
    machmeter::TeamClock team(machmeter::monotonic_clock, 2);
    PieceCounts counts(2);
    for (int round = 0; round < 3; ++round) {
        team.time([&] { counts(omp_get_thread_num(), 0); });
    }
    CHECK(counts.each_is(3));
}

void test_runtime_is_named() { CHECK(machmeter::openmp_runtime().find("omp") < 5); }

}  // namespace

int main() {
    test_every_construct_is_right_with(1);
    test_every_construct_is_right_with(2);
    test_every_construct_is_right_with(3);
    test_checks_see_a_thread_that_is_missing();
    test_counts_see_a_piece_too_many_and_one_too_few();
    test_critical_shares_out_every_passage(2, 7);
    test_critical_shares_out_every_passage(3, 2);
    test_references_do_the_same_number_of_pieces();
    test_team_clock_spans_first_begin_to_last_end();
    test_team_clock_runs_the_body_once_a_thread_and_can_be_used_again();
    test_runtime_is_named();
    return check::result();
}
