// Two threads of a team find each other and pass numbers to and fro; what goes wrong is seen.
#include <sched.h>

#include <array>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/check.hpp"
#include "tests/support/fake_clock.hpp"
#include "threads/pairs.cpp"  // NOLINT(bugprone-suspicious-include)

namespace machmeter {
namespace {

const PairTeam team_of_three({{10, 0}, {11, 1}, {12, 2}});

// A session that met a clock of 10 ns, whose readings are 1 us apart from then on.
Session hasty_session() {
    test::fake_step = 10;
    Arguments arguments;
    arguments.limits = {.most = 4, .least = 2, .seconds = 1e-3};
    Session session(test::fake_clock, std::move(arguments), [](const PointResult&) {});
    test::fake_step = 1'000;
    return session;
}

template <class Protocol>
void passes_in_order(const Pair& cpus) {
    Session session = hasty_session();
    const Passed passed = pass_to_and_fro<Protocol>(session, team_of_three, cpus);
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
    {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(static_cast<std::size_t>(cpus[static_cast<std::size_t>(omp_get_thread_num())]),
                &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    return cpus;
}

}  // namespace

TEST(pairs_are_two_numbers) {
    CHECK(parse_pair("0-17") == Pair{0, 17});
    CHECK(parse_pair("3-3") == Pair{3, 3});
    CHECK_THROWS(UsageError, "two numbers like 0-17", parse_pair("17"));
    CHECK_THROWS(UsageError, "not a whole number", parse_pair("0-"));
    CHECK_THROWS(UsageError, "not a whole number", parse_pair("-1-2"));
    CHECK_THROWS(UsageError, "beyond any CPU", parse_pair("0-4294967296"));
}

TEST(only_the_two_threads_of_a_pair_act) {
    std::array<int, 3> acted{};
    team_of_three.run(
        {12, 11}, [&] { acted[static_cast<std::size_t>(omp_get_thread_num())] += 1; },
        [&] { acted[static_cast<std::size_t>(omp_get_thread_num())] += 10; });
    CHECK(acted == std::array{0, 10, 1});
}

TEST(a_cpu_without_a_thread_is_told) {
    CHECK_THROWS(UsageError, "bound to CPU 13", team_of_three.run({10, 13}, [] {}, [] {}));
}

TEST(turns_alternate_and_each_side_sees_what_the_other_did) {
    for (const Pair& cpus : {Pair{10, 11}, Pair{12, 10}, Pair{11, 11}}) {
        std::vector<int> turns;  // no lock: taking turns is what keeps the sides apart
        std::vector<int> threads;
        team_of_three.take_turns(
            cpus,
            [&] {
                turns.push_back(1);
                threads.push_back(omp_get_thread_num());
                return turns.size() < 9;
            },
            [&] {
                turns.push_back(2);
                threads.push_back(omp_get_thread_num());
            });
        CHECK(turns == std::vector{1, 2, 1, 2, 1, 2, 1, 2, 1});
        CHECK(threads[0] == team_of_three.thread_on(cpus.first));
        CHECK(threads[1] == team_of_three.thread_on(cpus.second));
    }
}

TEST(what_a_side_throws_is_thrown_after_both_ended) {
    const auto fail = [] { throw std::runtime_error("no memory"); };
    int other = 0;
    const auto count = [&] { ++other; };
    CHECK_THROWS(std::runtime_error, "no memory", (team_of_three.run({10, 12}, fail, count), 0));
    CHECK_THROWS(std::runtime_error, "no memory", (team_of_three.run({10, 12}, count, fail), 0));
    CHECK_THROWS(std::runtime_error, "no memory", (team_of_three.run({11, 11}, fail, count), 0));
    CHECK(other == 2);
}

TEST(a_side_that_throws_in_its_turn_lets_the_other_go) {
    for (const Pair& cpus : {Pair{10, 11}, Pair{12, 10}, Pair{11, 11}}) {
        for (const int last : {1, 2, 5, 6}) {
            int turns = 0;
            const auto turn = [&] {
                if (++turns == last) {
                    throw std::runtime_error("gave up");
                }
                return true;
            };
            CHECK_THROWS(std::runtime_error, "gave up",
                         (team_of_three.take_turns(cpus, turn, turn), 0));
            CHECK(turns == last);
        }
    }
}

TEST(a_team_that_is_not_whole_does_not_act) {
    std::string said;
    bool acted = false;
    // In a team a second one is of one thread alone.
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        try {
            team_of_three.take_turns({10, 11}, [&] { return acted = true; }, [&] { acted = true; });
        } catch (const std::runtime_error& error) {
            said = error.what();
        }
    }
    CHECK(said.find("has 1 threads of 3") != std::string::npos);
    CHECK(!acted);
}

TEST(a_leader_that_throws_lets_its_follower_go) {
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
    Session session(breaking, std::move(arguments), [](const PointResult&) {});
    readings = 0;
    CHECK_THROWS(std::runtime_error, "the clock broke",
                 pass_to_and_fro<TwoLines>(session, team_of_three, {10, 11}));
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
    test::fake_step = 10;
    Session session(test::fake_clock, Arguments{}, [](const PointResult&) {});
    int calls = 0;
    // A round trip of 200 ns, and 4 ms more in all trials but one.
    const SamplingPlan plan = plan_round_trips(session, [&](std::uint64_t count) {
        test::fake_now += count * 200 + (++calls == 3 ? 0 : 4'000'000);
    });
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

TEST(a_number_lost_on_the_way_is_seen) {
    Passed passed;
    passed.led = passed.followed = 7;
    CHECK(passed.in_order());
    passed.followed = 6;
    CHECK(!passed.in_order());
    passed.followed = 7;
    passed.in_step = false;
    CHECK(!passed.in_order());
    CHECK(!Passed{}.in_order());
}

TEST(a_follower_ends_in_step_when_told_and_out_of_step_otherwise) {
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
    CHECK_THROWS(UsageError, "has no protocol 'wink'", run("protocol=wink,pair=0-1"));
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
    CHECK(recorded[0].words.at(0).second != recorded[1].words.at(0).second);
}

}  // namespace machmeter
