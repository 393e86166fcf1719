// Sampling by many pairs of ranks in step: every rank times its own events, and of each sample the
// slowest pair and the mean of all pairs are told.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/session/team_sampling.hpp"
#include "patterns/pair.hpp"

namespace machmeter {

// One end of a pair in a team of 2k ranks: rank i < k begins and has rank i + k as its peer.
inline End pair_end(int rank, int size) {
    const int pairs = size / 2;
    return rank < pairs ? End{true, rank + pairs} : End{false, rank - pairs};
}

// Seconds of one event: inside the timed part, and with all that stands around it; both from
// `count` events at once, so that each has its part of what is spent once in a while.
struct TimedCost {
    double timed = std::numeric_limits<double>::infinity();
    double whole = std::numeric_limits<double>::infinity();
    std::uint64_t count = 1;
};

// `timed(count)` runs `count` events with the other ranks and returns the seconds of those parts
// of them that count. The fastest of three trials decides; the leader's clock is everybody's.
template <Team T, class Timed>
TimedCost calibrate_timed(T& team, const Clock& clock, const ClockFacts& facts, Timed&& timed) {
    constexpr double long_enough_seconds = 20e-6;
    constexpr double whole_long_enough_seconds = 2e-3;
    constexpr int trials = 3;
    const double long_enough =
        std::max(long_enough_seconds, 20 * std::max(facts.overhead_seconds, facts.tick_seconds));
    TimedCost fastest;
    for (int trial = 0; trial < trials;) {
        team.meet();
        const std::uint64_t begin = clock.now();
        const double mine = timed(fastest.count);
        const double whole = team.share(seconds_between(begin, clock.now()));
        const double seconds = team.share(mine);
        if (seconds < long_enough && whole < whole_long_enough_seconds) {
            fastest.count *= 2;
            continue;
        }
        const auto events = static_cast<double>(fastest.count);
        fastest.timed = std::min(fastest.timed, seconds / events);
        fastest.whole = std::min(fastest.whole, whole / events);
        trial += whole > whole_long_enough_seconds ? 2 : 1;
    }
    return fastest;
}

// Seconds of one event among many, and what a sample's timed part has once however many events it
// is of: ranks and threads leave the meeting before it one after another, and the first waits.
struct FixedCost {
    double event = 0;
    double once = 0;
};

inline double middle_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// From samples of one event and of many, in turn: the median of each. Of long events, of which so
// many do not fit into a quarter of the time, none is looked for. `team.largest` gives every rank
// the largest of all values.
template <Team T, class Timed>
FixedCost fixed_cost(T& team, const TimedCost& cost, const SamplingLimits& limits, Timed&& timed) {
    constexpr int trials = 5;
    constexpr double most_more = 16;
    constexpr double least_more = 4;
    const double affordable = limits.seconds / 4 / (trials * std::max(cost.whole, 1e-10));
    const double more = std::floor(std::min(affordable, most_more));
    if (more < least_more) {
        return {cost.timed, 0};
    }
    std::vector<double> of_one;
    std::vector<double> of_many;
    for (int trial = 0; trial < trials; ++trial) {
        of_one.push_back(timed(1));
        of_many.push_back(timed(1 + static_cast<std::uint64_t>(more)));
    }
    const double one = middle_of(of_one);
    const double event = std::max(0.0, (middle_of(of_many) - one) / more);
    return {team.share(event), team.largest(std::max(0.0, one - event))};
}

// Events of one sample: so many that neither the clock nor what a sample has once is more than its
// share of it, as long as the fewest samples fit into the time. The same on every rank.
template <Team T>
std::uint64_t batch_of(T& team, const TimedCost& cost, const FixedCost& fixed,
                       const ClockFacts& facts, const SamplingLimits& limits,
                       double largest_clock_share) {
    constexpr double events_per_fixed = 20;
    constexpr double shortest = 1e-10;
    const double event = std::max(fixed.event, shortest);
    const double fitting =
        limits.seconds / (static_cast<double>(limits.least) * std::max(cost.whole, shortest));
    const double wanted = std::min(std::ceil(events_per_fixed * fixed.once / event), fitting);
    const SamplingPlan by_clock = plan_sampling(event, facts, limits, largest_clock_share);
    return static_cast<std::uint64_t>(
        team.share(std::floor(std::max(static_cast<double>(by_clock.batch), wanted))));
}

// Seconds of one sample with all that stands around it.
template <Team T, class Timed>
double whole_sample(T& team, const Clock& clock, const TimedCost& cost, std::uint64_t batch,
                    Timed&& timed) {
    if (batch == cost.count) {
        return cost.whole * static_cast<double>(batch);
    }
    constexpr int trials = 2;
    double fastest = std::numeric_limits<double>::infinity();
    for (int trial = 0; trial < trials; ++trial) {
        const std::uint64_t begin = clock.now();
        timed(batch);
        fastest = std::min(fastest, seconds_between(begin, clock.now()));
    }
    return team.share(fastest);
}

// Every rank's own samples, as many on each, in a few runs; between two of them the leader ends a
// point that takes twice its time. `timed` as above; `kept()` is called after each sample.
template <Team T, class Timed, class Kept>
Samples sample_timed_together(T& team, const Clock& clock, const ClockFacts& facts,
                              const SamplingLimits& limits, double largest_clock_share,
                              Timed&& timed, Kept&& kept) {
    constexpr std::uint64_t runs = 8;
    timed(1);
    const TimedCost cost = calibrate_timed(team, clock, facts, timed);
    const FixedCost fixed = fixed_cost(team, cost, limits, timed);
    Samples all;
    all.batch = batch_of(team, cost, fixed, facts, limits, largest_clock_share);
    const double sample_seconds = whole_sample(team, clock, cost, all.batch, timed);
    const auto samples = static_cast<std::uint64_t>(
        team.share(std::clamp(limits.seconds / sample_seconds, static_cast<double>(limits.least),
                              static_cast<double>(limits.most))));
    const std::uint64_t run_samples = std::max(limits.least, samples / runs);
    double over = 0;
    const std::uint64_t begin = clock.now();
    while (over == 0 && all.seconds.size() < samples) {
        team.meet();
        const std::uint64_t left = samples - all.seconds.size();
        for (std::uint64_t i = 0; i < std::min(run_samples, left); ++i) {
            const double seconds = timed(all.batch);
            all.timed_seconds += seconds;
            all.seconds.push_back(seconds / static_cast<double>(all.batch));
            kept();
        }
        over = team.share(seconds_between(begin, clock.now()) > 2 * limits.seconds ? 1 : 0);
    }
    return all;
}

// Samples of all pairs, one row a pair: of each sample the slowest pair.
inline std::vector<double> slowest_of(const std::vector<std::vector<double>>& rows) {
    std::vector<double> slowest = rows.front();
    for (const std::vector<double>& row : rows) {
        std::transform(row.begin(), row.end(), slowest.begin(), slowest.begin(),
                       [](double value, double other) { return std::max(value, other); });
    }
    return slowest;
}

inline std::vector<double> mean_of(const std::vector<std::vector<double>>& rows) {
    std::vector<double> mean(rows.front().size(), 0.0);
    for (const std::vector<double>& row : rows) {
        std::transform(row.begin(), row.end(), mean.begin(), mean.begin(), std::plus<>{});
    }
    for (double& value : mean) {
        value /= static_cast<double>(rows.size());
    }
    return mean;
}

using NamedSeries = std::pair<std::string, std::vector<double>>;

// Every pair's own samples, by name: `pair 0-2`.
inline void append_pairs(std::vector<NamedSeries>& series, std::vector<std::vector<double>> rows) {
    const std::size_t pairs = rows.size();
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        series.emplace_back("pair " + std::to_string(pair) + "-" + std::to_string(pair + pairs),
                            std::move(rows[pair]));
    }
}

}  // namespace machmeter
