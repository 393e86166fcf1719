// Rounds of a team of three: the root runs here, the others answer by a script.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "network/collectives/overlap_parts.hpp"
#include "network/collectives/round_report.hpp"
#include "network/collectives/round_start.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

std::uint64_t now_nanoseconds = 1'000'000'000;
std::uint64_t reading_nanoseconds = 10;
std::uint64_t read_clock() { return now_nanoseconds += reading_nanoseconds; }
constexpr Clock fake_clock{&read_clock};
constexpr ClockFacts clock_facts{10e-9, 1e-9};
constexpr SamplingLimits limits{200, 8, 0.03};

// Rank 1 ends `behind` later than the root; rank 2 is late in every round that `late_every`
// divides (0: never).
class FakeTeam {
   public:
    void barrier() { ++barriers; }
    [[nodiscard]] bool is_root() const { return true; }
    double broadcast(double value) { return value; }

    std::vector<std::vector<double>> gather(const std::vector<double>& mine) {
        std::vector<std::vector<double>> all{mine, mine, mine};
        const std::size_t count = mine.size() / 2;
        for (std::size_t i = 0; i < count; ++i, ++round) {
            all[1][i] += behind;
            const bool late = late_every > 0 && round % late_every == 0;
            all[2][count + i] = late ? 1 : mine[count + i];
        }
        return all;
    }

    int barriers = 0;
    double behind = 1e-6;
    std::size_t late_every = 0;
    std::size_t round = 0;
};

ClockModel model() {
    ClockModel made;
    made.base_nanoseconds = 1'000'000'000;
    return made;
}

struct Operation {
    std::uint64_t nanoseconds = 5000;
    std::vector<std::uint64_t> seen;

    void operator()(std::uint64_t round) {
        seen.push_back(round);
        now_nanoseconds += nanoseconds;
    }
};

Rounds take(FakeTeam& team, Operation& operation, Start start, bool crowded = false) {
    const EventCost cost{static_cast<double>(operation.nanoseconds) / 1e9, 2e-6};
    const RoundPlan plan = plan_rounds(cost, clock_facts, limits, start, crowded);
    return take_rounds(team, fake_clock, model(), limits, plan, operation);
}

TEST(the_slowest_rank_sets_the_time_of_a_round) {
    FakeTeam team;
    Operation operation;
    const Rounds rounds = take(team, operation, Start::time);
    CHECK(rounds.kept(1) == 200 && rounds.late_starts == 0);
    CHECK(rounds.by_rank.size() == 3);
    for (std::size_t i = 0; i < rounds.slowest.size(); ++i) {
        // From the common start: up to a reading before the event, and one after it.
        CHECK(rounds.by_rank[0][i] > 5.0e-6 && rounds.by_rank[0][i] < 5.05e-6);
        CHECK(std::abs(rounds.slowest[i] - rounds.by_rank[0][i] - 1e-6) < 1e-12);
    }
    for (std::uint64_t i = 0; i < operation.seen.size(); ++i) {
        CHECK(operation.seen[i] == i);
    }
    CHECK(team.barriers == 0);
}

TEST(after_a_barrier_no_rank_is_late) {
    FakeTeam team;
    Operation operation;
    const Rounds rounds = take(team, operation, Start::barrier);
    CHECK(rounds.kept(1) == 200 && rounds.tried() == 200);
    CHECK(team.barriers == 200);
    CHECK(std::abs(rounds.slowest.front() - 6.01e-6) < 1e-10);
}

TEST(late_rounds_are_counted_and_replaced) {
    FakeTeam team;
    team.late_every = 10;
    Operation operation;
    const Rounds rounds = take(team, operation, Start::time);
    CHECK(rounds.kept(1) >= 200);
    CHECK(rounds.late_starts * 10 >= rounds.tried() && rounds.late_starts > 0);
    CHECK(rounds.kept(1) + rounds.late_starts == rounds.tried());
    CHECK(rounds.tried() == operation.seen.size());
}

TEST(an_own_late_start_is_left_out) {
    FakeTeam team;
    Operation operation;
    operation.nanoseconds = 5000;
    int calls = 0;
    const auto sometimes_long = [&](std::uint64_t round) {
        operation(round);
        // Rounds 30 to 32 are over by the time that the third of them ends.
        now_nanoseconds += ++calls == 30 ? 40'000 : 0;
    };
    const RoundPlan plan = plan_rounds({5e-6, 2e-6}, clock_facts, limits, Start::time, false);
    const Rounds rounds = take_rounds(team, fake_clock, model(), limits, plan, sometimes_long);
    CHECK(!rounds.left_out[29] && rounds.slowest[29] > 45e-6);
    CHECK(rounds.left_out[30] && rounds.left_out[31]);
    CHECK(!rounds.left_out[34]);
}

