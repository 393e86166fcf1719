// Samples of host availability: work of many lengths in random order, repeatedly, each time next to
// the message alone and the work alone.
//
// Doerfler and Brightwell (Measuring MPI Send and Receive Overhead and Application Availability in
// High Performance Network Interfaces, EuroPVM/MPI 2006) raise the work until the total exceeds the
// time of the message alone; here every length is measured, so that one disturbance cannot end the
// search.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "core/clock/sampling.hpp"
#include "network/messages/worked_message.hpp"

namespace machmeter {

// Work as a share of the time of the message alone: half below it, half above.
inline constexpr std::array<double, 12> work_shares{0.125, 0.25, 0.375, 0.5, 0.625, 0.75,
                                                    1.0,   1.25, 1.5,   2.0, 3.0,   4.0};

// Seconds; the values at one index of the three were taken back to back.
struct AvailabilitySeries {
    std::vector<double> total;
    std::vector<double> work;
    std::vector<double> base;
};

// Passes over all shares that fit the time and the samples; at least two.
inline std::uint64_t availability_passes(double base_seconds, const SamplingLimits& limits) {
    double one_pass = 0;
    for (const double share : work_shares) {
        // Message alone, work alone, and at worst their sum.
        one_pass += 2 * (1 + share) * std::max(base_seconds, 1e-9);
    }
    const double most = std::max(2.0, std::floor(static_cast<double>(limits.most) /
                                                 static_cast<double>(work_shares.size())));
    return static_cast<std::uint64_t>(std::clamp(limits.seconds / one_pass, 2.0, most));
}

// Steps of work as long as the message alone was in one pass.
inline std::uint64_t steps_of_base(std::vector<double> base, double work_seconds,
                                   double work_steps) {
    const double step_seconds = std::max(work_seconds, 1e-9) / std::max(work_steps, 1.0);
    constexpr double most_steps = 1e12;
    return static_cast<std::uint64_t>(
        std::clamp(std::round(median(std::move(base)) / step_seconds), 1.0, most_steps));
}

// `time(part, steps)` gives seconds without the clock's own; `goes_on(timed_seconds)` decides
// between passes, the same on both ends. `base_steps` last about as long as the message alone; each
// pass corrects them for the next, as the load of the machine changes.
template <class Time, class GoesOn>
AvailabilitySeries sample_availability(std::uint64_t passes, std::uint64_t base_steps,
                                       std::uint64_t seed, Time&& time, GoesOn&& goes_on) {
    AvailabilitySeries series;
    std::mt19937_64 random(seed);
    std::array<double, work_shares.size()> shares = work_shares;
    double timed = 0;
    std::size_t turn = 0;
    for (std::uint64_t pass = 0; pass < passes && (pass < 2 || goes_on(timed)); ++pass) {
        std::shuffle(shares.begin(), shares.end(), random);
        std::vector<double> base;
        double work_seconds = 0;
        double work_steps = 0;
        for (const double share : shares) {
            const auto steps = static_cast<std::uint64_t>(
                std::max(1.0, std::round(share * static_cast<double>(base_steps))));
            std::array<double, parts.size()> seconds{};
            const auto of = [&](Part part) -> double& {
                return seconds[static_cast<std::size_t>(part)];
            };
            for (std::size_t i = 0; i < parts.size(); ++i) {
                const Part part = parts[(turn + i) % parts.size()];
                of(part) = time(part, steps);
                timed += of(part);
            }
            ++turn;
            series.total.push_back(of(Part::total));
            series.work.push_back(of(Part::work));
            series.base.push_back(of(Part::communication));
            base.push_back(of(Part::communication));
            work_seconds += of(Part::work);
            work_steps += static_cast<double>(steps);
        }
        base_steps = steps_of_base(std::move(base), work_seconds, work_steps);
    }
    return series;
}

}  // namespace machmeter
