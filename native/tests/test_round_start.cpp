// Rounds of a team of three: the leader runs here, the others answer as they are told to.
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "machmeter/overlap_parts.hpp"
#include "machmeter/round_report.hpp"
#include "machmeter/round_start.hpp"

namespace {

using machmeter::EventCost;
using machmeter::RoundPlan;
using machmeter::Rounds;
using machmeter::Start;

std::uint64_t now_nanoseconds = 1'000'000'000;
std::uint64_t reading_nanoseconds = 10;
std::uint64_t read_clock() { return now_nanoseconds += reading_nanoseconds; }
constexpr machmeter::Clock fake_clock{&read_clock};
constexpr machmeter::ClockFacts clock_facts{10e-9, 1e-9};
constexpr machmeter::SamplingLimits limits{200, 8, 0.03};

// Rank 1 ends `behind` later than the leader; rank 2 is late in every round that `late_every`
// divides (0: never).
class Team {
   public:
    void meet() { ++meetings; }
    [[nodiscard]] bool leads() const { return true; }
    double share(double value) { return value; }

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

    int meetings = 0;
    double behind = 1e-6;
    std::size_t late_every = 0;
    std::size_t round = 0;
};

machmeter::ClockModel model() {
    machmeter::ClockModel made;
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

Rounds take(Team& team, Operation& operation, Start start, bool crowded = false) {
    const EventCost cost{static_cast<double>(operation.nanoseconds) / 1e9, 2e-6};
    const RoundPlan plan = machmeter::plan_rounds(cost, clock_facts, limits, start, crowded);
    return machmeter::take_rounds(team, fake_clock, model(), limits, plan, operation);
}

TEST(the_slowest_rank_sets_the_time_of_a_round) {
    Team team;
    Operation operation;
    const Rounds rounds = take(team, operation, Start::time);
    CHECK(rounds.kept(1) == 200 && rounds.late_starts() == 0);
    CHECK(rounds.by_rank.size() == 3);
    for (std::size_t i = 0; i < rounds.slowest.size(); ++i) {
        // From the common start: up to a reading before the event, and one after it.
        CHECK(rounds.by_rank[0][i] > 5.0e-6 && rounds.by_rank[0][i] < 5.05e-6);
        CHECK(std::abs(rounds.slowest[i] - rounds.by_rank[0][i] - 1e-6) < 1e-12);
    }
    for (std::uint64_t i = 0; i < operation.seen.size(); ++i) {
        CHECK(operation.seen[i] == i);
    }
    CHECK(team.meetings == 0);
}

TEST(after_a_barrier_nobody_is_late) {
    Team team;
    Operation operation;
    const Rounds rounds = take(team, operation, Start::barrier);
    CHECK(rounds.kept(1) == 200 && rounds.tried() == 200);
    CHECK(team.meetings == 200);
    CHECK(std::abs(rounds.slowest.front() - 6.01e-6) < 1e-10);
}

TEST(late_rounds_are_counted_and_others_taken_for_them) {
    Team team;
    team.late_every = 10;
    Operation operation;
    const Rounds rounds = take(team, operation, Start::time);
    CHECK(rounds.kept(1) >= 200);
    CHECK(rounds.late_starts() * 10 >= rounds.tried() && rounds.late_starts() > 0);
    CHECK(rounds.kept(1) + rounds.late_starts() == rounds.tried());
    CHECK(rounds.tried() == operation.seen.size());
}

TEST(an_own_late_start_shows) {
    Team team;
    Operation operation;
    operation.nanoseconds = 5000;
    int calls = 0;
    const auto sometimes_long = [&](std::uint64_t round) {
        operation(round);
        // Rounds 30 to 32 are over by the time that the third of them ends.
        now_nanoseconds += ++calls == 30 ? 40'000 : 0;
    };
    const RoundPlan plan =
        machmeter::plan_rounds({5e-6, 2e-6}, clock_facts, limits, Start::time, false);
    const Rounds rounds =
        machmeter::take_rounds(team, fake_clock, model(), limits, plan, sometimes_long);
    CHECK(!rounds.late[29] && rounds.slowest[29] > 45e-6);
    CHECK(rounds.late[30] && rounds.late[31]);
    CHECK(!rounds.late[34]);
}

TEST(ranks_that_are_always_late_end_the_point) {
    Team team;
    team.late_every = 1;
    Operation operation;
    const Rounds rounds = take(team, operation, Start::time);
    CHECK(rounds.kept(1) == 0);
    CHECK(rounds.tried() <= 900);
    machmeter::PointResult result{machmeter::Parameters(""), {}, 1, true, "right"};
    machmeter::require_together(result, rounds, limits);
    CHECK(!result.check_passed);
    CHECK(result.check_what.find("start=barrier") != std::string::npos);
}

TEST(ranks_without_a_cpu_each_are_tried_but_once) {
    Team team;
    team.late_every = 1;
    Operation operation;
    CHECK(take(team, operation, Start::time, true).tried() == 25);
}

TEST(windows_widen_when_starts_are_late_and_narrow_again) {
    RoundPlan plan;
    plan.rounds = 200;
    plan.window_seconds = 20e-6;
    Rounds rounds;
    rounds.window_seconds = 20e-6;
    rounds.slowest.assign(8, 1e-6);
    rounds.late.assign(8, true);
    CHECK(machmeter::test::near(machmeter::next_window(rounds, plan, 8, 0, limits), 40e-6));
    rounds.window_seconds = 640e-6;
    CHECK(machmeter::test::near(machmeter::next_window(rounds, plan, 8, 0, limits), 640e-6));
    rounds.slowest.assign(16, 1e-6);
    rounds.late.resize(16, false);
    CHECK(machmeter::test::near(machmeter::next_window(rounds, plan, 8, 0, limits), 320e-6));
    CHECK(machmeter::next_window(rounds, plan, 8, 1.0, limits) == 0);
}

TEST(the_cost_of_an_event_is_that_of_its_fastest_trial) {
    Team team;
    int calls = 0;
    const EventCost cost = machmeter::measure_cost(team, fake_clock, 0.015, [&](std::uint64_t) {
        now_nanoseconds += ++calls == 3 ? 900'000 : 30'000;
    });
    CHECK(std::abs(cost.event_seconds - 30.01e-6) < 1e-9);
    CHECK(calls == 6);
    calls = 10;
    machmeter::measure_cost(team, fake_clock, 0.015, [&](std::uint64_t) {
        ++calls;
        now_nanoseconds += 40'000'000;
    });
    CHECK(calls == 14);
}

TEST(parts_of_an_overlap_turn_and_go_out_together) {
    using machmeter::OverlapPart;
    std::vector<int> first_counts(3);
    for (std::uint64_t sample = 0; sample < 6; ++sample) {
        std::vector<bool> seen(3);
        for (std::uint64_t i = 0; i < 3; ++i) {
            seen[static_cast<std::size_t>(machmeter::overlap_part(3 * sample + i))] = true;
        }
        CHECK(seen[0] && seen[1] && seen[2]);
        ++first_counts[static_cast<std::size_t>(machmeter::overlap_part(3 * sample))];
    }
    CHECK(first_counts[0] == 2 && first_counts[1] == 2 && first_counts[2] == 2);
    Rounds rounds;
    rounds.late.assign(9, false);
    rounds.late[4] = true;
    for (std::uint64_t i = 0; i < 9; ++i) {
        const auto part = static_cast<int>(machmeter::overlap_part(i));
        rounds.slowest.push_back(10.0 * part + static_cast<double>(i / 3));
    }
    const auto series = machmeter::overlap_series(rounds);
    CHECK(series[0].first == "total" && series[0].second == std::vector<double>{20, 22});
    CHECK(series[1].first == "work" && series[1].second == std::vector<double>{10, 12});
    CHECK(series[2].first == "communication" && series[2].second == std::vector<double>{0, 2});
    CHECK(rounds.kept(3) == 6);
}

}  // namespace
