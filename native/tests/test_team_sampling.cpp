// Sampling in step, with a clock that moves only when an event runs.
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "machmeter/team_sampling.hpp"

namespace {

std::uint64_t now_nanoseconds = 0;
constexpr machmeter::Clock fake_clock{[] { return now_nanoseconds; }};
constexpr machmeter::ClockFacts clock_facts{25e-9, 1e-9};

// A team of which this rank is the leader, or follows one that shares `shared` values in turn.
class FakeTeam {
   public:
    void meet() { ++meetings; }
    double share(double value) {
        sent.push_back(value);
        return value;
    }

    int meetings = 0;
    std::vector<double> sent;
};

// Its own clock is ten times too fast; what the leader shares must win.
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

bool near(double value, double expected) { return std::abs(value - expected) < 1e-3 * expected; }

void test_calibration_finds_the_event() {
    FakeTeam team;
    Event event{300};
    CHECK(near(machmeter::calibrate_together(team, fake_clock, clock_facts, event), 300e-9));
    CHECK(team.meetings > 3);
}

void test_calibration_of_a_long_event_is_one_run() {
    FakeTeam team;
    Event event{50'000'000};
    CHECK(near(machmeter::calibrate_together(team, fake_clock, clock_facts, event), 50e-3));
    CHECK(event.runs == 1);
}

void test_calibration_ignores_one_disturbed_trial() {
    FakeTeam team;
    int calls = 0;
    const auto event = [&](std::uint64_t count) {
        now_nanoseconds += 30'000 * count + (calls++ == 1 ? 500'000 : 0);
    };
    CHECK(near(machmeter::calibrate_together(team, fake_clock, clock_facts, event), 30e-6));
}

void test_follower_takes_the_leaders_time() {
    Follower team;
    Event event{50'000'000};
    CHECK(near(machmeter::calibrate_together(team, fake_clock, clock_facts, event), 5e-3));
}

void test_clock_share_decides_the_batch() {
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
    CHECK(near(taken.seconds.front(), 1e-6));
    CHECK(near(taken.timed_seconds, 200 * 3 * 1e-6));
}

}  // namespace

int main() {
    test_calibration_finds_the_event();
    test_calibration_of_a_long_event_is_one_run();
    test_calibration_ignores_one_disturbed_trial();
    test_follower_takes_the_leaders_time();
    test_clock_share_decides_the_batch();
    return check::result();
}
