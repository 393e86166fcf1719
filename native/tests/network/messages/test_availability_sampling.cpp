#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "network/messages/availability_sampling.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

// A message of 10 us of which 2 us are the processor's; a step of work is 10 ns.
double made_up(Part part, std::uint64_t steps) {
    const double work_seconds = static_cast<double>(steps) * 1e-8;
    switch (part) {
        case Part::communication:
            return 10e-6;
        case Part::work:
            return work_seconds;
        default:
            return std::max(10e-6, work_seconds + 2e-6);
    }
}

bool always(double) { return true; }

TEST(all_three_times_of_a_sample_belong_to_one_work) {
    const AvailabilitySeries series = sample_availability(4, 1000, 9, made_up, always);
    CHECK(series.total.size() == 4 * work_shares.size());
    CHECK(series.work.size() == series.total.size() && series.base.size() == series.total.size());
    for (std::size_t i = 0; i < series.total.size(); ++i) {
        CHECK(series.base[i] == 10e-6);
        CHECK(series.total[i] == std::max(10e-6, series.work[i] + 2e-6));
    }
}

TEST(every_pass_has_every_work_once_in_its_own_order) {
    const AvailabilitySeries series = sample_availability(3, 1000, 9, made_up, always);
    std::vector<std::vector<double>> passes;
    for (auto at = series.work.begin(); at != series.work.end(); at += work_shares.size()) {
        passes.emplace_back(at, at + work_shares.size());
    }
    CHECK(passes[0] != passes[1] && passes[1] != passes[2]);
    for (std::vector<double>& pass : passes) {
        std::sort(pass.begin(), pass.end());
        for (std::size_t i = 0; i < pass.size(); ++i) {
            CHECK(std::abs(pass[i] - work_shares[i] * 10e-6) < 1e-9);
        }
    }
}

TEST(each_part_is_first_equally_often) {
    std::map<Part, int> firsts;
    int calls = 0;
    const auto time = [&](Part part, std::uint64_t steps) {
        if (calls++ % 3 == 0) {
            ++firsts[part];
        }
        return made_up(part, steps);
    };
    sample_availability(2, 1000, 9, time, always);
    for (const Part part : parts) {
        CHECK(firsts[part] == 8);
    }
}

TEST(where_messages_became_slower_the_next_pass_has_longer_work) {
    // The message lasts as long as 1000 steps; it was thought to last as long as 100.
    const AvailabilitySeries series = sample_availability(2, 100, 9, made_up, always);
    const auto second = series.work.begin() + work_shares.size();
    CHECK(*std::max_element(series.work.begin(), second) < 10e-6);
    CHECK(std::abs(*std::max_element(second, series.work.end()) - 40e-6) < 1e-7);
}

TEST(steps_follow_the_middle_of_a_pass) {
    CHECK(steps_of_base({1e-6, 900e-6, 2e-6}, 1e-6, 100) == 200);
    CHECK(steps_of_base({0, 0, 0}, 1e-6, 100) == 1);
    CHECK(steps_of_base({1.0}, 0, 1) > 0);
}

TEST(the_order_depends_on_the_seed_alone) {
    const auto works = [](std::uint64_t seed) {
        return sample_availability(2, 1000, seed, made_up, always).work;
    };
    CHECK(works(1) == works(1));
    CHECK(works(1) != works(2));
}

TEST(it_ends_between_passes_but_not_before_the_second) {
    int decisions = 0;
    const auto never = [&](double timed) {
        ++decisions;
        CHECK(timed > 0);
        return false;
    };
    const AvailabilitySeries series = sample_availability(9, 1000, 9, made_up, never);
    CHECK(series.total.size() == 2 * work_shares.size());
    CHECK(decisions == 1);
}

TEST(passes_fit_the_time_and_the_samples) {
    CHECK(availability_passes(1e-6, {200, 8, 0.1}) == 16);
    CHECK(availability_passes(10.0, {200, 8, 0.1}) == 2);
    CHECK(availability_passes(1e-6, {5, 5, 0.1}) == 2);
    const std::uint64_t some = availability_passes(0.5e-3, {200, 8, 0.1});
    CHECK(some > 2 && some < 16);
    CHECK(availability_passes(0, {200, 8, 0.1}) == 16);
}

}  // namespace
}  // namespace machmeter
