// Two threads of a team find each other and pass numbers back and forth; an error is found.
#include <omp.h>

#include <array>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"
#include "threads/pairs.cpp"  // NOLINT(bugprone-suspicious-include)

namespace machmeter {
namespace {

const PairTeam team_of_three({{10, 0}, {11, 1}, {12, 2}});

// Readings of its clock are 1 us apart.
NodeSession hasty_session() {
    Arguments arguments;
    arguments.limits = {.most = 4, .least = 2, .seconds = 1e-3};
    NodeSession session = test::fake_session(std::move(arguments));
    test::fake_step = 1'000;
    return session;
}

template <class Protocol>
void passes_in_order(const Pair& cpus) {
    NodeSession session = hasty_session();
    const Passed passed = pass_back_and_forth<Protocol>(session, team_of_three, cpus);
    CHECK(passed.in_order());
    CHECK(passed.led == passed.followed);
    CHECK(!passed.samples.seconds.empty());
    for (const double seconds : passed.samples.seconds) {
        // A stretch takes 1 us, whatever happens in it, and holds this many ways.
        CHECK(test::near(seconds, 1e-6 / static_cast<double>(passed.samples.batch)));
    }
}

// The calling process's first CPU and the last one, each with a thread bound to it alone.
std::vector<int> bind_a_thread_to_each_cpu() {
    const std::vector<int> cpus = allowed_cpus();
    omp_set_num_threads(static_cast<int>(cpus.size()));
#pragma omp parallel
    bind_thread_to({cpus[static_cast<std::size_t>(omp_get_thread_num())]});
    return cpus;
}

}  // namespace

TEST(a_first_side_that_throws_releases_the_second) {
    static std::atomic<int> readings;
    readings = std::numeric_limits<int>::min();
    const Clock breaking{[]() -> std::uint64_t {
        if (++readings == 20) {
            throw std::runtime_error("the clock broke");
        }
        return test::read_fake_clock();
    }};
    test::fake_step = 10;
    Arguments arguments;
    arguments.limits = {.most = 100'000, .least = 100'000, .seconds = 1e-3};
    NodeRuntime runtime;
    NodeSession session(runtime, breaking, std::move(arguments), [](const PointResult&) {});
    readings = 0;
    CHECK_THROWS(std::runtime_error, "the clock broke",
                 pass_back_and_forth<TwoLines>(session, team_of_three, {10, 11}));
    CHECK(readings == 20);
}

TEST(every_protocol_passes_numbers_in_order_between_any_two_threads) {
    for (const Pair& cpus : {Pair{10, 11}, Pair{11, 10}, Pair{12, 11}}) {
        passes_in_order<CompareAndSwap>(cpus);
        passes_in_order<OneLine>(cpus);
        passes_in_order<TwoLines>(cpus);
    }
}

TEST(one_slow_trial_does_not_shorten_the_batches) {
    const NodeSession session = test::fake_session();
    test::fake_step = 0;
    int calls = 0;
    // A round trip of 200 ns, and 4 ms more in all trials but one.
    auto round_trips = session.event([&](std::uint64_t count) {
        test::fake_now += count * 200 + (++calls == 3 ? 0 : 4'000'000);
    });
    const SamplingPlan plan = plan_round_trips(session, round_trips);
    CHECK(calls == 5);
    CHECK(plan.batch == 64);
    CHECK(plan.samples == 200);
    CHECK(test::near(plan.most_seconds, 3 * session.limits().seconds));
}

TEST(a_protocol_leaves_the_line_alone_when_the_number_is_not_the_expected_one) {
    std::atomic<std::uint64_t> line = 9;
    CHECK(CompareAndSwap::pass(line, line, 7) == 9);
    CHECK(OneLine::pass(line, line, 7) == 9);
    CHECK(line == 9);
    CHECK(CompareAndSwap::pass(line, line, 9) == 9);
    CHECK(line == 10);
    std::atomic<std::uint64_t> other = 0;
    CHECK(TwoLines::pass(line, other, 10) == 10);
    CHECK(line == 10 && other == 11);
}

TEST(a_number_lost_on_the_way_is_found) {
    Passed passed;
    passed.timed = passed.led = passed.followed = 7;
    CHECK(passed.in_order());
    passed.followed = 6;
    CHECK(!passed.in_order());
    passed.followed = 7;
    passed.timed = 8;
    CHECK(!passed.in_order());
    passed.timed = 7;
    passed.in_step = false;
    CHECK(!passed.in_order());
    CHECK(!Passed{}.in_order());
}

TEST(the_second_side_ends_in_step_at_stop_and_out_of_step_otherwise) {
    Lines lines;
    Passed passed;
    bool in_step = false;
    lines.out = stop;
    follow<OneLine>(lines, passed, in_step);
    CHECK(in_step && passed.followed == 0);
    lines.out = 3;
    follow<TwoLines>(lines, passed, in_step);
    CHECK(!in_step && passed.followed == 0);
}

TEST(points_that_make_no_sense_are_refused) {
    const std::vector<int> cpus = bind_a_thread_to_each_cpu();
    const std::string first = std::to_string(cpus.front());
    const auto run = [](const std::string& point) {
        return test::run_with_fake_clock(&run_pairs, {point}, 1'000'000);
    };
    CHECK_THROWS(UsageError, "is one CPU", run("protocol=one-line,pair=" + first + "-" + first));
    CHECK_THROWS(UsageError, "bound to CPU 9999", run("protocol=one-line,pair=9999-" + first));
    CHECK_THROWS(UsageError, "protocol: 'wink' is none of", run("protocol=wink,pair=0-1"));
    CHECK_THROWS(UsageError, "'pair'", run("protocol=one-line"));
}

TEST(a_launch_records_each_protocol_on_two_bound_threads) {
    const std::vector<int> cpus = bind_a_thread_to_each_cpu();
    if (cpus.size() < 2) {
        return;  // Nothing to pass to; the teams above are larger than any machine.
    }
    const std::string pair =
        "pair=" + std::to_string(cpus.front()) + "-" + std::to_string(cpus.back());
    const auto recorded =
        test::run_with_fake_clock(&run_pairs,
                                  {"protocol=compare-and-swap," + pair, "protocol=one-line," + pair,
                                   "protocol=two-lines," + pair},
                                  1'000);
    CHECK(recorded.size() == 3);
    for (const PointResult& point : recorded) {
        CHECK(point.check_passed);
        CHECK(point.batch % 2 == 0);
        CHECK(point.series.at(0).first == "seconds");
    }
    CHECK(recorded[0].attributes.at(0).second != recorded[1].attributes.at(0).second);
}

}  // namespace machmeter
