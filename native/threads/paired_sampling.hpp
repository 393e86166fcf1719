// Samples of a construct and of its reference, taken in alternating order (A-B-B-A) so that drift
// cancels. A bench gives `test(count)` and `reference(count)`: seconds of `count` passages.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <vector>

#include "core/libraries/loaded.hpp"
#include "core/session/node.hpp"

namespace machmeter {

template <class T>
concept PairedBench = requires(T& bench, std::uint64_t count) {
    { bench.test(count) } -> std::convertible_to<double>;
    { bench.reference(count) } -> std::convertible_to<double>;
};

// The middle of three: one disturbed trial, or one lucky one, does not plan the point.
template <class Trial>
double middle_of_three(Trial&& trial) {
    std::array<double, 3> seconds{trial(), trial(), trial()};
    std::sort(seconds.begin(), seconds.end());
    return seconds[1];
}

// Passages timed together, by doubling from `fewest`: enough that neither part shows the clock, nor
// the test the even start of the team (the first sleeping barriers after it can cost far less than
// the later ones).
template <PairedBench Bench>
std::uint64_t passages_per_sample(Bench& bench, const ClockFacts& clock, std::uint64_t fewest) {
    constexpr double long_enough_seconds = 50e-6;
    constexpr std::uint64_t most = std::uint64_t{1} << 20U;
    const double clock_floor = clock.resolution_seconds() / usual_clock_share;
    const double long_enough = std::max(long_enough_seconds, clock_floor);
    std::uint64_t count = fewest;
    for (; count < most; count *= 2) {
        const double reference = middle_of_three([&] { return bench.reference(count); });
        if (reference >= long_enough || (reference >= clock_floor && middle_of_three([&] {
                                                                         return bench.test(count);
                                                                     }) >= 2 * long_enough)) {
            break;
        }
    }
    return count;
}

// Seconds of one passage; timed: of all samples together.
struct Paired {
    std::vector<double> test;
    std::vector<double> reference;
    double timed_seconds = 0;
};

template <PairedBench Bench>
Paired take_pairs(const ClockFacts& clock, const SamplingLimits& limits, Bench& bench,
                  std::uint64_t batch) {
    const double pair_seconds =
        middle_of_three([&] { return bench.test(batch) + bench.reference(batch); });
    const SamplingPlan plan = plan_sampling(pair_seconds, clock, limits);
    const double most_seconds = 2 * limits.seconds;
    Paired paired;
    for (std::uint64_t i = 0; i < plan.samples; ++i) {
        // Threads that lose their CPU can make a passage a thousand times longer.
        if (paired.timed_seconds > most_seconds && i >= limits.least) {
            break;
        }
        const bool test_first = i % 2 == 0;
        const double first = test_first ? bench.test(batch) : bench.reference(batch);
        const double second = test_first ? bench.reference(batch) : bench.test(batch);
        paired.timed_seconds += first + second;
        paired.test.push_back((test_first ? first : second) / static_cast<double>(batch));
        paired.reference.push_back((test_first ? second : first) / static_cast<double>(batch));
    }
    return paired;
}

template <PairedBench Bench>
Paired sample_pairs(NodeSession& session, Bench& bench, std::uint64_t batch) {
    Paired paired = take_pairs(session.clock_facts(), session.limits(), bench, batch);
    session.add_timed(paired.timed_seconds);
    return paired;
}

// A result with the samples and attributes that every benchmark of pairs records.
inline PointResult paired_result(const Parameters& point, const Paired& paired,
                                 std::uint64_t batch) {
    return PointResult(point)
        .add_samples({{"test", paired.test}, {"reference", paired.reference}}, batch)
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime());
}

}  // namespace machmeter
