// Sampling in step, with a clock that moves only when an event runs.
#include <cmath>
#include <cstdint>

#include "core/session/team_sampling.hpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_clock.hpp"

namespace machmeter {
namespace {

constexpr ClockFacts clock_facts{25e-9, 1e-9};

// The root of a team.
class FakeTeam {
   public:
    void barrier() { ++barriers; }
    double broadcast(double value) { return value; }

    int barriers = 0;
};

// The root's value is a tenth of that of this rank, which must take it.
class OtherRank {
   public:
    void barrier() {}
    double broadcast(double value) { return value / 10; }
};

// Each round takes so long.
auto event_of(std::uint64_t nanoseconds) {
    test::fake_step = 0;
    return Event(test::fake_clock,
                 [=](std::uint64_t rounds) { test::fake_now += nanoseconds * rounds; });
}

bool about(double value, double expected) { return std::abs(value - expected) < 1e-3 * expected; }

TEST(calibration_finds_the_event) {
    FakeTeam team;
    CHECK(about(calibrate_together(team, clock_facts, event_of(300)), 300e-9));
    CHECK(team.barriers > 3);
}

TEST(calibration_of_a_long_event_is_two_runs) {
    FakeTeam team;
    auto event = event_of(50'000'000);
    CHECK(about(calibrate_together(team, clock_facts, event), 50e-3));
    CHECK(event.rounds() == 2);
}

TEST(calibration_ignores_one_disturbed_trial) {
    FakeTeam team;
    int calls = 0;
    const auto event = [&](std::uint64_t count) {
        return 30e-6 * static_cast<double>(count) + (calls++ == 1 ? 500e-6 : 0);
    };
    CHECK(about(calibrate_together(team, clock_facts, event), 30e-6));
}

TEST(calibration_ignores_a_first_trial_of_many_milliseconds) {
    FakeTeam team;
    int calls = 0;
    const auto event = [&](std::uint64_t count) {
        return 300e-9 * static_cast<double>(count) + (calls++ == 0 ? 6e-3 : 0);
    };
    CHECK(about(calibrate_together(team, clock_facts, event), 300e-9));
}

TEST(every_rank_takes_the_time_of_the_root) {
    OtherRank team;
    CHECK(about(calibrate_together(team, clock_facts, event_of(50'000'000)), 5e-3));
}

TEST(clock_share_decides_the_batch) {
    FakeTeam team;
    const SamplingLimits limits{200, 8, 1.0};
    CHECK(sample_together(team, clock_facts, limits, 0.05, event_of(1000)).batch == 1);
    const Samples taken = sample_together(team, clock_facts, limits, 0.01, event_of(1000));
    CHECK(taken.batch == 3);
    CHECK(taken.seconds.size() == 200);
    CHECK(about(taken.seconds.front(), 1e-6));
    CHECK(about(taken.timed_seconds, 200 * 3 * 1e-6));
}

TEST(a_point_that_becomes_slow_ends_early_but_not_before_the_least) {
    FakeTeam team;
    const SamplingLimits limits{200, 8, 0.001};
    auto slow = event_of(1'000'000);
    const Samples taken = take_samples_together(team, {1, 200}, limits, slow);
    CHECK(taken.seconds.size() == 25);
    CHECK(about(taken.timed_seconds, 25e-3));
    CHECK(take_samples_together(team, {1, 10}, limits, slow).seconds.size() == 8);
}

}  // namespace
}  // namespace machmeter
