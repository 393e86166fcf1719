// Two threads of a team act together or in turns; the others sleep.
#include <omp.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/openmp/pair_team.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

const PairTeam team_of_three({{10, 0}, {11, 1}, {12, 2}});

TEST(pairs_are_two_numbers) {
    CHECK(parse_pair("0-17") == Pair{0, 17});
    CHECK(parse_pair("3-3") == Pair{3, 3});
    CHECK_THROWS(UsageError, "two numbers such as 0-17", parse_pair("17"));
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

TEST(a_cpu_without_a_thread_is_reported) {
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

TEST(a_side_that_throws_in_its_turn_releases_the_other) {
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
    std::string message;
    bool acted = false;
    // In a team a second one is of one thread alone.
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        try {
            team_of_three.take_turns({10, 11}, [&] { return acted = true; }, [&] { acted = true; });
        } catch (const std::runtime_error& error) {
            message = error.what();
        }
    }
    CHECK(message.find("has 1 threads of 3") != std::string::npos);
    CHECK(!acted);
}

}  // namespace
}  // namespace machmeter