TEST(an_event_of_two_speeds_is_not_measured_by_its_fast_rounds) {
    FakeTeam team;
    int calls = 0;
    // Every third takes longer than two windows that were planned after the fast ones.
    const auto of_two_speeds = [&](std::uint64_t) {
        now_nanoseconds += ++calls % 3 == 0 ? 60'000 : 5000;
    };
    const RoundPlan plan = plan_rounds({5e-6, 2e-6}, clock_facts, limits, Start::time, false);
    const Rounds rounds = take_rounds(team, fake_clock, model(), limits, plan, of_two_speeds);
    const std::vector<double> kept = values_together(rounds.slowest, rounds.left_out);
    const auto slow = std::count_if(kept.begin(), kept.end(), [](double s) { return s > 30e-6; });
    CHECK(kept.size() >= limits.least && rounds.late_starts > 0);
    CHECK(3 * slow >= static_cast<std::ptrdiff_t>(kept.size()) - 3);
}

// Eight rounds of 1 us, of which the first `late` began late and the next `slow` take 30 us.
std::vector<std::vector<double>> run_of_eight(std::size_t late, std::size_t slow) {
    std::vector<double> values(16);
    for (std::size_t i = 0; i < 8; ++i) {
        values[i] = i >= late && i < late + slow ? 30e-6 : 1e-6;
        values[8 + i] = i < late ? 1 : 0;
    }
    return {values};
}

TEST(a_run_with_many_overruns_counts_for_nothing) {
    constexpr double none = std::numeric_limits<double>::infinity();
    Rounds rounds;
    CHECK(!append_run(rounds, run_of_eight(0, 2), 8, 20e-6).spoiled);
    CHECK(rounds.kept(1) == 8 && rounds.by_rank[0].size() == 8);
    CHECK(append_run(rounds, run_of_eight(0, 3), 8, 20e-6).spoiled);
    CHECK(rounds.kept(1) == 8 && rounds.by_rank[0].size() == 8 && rounds.tried() == 16);
    CHECK(!append_run(rounds, run_of_eight(0, 3), 8, none).spoiled);
    CHECK(rounds.kept(1) == 16 && rounds.late_starts == 0);
}

TEST(a_lost_cpu_leaves_out_the_late_rounds_alone) {
    Rounds rounds;
    const RunFate fate = append_run(rounds, run_of_eight(6, 1), 8, 20e-6);
    CHECK(!fate.spoiled && fate.late == 6);
    CHECK(rounds.kept(1) == 2 && rounds.late_starts == 6);
    CHECK((rounds.by_rank[0] == std::vector<double>{30e-6, 1e-6}));
}

TEST(clocks_that_come_apart_fail_the_check) {
    const EventCost cost{10e-6, 2e-6};
    for (const auto& [error, passes] : {std::pair{0.4e-6, true}, std::pair{0.6e-6, false}}) {
        Rounds rounds;
        rounds.slowest.assign(8, 10e-6);
        rounds.left_out.assign(8, false);
        rounds.clock_error_seconds = error;
        PointResult result(Parameters(""));
        result.check(true, "right");
        require_together(result, rounds, cost, limits);
        CHECK(result.check_passed == passes);
        CHECK((result.check_what.find("600 ns") != std::string::npos) == !passes);
    }
}

TEST(a_clock_that_matters_is_an_attribute) {
    for (const auto& [share, reported] : {std::pair{0.04, false}, std::pair{0.12, true}}) {
        PointResult result(Parameters(""));
        result.check(true, "right");
        describe_clock_share(result, share);
        CHECK(result.quantities.back().second == share);
        CHECK(result.attributes.empty() == !reported);
        CHECK(!reported ||
              result.attributes.back().second.find("12 % of one event") != std::string::npos);
    }
}

TEST(ranks_that_are_always_late_end_the_point) {
    FakeTeam team;
    team.late_every = 1;
    Operation operation;
    const Rounds rounds = take(team, operation, Start::time);
    CHECK(rounds.kept(1) == 0);
    CHECK(rounds.by_rank[0].empty());
    PointResult result(Parameters(""));
    result.check(true, "right");
    require_together(result, rounds, {5e-6, 2e-6}, limits);
    CHECK(!result.check_passed);
    CHECK(result.check_what.find("start=barrier") != std::string::npos);
}

