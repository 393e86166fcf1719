// Sampling by many pairs of ranks in step: every rank times its own events; of each sample the mean
// of all pairs, which noise does not raise with their number, and the slowest pair are recorded.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/sampling.hpp"
#include "core/record/point.hpp"
#include "core/session/team.hpp"
#include "patterns/pair.hpp"

namespace machmeter {

// One end of a pair among 2k ranks: rank i < k begins, and its peer is rank i + k.
inline End pair_end(int rank, int size) {
    const int pairs = size / 2;
    return rank < pairs ? End{true, rank + pairs} : End{false, rank - pairs};
}

// Seconds of one round: of the timed part, and with all that surrounds it; both from `count` rounds
// at once, so that each includes its part of what happens only now and then.
struct TimedCost {
    double timed = std::numeric_limits<double>::infinity();
    double whole = std::numeric_limits<double>::infinity();
    std::uint64_t count = 1;
};

// The fastest of three trials decides; by the root's clock.
template <SteppingTeam T, TimedEvent E>
TimedCost calibrate_timed(T& team, const Clock& clock, const ClockFacts& facts, E&& event) {
    constexpr double long_enough_seconds = 20e-6;
    constexpr double whole_long_enough_seconds = 2e-3;
    constexpr int trials = 3;
    const double long_enough = std::max(long_enough_seconds, 20 * facts.resolution_seconds());
    TimedCost fastest;
    for (int trial = 0; trial < trials;) {
        team.barrier();
        const std::uint64_t begin = clock.now();
        const double mine = event(fastest.count);
        const double whole = team.broadcast(seconds_between(begin, clock.now()));
        const double seconds = team.broadcast(mine);
        if (seconds < long_enough && whole < whole_long_enough_seconds) {
            fastest.count *= 2;
            continue;
        }
        const auto rounds = static_cast<double>(fastest.count);
        fastest.timed = std::min(fastest.timed, seconds / rounds);
        fastest.whole = std::min(fastest.whole, whole / rounds);
        trial += whole > whole_long_enough_seconds ? 2 : 1;
    }
    return fastest;
}

// Seconds of one round among many, and what the timed part of a sample has once, however many
// rounds it is of: ranks and threads leave the barrier before it one after another, and the first
// waits.
struct FixedCost {
    double round = 0;
    double once = 0;
};

// From samples of one round and of many, in turn: the median of each. Not for long rounds, of which
// so many do not fit into a quarter of the time. `team.largest` gives every rank the largest value.
template <SteppingTeam T, TimedEvent E>
FixedCost fixed_cost(T& team, const TimedCost& cost, const SamplingLimits& limits, E&& event) {
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
        of_one.push_back(event(1));
        of_many.push_back(event(1 + static_cast<std::uint64_t>(more)));
    }
    const double one = median(of_one);
    const double round = std::max(0.0, (median(of_many) - one) / more);
    return {team.broadcast(round), team.largest(std::max(0.0, one - round))};
}

// Rounds of one sample: so many that neither the clock nor what a sample has once exceeds its share
// of it, as long as the fewest samples fit into the time. The same on every rank.
template <SteppingTeam T>
std::uint64_t batch_of(T& team, const TimedCost& cost, const FixedCost& fixed,
                       const ClockFacts& clock, const SamplingLimits& limits,
                       double largest_clock_share) {
    constexpr double rounds_per_fixed = 20;
    constexpr double shortest = 1e-10;
    const double round = std::max(fixed.round, shortest);
    const double fitting =
        limits.seconds / (static_cast<double>(limits.least) * std::max(cost.whole, shortest));
    const double wanted = std::min(std::ceil(rounds_per_fixed * fixed.once / round), fitting);
    const SamplingPlan by_clock = plan_sampling(round, clock, limits, largest_clock_share);
    return static_cast<std::uint64_t>(
        team.broadcast(std::floor(std::max(static_cast<double>(by_clock.batch), wanted))));
}

// Seconds of one sample with all that surrounds its timed part.
template <SteppingTeam T, TimedEvent E>
double whole_sample(T& team, const Clock& clock, const TimedCost& cost, std::uint64_t batch,
                    E&& event) {
    if (batch == cost.count) {
        return cost.whole * static_cast<double>(batch);
    }
    constexpr int trials = 2;
    double fastest = std::numeric_limits<double>::infinity();
    for (int trial = 0; trial < trials; ++trial) {
        const std::uint64_t begin = clock.now();
        event(batch);
        fastest = std::min(fastest, seconds_between(begin, clock.now()));
    }
    return team.broadcast(fastest);
}

// Every rank's own samples, as many on each, in a few runs; between two runs the root ends a point
// that takes twice its time. `kept()` is called after each sample.
template <SteppingTeam T, TimedEvent E, class Kept>
Samples sample_timed_together(T& team, const Clock& clock, const ClockFacts& facts,
                              const SamplingLimits& limits, double largest_clock_share, E&& event,
                              Kept&& kept) {
    constexpr std::uint64_t runs = 8;
    event(1);
    const TimedCost cost = calibrate_timed(team, clock, facts, event);
    const FixedCost fixed = fixed_cost(team, cost, limits, event);
    Samples all;
    all.batch = batch_of(team, cost, fixed, facts, limits, largest_clock_share);
    const double sample_seconds = whole_sample(team, clock, cost, all.batch, event);
    const std::uint64_t samples = broadcast_count(team, samples_that_fit(sample_seconds, limits));
    const std::uint64_t run_samples = std::max(limits.least, samples / runs);
    bool over = false;
    const std::uint64_t begin = clock.now();
    while (!over && all.seconds.size() < samples) {
        team.barrier();
        const std::uint64_t left = samples - all.seconds.size();
        for (std::uint64_t i = 0; i < std::min(run_samples, left); ++i) {
            const double seconds = event(all.batch);
            all.timed_seconds += seconds;
            all.seconds.push_back(seconds / static_cast<double>(all.batch));
            kept();
        }
        over = broadcast_decision(team, seconds_between(begin, clock.now()) > 2 * limits.seconds);
    }
    return all;
}

// The pairs of all ranks of a session, rank i < k with rank i + k.
template <class Session>
std::size_t pair_count(const Session& session) {
    return static_cast<std::size_t>(session.team().size() / 2);
}

template <class Session>
End own_end(const Session& session) {
    return pair_end(session.team().rank(), session.team().size());
}

// By the session's clock and limits; its time counts as timed.
template <class Session, TimedEvent E, class Kept>
Samples sample_timed(Session& session, double largest_clock_share, E&& event, Kept&& kept) {
    const auto watch = session.watch_cpu();
    Samples taken = sample_timed_together(session.team(), session.clock(), session.clock_facts(),
                                          session.limits(), largest_clock_share, event, kept);
    session.add_timed(taken.timed_seconds);
    return taken;
}

// The samples of the first rank of every pair, at the root; none elsewhere.
template <class Session>
std::vector<std::vector<double>> gather_pairs(const Session& session,
                                              const std::vector<double>& mine) {
    std::vector<std::vector<double>> rows = session.team().gather(mine);
    rows.resize(rows.size() / 2);
    return rows;
}

// Of the samples of all pairs, one row a pair: the slowest pair of each.
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

// Every pair's own samples, named `pair 0-2`.
inline void append_pairs(std::vector<NamedSeries>& series, std::vector<std::vector<double>> rows) {
    const std::size_t pairs = rows.size();
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        series.emplace_back("pair " + std::to_string(pair) + "-" + std::to_string(pair + pairs),
                            std::move(rows[pair]));
    }
}

}  // namespace machmeter
