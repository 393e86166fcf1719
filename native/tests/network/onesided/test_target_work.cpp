// Epochs with a target that computes, by a clock that moves only when something is done.
#include <cmath>
#include <cstdint>
#include <vector>

#include "network/onesided/target_work.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

std::uint64_t now_nanoseconds = 0;
constexpr Clock fake_clock{[] { return now_nanoseconds; }};

void pass(double seconds) {
    now_nanoseconds += static_cast<std::uint64_t>(std::lround(seconds * 1e9));
}

bool about(double value, double expected) { return std::abs(value - expected) < 1e-6; }

struct FakeTeam {
    void barrier() {}
    double broadcast(double value) { return value; }
};

struct Run {
    WorkedSamples taken;
    int barriers = 0;
    std::vector<double> computed;
};

Run run(bool origin, const WorkPlan& plan, double epoch_seconds, const SamplingLimits& limits) {
    FakeTeam team;
    Run result;
    result.taken = sample_over_work(
        team, fake_clock, limits, plan, origin, [&] { ++result.barriers; },
        [&](double seconds) {
            result.computed.push_back(seconds);
            pass(seconds);
        },
        Event(fake_clock,
              [&](std::uint64_t epochs) { pass(static_cast<double>(epochs) * epoch_seconds); }));
    return result;
}

Run run(bool origin, double waiting_seconds, double epoch_seconds, const SamplingLimits& limits) {
    return run(origin, plan_over_work(waiting_seconds, 1), epoch_seconds, limits);
}

constexpr SamplingLimits limits{20, 8, 1.0};

TEST(work_is_ten_times_the_epoch_but_neither_too_short_nor_too_long) {
    CHECK(about(target_work_seconds(1e-6), 200e-6));
    CHECK(about(target_work_seconds(50e-6), 500e-6));
    CHECK(about(target_work_seconds(1e-3), 5e-3));
    CHECK(about(target_work_seconds(10e-3), 20e-3));
}

TEST(the_origin_times_its_epoch_and_not_its_head_start) {
    const Run origin = run(true, 1e-6, 7e-6, limits);
    CHECK(origin.taken.samples.seconds.size() == 20);
    CHECK(origin.barriers == 20);
    CHECK(about(origin.taken.samples.seconds.front(), 7e-6));
    CHECK(about(origin.computed.front(), head_start_seconds));
    CHECK(about(origin.taken.samples.timed_seconds, 20 * 7e-6));
    CHECK(origin.taken.samples.batch == 1);
    CHECK(origin.taken.worked_seconds.empty());
}

TEST(the_target_works_through_the_whole_of_it) {
    const Run target = run(false, 100e-6, 0, limits);
    CHECK(target.taken.samples.seconds.empty());
    CHECK(target.barriers == 20);
    CHECK(about(target.computed.front(), head_start_seconds + 1e-3));
    CHECK(about(target.taken.worked_seconds.front(), 1e-3));
}

TEST(short_epochs_are_batched_and_reported_by_the_epoch) {
    const WorkPlan plan = plan_over_work(10e-6, 5);
    CHECK(about(plan.work_seconds, 500e-6));
    const Run origin = run(true, plan, 10e-6, limits);
    CHECK(origin.taken.samples.batch == 5);
    CHECK(about(origin.taken.samples.seconds.front(), 10e-6));
    CHECK(about(origin.taken.samples.timed_seconds, 20 * 50e-6));
}

TEST(a_target_that_waits_is_timed_by_the_same_loop_and_computes_nothing) {
    const WorkPlan plan{3, 30e-6, 0};
    const Run target = run(false, plan, 0, limits);
    CHECK(target.barriers == 20);
    CHECK(target.computed.empty());
    const Run origin = run(true, plan, 10e-6, limits);
    CHECK(about(origin.computed.front(), head_start_seconds));
    CHECK(about(origin.taken.samples.seconds.front(), 10e-6));
}

TEST(few_samples_where_time_is_short_and_both_take_as_many) {
    const SamplingLimits short_limits{200, 8, 2.2e-3};
    CHECK(run(true, 1e-6, 200e-6, short_limits).barriers == 10);
    CHECK(run(false, 1e-6, 0, short_limits).barriers == 10);
    CHECK(run(true, 1e-3, 1e-3, short_limits).barriers == 8);
}

TEST(a_point_far_slower_than_planned_ends_early) {
    const SamplingLimits many{200, 8, 0.044};
    CHECK(run(true, 1e-6, 50e-3, many).barriers == 8);
}

}  // namespace
}  // namespace machmeter