TEST(ranks_without_a_cpu_each_are_tried_only_once) {
    FakeTeam team;
    team.late_every = 1;
    Operation operation;
    CHECK(take(team, operation, Start::time, true).tried() == 25);
}

TEST(windows_widen_after_spoiled_runs_and_stay_so) {
    RoundPlan plan;
    plan.rounds = 200;
    plan.window_seconds = 20e-6;
    plan.widest_seconds = 2e-3;
    Rounds rounds;
    rounds.window_seconds = 20e-6;
    rounds.slowest.assign(8, 1e-6);
    rounds.left_out.assign(8, true);
    CHECK(test::near(next_window(rounds, plan, true, 0, limits), 40e-6));
    rounds.window_seconds = 2e-3;
    CHECK(test::near(next_window(rounds, plan, true, 0, limits), 2e-3));
    rounds.slowest.assign(16, 1e-6);
    rounds.left_out.resize(16, false);
    CHECK(test::near(next_window(rounds, plan, false, 0, limits), 2e-3));
    CHECK(next_window(rounds, plan, false, 1.0, limits) == 0);
    // Many tries end a point only once enough rounds count.
    rounds.slowest.assign(1000, 1e-6);
    rounds.left_out.assign(1000, true);
    CHECK(next_window(rounds, plan, true, 0.3, limits) > 0);
    CHECK(next_window(rounds, plan, true, 0.6, limits) == 0);
}

TEST(the_cost_of_an_event_has_its_fastest_and_its_usual_time) {
    FakeTeam team;
    int calls = 0;
    const EventCost cost = measure_cost(team, fake_clock, 0.015, [&](std::uint64_t) {
        now_nanoseconds += ++calls == 3 ? 900'000 : 30'000;
    });
    CHECK(std::abs(cost.event_seconds - 30.01e-6) < 1e-9);
    CHECK(std::abs(cost.usual_seconds - 30.01e-6) < 1e-9);
    CHECK(calls == 10);
    const EventCost two = measure_cost(team, fake_clock, 0.015, [&](std::uint64_t) {
        now_nanoseconds += ++calls % 2 == 0 ? 80'000 : 30'000;
    });
    CHECK(std::abs(two.usual_seconds - 80.01e-6) < 1e-9);
    CHECK(std::abs(plan_rounds(two, clock_facts, limits, Start::time, false).window_seconds -
                   130.015e-6) < 1e-9);
    // A rank that loses its CPU does not widen windows without limit.
    const RoundPlan bounded =
        plan_rounds({5e-6, 2e-6, 40e-3}, clock_facts, limits, Start::time, false);
    CHECK(test::near(bounded.window_seconds, 2e-3));
    calls = 10;
    measure_cost(team, fake_clock, 0.015, [&](std::uint64_t) {
        ++calls;
        now_nanoseconds += 40'000'000;
    });
    CHECK(calls == 14);
}

TEST(parts_of_an_overlap_turn_and_go_out_together) {
    std::vector<int> first_counts(3);
    for (std::uint64_t sample = 0; sample < 6; ++sample) {
        std::vector<bool> seen(3);
        for (std::uint64_t i = 0; i < 3; ++i) {
            seen[static_cast<std::size_t>(overlap_part(3 * sample + i))] = true;
        }
        CHECK(seen[0] && seen[1] && seen[2]);
        ++first_counts[static_cast<std::size_t>(overlap_part(3 * sample))];
    }
    CHECK(first_counts[0] == 2 && first_counts[1] == 2 && first_counts[2] == 2);
    Rounds rounds;
    rounds.left_out.assign(9, false);
    rounds.left_out[4] = true;
    for (std::uint64_t i = 0; i < 9; ++i) {
        const auto part = static_cast<int>(overlap_part(i));
        rounds.slowest.push_back(10.0 * part + static_cast<double>(i / 3));
    }
    const auto series = overlap_series(rounds);
    CHECK(series[0].first == "total" && series[0].second == std::vector<double>{20, 22});
    CHECK(series[1].first == "work" && series[1].second == std::vector<double>{10, 12});
    CHECK(series[2].first == "communication" && series[2].second == std::vector<double>{0, 2});
    CHECK(rounds.kept(3) == 6);
}

}  // namespace
}  // namespace machmeter
