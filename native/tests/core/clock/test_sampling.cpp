#include "core/clock/sampling.hpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_clock.hpp"

namespace machmeter {
namespace {

// Timed by a clock that only the body moves.
template <class Body>
auto fake_event(Body body) {
    test::fake_step = 0;
    return Event(test::fake_clock, body);
}

constexpr ClockFacts clock_of_30_ns{.overhead_seconds = 30e-9, .tick_seconds = 1e-9};

TEST(events_are_batched_only_where_the_clock_is_over_5_percent) {
    const SamplingLimits limits;
    CHECK(plan_sampling(1e-3, clock_of_30_ns, limits).batch == 1);
    CHECK(plan_sampling(601e-9, clock_of_30_ns, limits).batch == 1);
    CHECK(plan_sampling(599e-9, clock_of_30_ns, limits).batch == 2);
    CHECK(plan_sampling(1e-9, clock_of_30_ns, limits).batch == 600);
}

TEST(a_coarse_tick_counts_like_a_costly_reading) {
    const ClockFacts coarse{.overhead_seconds = 30e-9, .tick_seconds = 1e-6};
    CHECK(plan_sampling(1e-6, coarse, SamplingLimits{}).batch == 20);
}

TEST(samples_fit_the_time_but_for_the_least_number) {
    const SamplingLimits limits{.most = 200, .least = 8, .seconds = 0.1};
    CHECK(plan_sampling(1e-6, clock_of_30_ns, limits).samples == 200);
    CHECK(plan_sampling(1e-3, clock_of_30_ns, limits).samples == 100);
    CHECK(plan_sampling(1.0, clock_of_30_ns, limits).samples == 8);
}

TEST(an_event_without_duration_still_has_a_plan) {
    const SamplingPlan plan = plan_sampling(0, clock_of_30_ns, SamplingLimits{});
    CHECK(plan.batch >= 1 && plan.samples >= 8);
}

TEST(samples_are_what_the_clock_says_of_one_event) {
    std::uint64_t round = 0;
    const Samples taken =
        take_samples({.batch = 4, .samples = 3}, fake_event([&](std::uint64_t events) {
                         ++round;
                         test::fake_now += events * round * 100;
                     }));
    CHECK(taken.batch == 4);
    CHECK(taken.seconds.size() == 3);
    CHECK(test::near(taken.seconds[0], 100e-9));
    CHECK(test::near(taken.seconds[1], 200e-9));
    CHECK(test::near(taken.seconds[2], 300e-9));
    CHECK(test::near(taken.timed_seconds, 4 * 600e-9));
}

TEST(calibration_counts_on_until_the_clock_no_longer_matters) {
    std::uint64_t longest = 0;
    const double event = calibrate(clock_of_30_ns, fake_event([&](std::uint64_t events) {
                                       longest = events;
                                       test::fake_now += events * 7;
                                   }));
    CHECK(test::near(event, 7e-9));
    CHECK(longest == 128);
}

TEST(an_interrupt_in_a_trial_does_not_pass_for_a_long_event) {
    for (const std::uint64_t interrupt : {5'000U, 4'000'000U}) {
        for (const int interrupted : {0, 1, 7}) {
            int call = 0;
            const double event = calibrate(
                clock_of_30_ns, fake_event([&](std::uint64_t events) {
                    test::fake_now += events * 7 + (call++ == interrupted ? interrupt : 0);
                }));
            CHECK(test::near(event, 7e-9));
        }
    }
}

TEST(a_long_event_is_tried_twice_and_a_short_one_three_times) {
    const auto trials_of = [](std::uint64_t nanoseconds) {
        int trials = 0;
        calibrate(clock_of_30_ns, fake_event([&](std::uint64_t events) {
                      ++trials;
                      test::fake_now += events * nanoseconds;
                  }));
        return trials;
    };
    CHECK(trials_of(2'000'000) == 2);
    CHECK(trials_of(700) == 3);
}

TEST(the_clock_has_its_share_in_an_event_timed_by_itself) {
    CHECK(test::near(share_of_clock(clock_of_30_ns, 600e-9), usual_clock_share));
    CHECK(share_of_clock({.overhead_seconds = 30e-9, .tick_seconds = 1e-6}, 4e-6) == 0.25);
    CHECK(share_of_clock(clock_of_30_ns, 10e-9) == 1);
    CHECK(share_of_clock(clock_of_30_ns, 0) == 1);
    CHECK(share_of_clock({}, 0) == 1);
}

TEST(the_whole_of_a_point_warms_up_first) {
    std::vector<std::uint64_t> calls;
    const Samples taken = sample_event(clock_of_30_ns, {.most = 5, .least = 2, .seconds = 1},
                                       fake_event([&](std::uint64_t events) {
                                           calls.push_back(events);
                                           test::fake_now += calls.size() == 1 ? 9'000'000 : 1'000;
                                       }));
    CHECK(calls == std::vector<std::uint64_t>(9, 1));
    CHECK(taken.seconds == std::vector<double>(5, 1e-6));
}

TEST(a_point_whose_events_grow_long_ends_early) {
    int events_run = 0;
    const Samples taken = sample_event(clock_of_30_ns, {.most = 100, .least = 8, .seconds = 1e-3},
                                       fake_event([&](std::uint64_t /*events*/) {
                                           ++events_run;
                                           test::fake_now += events_run > 10 ? 5'000'000 : 10'000;
                                       }));
    CHECK(taken.seconds.size() >= fewest_samples);
    CHECK(taken.seconds.size() < 20);
}

TEST(an_event_counts_its_rounds_and_its_work) {
    auto plain = fake_event([](std::uint64_t) {});
    plain(3);
    plain(4);
    CHECK(plain.rounds() == 7 && plain.work() == 7);
    auto lines = fake_event([](std::uint64_t rounds) { return 64 * rounds; });
    lines(2);
    CHECK(lines.rounds() == 2 && lines.work() == 128);
}

}  // namespace
}  // namespace machmeter
