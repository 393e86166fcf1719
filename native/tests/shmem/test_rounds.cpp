// Times of the slowest rank, by a clock that moves only when an event runs.
#include <cmath>
#include <cstdint>

#include "shmem/rounds.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

std::uint64_t now_nanoseconds = 0;
constexpr Clock fake_clock{[] { return now_nanoseconds; }};
constexpr ClockFacts clock_facts{25e-9, 1e-9};

// Another rank takes twice as long as this one.
struct FakeTeam {
    void barrier() { ++barriers; }
    double broadcast(double value) { return value; }
    double largest(double value) { return 2 * value; }

    int barriers = 0;
};

bool about(double value, double expected) { return std::abs(value - expected) < 1e-3 * expected; }

TEST(every_sample_is_of_the_slowest_and_begins_together) {
    FakeTeam team;
    const SamplingLimits limits{50, 8, 1.0};
    const Samples taken = sample_slowest(
        team, clock_facts, limits,
        Event(fake_clock, [](std::uint64_t count) { now_nanoseconds += 1000 * count; }));
    CHECK(taken.seconds.size() == 50);
    CHECK(team.barriers >= 50);
    CHECK(taken.batch == 1);
    CHECK(about(taken.seconds.front(), 2e-6));
    CHECK(about(taken.timed_seconds, 50e-6));
}

TEST(short_events_are_batched_and_slow_points_end_early) {
    FakeTeam team;
    const SamplingLimits limits{200, 8, 1e-3};
    const Samples brief = sample_slowest(
        team, clock_facts, limits,
        Event(fake_clock, [](std::uint64_t count) { now_nanoseconds += 100 * count; }));
    CHECK(brief.batch == 5);
    CHECK(about(brief.seconds.front(), 200e-9));
    int calls = 0;
    const Samples slow =
        sample_slowest(team, clock_facts, limits, Event(fake_clock, [&](std::uint64_t count) {
                           now_nanoseconds += (calls++ < 20 ? 1000 : 1'000'000) * count;
                       }));
    CHECK(slow.seconds.size() < 200);
    CHECK(slow.seconds.size() >= 8);
}

}  // namespace
}  // namespace machmeter
