// Sampling by many pairs of ranks in step: every rank times its own events, and of each sample the
// slowest pair and the mean of all pairs are told.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "machmeter/patterns.hpp"
#include "machmeter/team_sampling.hpp"

namespace machmeter {

// One end of a pair in a team of 2k ranks: rank i < k begins and has rank i + k as its peer.
inline End pair_end(int rank, int size) {
    const int pairs = size / 2;
    return rank < pairs ? End{true, rank + pairs} : End{false, rank - pairs};
}

// Seconds of one event: inside the timed part, and with all that stands around it.
struct EventCost {
    double timed = std::numeric_limits<double>::infinity();
    double whole = std::numeric_limits<double>::infinity();
};

// `timed(count)` runs `count` events with the other ranks and returns the seconds of those parts
// of them that count. The fastest of three trials decides; the leader's clock is everybody's.
template <Team T, class Timed>
EventCost calibrate_timed(T& team, const Clock& clock, const ClockFacts& facts, Timed&& timed) {
    constexpr double long_enough_seconds = 20e-6;
    constexpr double whole_long_enough_seconds = 2e-3;
    constexpr int trials = 3;
    const double long_enough =
        std::max(long_enough_seconds, 20 * std::max(facts.overhead_seconds, facts.tick_seconds));
    EventCost fastest;
    std::uint64_t count = 1;
    for (int trial = 0; trial < trials;) {
        team.meet();
        const std::uint64_t begin = clock.now();
        const double mine = timed(count);
        const double whole = team.share(seconds_between(begin, clock.now()));
        const double seconds = team.share(mine);
        if (seconds < long_enough && whole < whole_long_enough_seconds) {
            count *= 2;
            continue;
        }
        const auto events = static_cast<double>(count);
        fastest.timed = std::min(fastest.timed, seconds / events);
        fastest.whole = std::min(fastest.whole, whole / events);
        trial += whole > whole_long_enough_seconds ? 2 : 1;
    }
    return fastest;
}

// Every rank's own samples, as many on each, in a few runs; between two of them the leader ends a
// point that takes twice its time. `timed` as above; `kept()` is called after each sample.
template <Team T, class Timed, class Kept>
Samples sample_timed_together(T& team, const Clock& clock, const ClockFacts& facts,
                              const SamplingLimits& limits, double largest_clock_share,
                              Timed&& timed, Kept&& kept) {
    constexpr std::uint64_t runs = 8;
    timed(1);
    const EventCost cost = calibrate_timed(team, clock, facts, timed);
    const SamplingPlan own = plan_sampling(cost.timed, facts, limits, largest_clock_share);
    Samples all;
    all.batch = static_cast<std::uint64_t>(team.share(static_cast<double>(own.batch)));
    const double sample_seconds = cost.whole * static_cast<double>(all.batch);
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
