#include "core/clock/clock.hpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_clock.hpp"

namespace machmeter {
namespace {

TEST(seconds_are_nanoseconds_over_ten_to_the_ninth) {
    CHECK(seconds_between(5, 5) == 0);
    CHECK(test::near(seconds_between(1'000, 2'500'001'000), 2.5));
}

TEST(a_clock_that_moves_at_every_reading_costs_its_tick) {
    test::fake_step = 25;
    const ClockFacts facts = measure_clock(test::fake_clock);
    CHECK(test::near(facts.overhead_seconds, 25e-9));
    CHECK(test::near(facts.tick_seconds, 25e-9));
}

std::uint64_t coarse_nanoseconds() {
    static std::uint64_t readings = 0;
    return ++readings / 100'000 * 4'000'000;
}

TEST(a_coarse_clock_shows_its_tick) {
    const ClockFacts facts = measure_clock(Clock{&coarse_nanoseconds});
    CHECK(test::near(facts.tick_seconds, 4e-3));
}

TEST(the_real_clock_never_runs_backwards) {
    std::uint64_t previous = monotonic_clock.now();
    bool forwards = true;
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t now = monotonic_clock.now();
        forwards = forwards && now >= previous;
        previous = now;
    }
    CHECK(forwards);
    const ClockFacts facts = measure_clock(monotonic_clock);
    CHECK(facts.overhead_seconds > 0);
    CHECK(facts.tick_seconds > 0);
}

}  // namespace
}  // namespace machmeter
