// Sampling in step, with a clock that moves only when an event runs.
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/session/team_sampling.hpp"
#include "tests/support/check.hpp"

namespace {

std::uint64_t now_nanoseconds = 0;
constexpr machmeter::Clock fake_clock{[] { return now_nanoseconds; }};
constexpr machmeter::ClockFacts clock_facts{25e-9, 1e-9};

// A team of one, which leads.
class FakeTeam {
   public:
    void meet() { ++meetings; }
    double share(double value) { return value; }

    int meetings = 0;
};

// What the leader shares is a tenth of what this rank saw; the leader's must win.
class Follower {
   public:
    void meet() {}
    double share(double value) { return value / 10; }
};

struct Event {
    std::uint64_t nanoseconds;
    std::uint64_t runs = 0;

    void operator()(std::uint64_t count) {
        now_nanoseconds += nanoseconds * count;
        runs += count;
    }
};

bool about(double value, double expected) { return std::abs(value - expected) < 1e-3 * expected; }

TEST(calibration_finds_the_event) {
    FakeTeam team;
    Event event{300};
    CHECK(about(machmeter::calibrate_together(team, fake_clock, clock_facts, event), 300e-9));
    CHECK(team.meetings > 3);
}

TEST(calibration_of_a_long_event_is_two_runs) {
    FakeTeam team;
    Event event{50'000'000};
    CHECK(about(machmeter::calibrate_together(team, fake_clock, clock_facts, event), 50e-3));
    CHECK(event.runs == 2);
}

TEST(calibration_ignores_one_disturbed_trial) {
    FakeTeam team;
    int calls = 0;
    const auto event = [&](std::uint64_t count) {
        now_nanoseconds += 30'000 * count + (calls++ == 1 ? 500'000 : 0);
    };
    CHECK(about(machmeter::calibrate_together(team, fake_clock, clock_facts, event), 30e-6));
}

TEST(calibration_ignores_a_first_trial_of_many_milliseconds) {
    FakeTeam team;
    int calls = 0;
    const auto event = [&](std::uint64_t count) {
        now_nanoseconds += 300 * count + (calls++ == 0 ? 6'000'000 : 0);
    };
    const double seconds = machmeter::calibrate_together(team, fake_clock, clock_facts, event);
    CHECK(about(seconds, 300e-9));
}

TEST(follower_takes_the_leaders_time) {
    Follower team;
    Event event{50'000'000};
    CHECK(about(machmeter::calibrate_together(team, fake_clock, clock_facts, event), 5e-3));
}

TEST(clock_share_decides_the_batch) {
    FakeTeam team;
    const machmeter::SamplingLimits limits{200, 8, 1.0};
    Event usual{1000};
    CHECK(machmeter::sample_together(team, fake_clock, clock_facts, limits, 0.05, usual).batch ==
          1);
    Event strict{1000};
    const machmeter::Samples taken =
        machmeter::sample_together(team, fake_clock, clock_facts, limits, 0.01, strict);
    CHECK(taken.batch == 3);
    CHECK(taken.seconds.size() == 200);
    CHECK(about(taken.seconds.front(), 1e-6));
    CHECK(about(taken.timed_seconds, 200 * 3 * 1e-6));
}

TEST(a_point_that_becomes_slow_ends_early_but_not_before_the_least) {
    FakeTeam team;
    const machmeter::SamplingLimits limits{200, 8, 0.001};
    const machmeter::SamplingPlan plan{1, 200};
    const auto slow = [](std::uint64_t count) { now_nanoseconds += 1'000'000 * count; };
    const machmeter::Samples taken =
        machmeter::take_samples_together(team, fake_clock, plan, limits, slow);
    CHECK(taken.seconds.size() == 25);
    CHECK(about(taken.timed_seconds, 25e-3));
    const machmeter::SamplingPlan few{1, 10};
    CHECK(machmeter::take_samples_together(team, fake_clock, few, limits, slow).seconds.size() ==
          8);
}

}  // namespace
