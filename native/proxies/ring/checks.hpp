// What has to hold after a run of the network, by ways that the run does not take.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/values/random_bits.hpp"
#include "proxies/common/faults.hpp"
#include "proxies/common/of_all_ranks.hpp"
#include "proxies/ring/last_step.hpp"
#include "proxies/ring/network.hpp"
#include "proxies/ring/plain.hpp"

namespace machmeter::proxies::ring {

// Of all ranks.
struct Deviations {
    // Cells that did not take each step once.
    double steps = 0;
    // Spikes that were lost, doubled or changed on their way, and rings that were not started.
    double spikes = 0;
    // Cells that do not spike once soon after each spike that arrives, and then only.
    double turns = 0;
    // The last step: of its equations and of the charge, relative.
    double residual = 0;
    double charge = 0;
    // Gates that are not between closed and open.
    double gates = 0;
    // Of some cells from what a plain program finds; mV, and spikes at other steps.
    double voltage = 0;
    double times = 0;

    // Why the run is wrong; empty where it is right.
    [[nodiscard]] std::string fault() const {
        constexpr double rounding = 1e-12;
        constexpr double voltage_tolerance = 1e-9;
        return first_fault({
            {steps == 0, "cells did not take every step"},
            {spikes == 0, "spikes were lost, doubled or changed on their way"},
            {gates == 0, "gates are not between closed and open"},
            {residual <= rounding, "voltages do not solve the equations of the last step"},
            {charge <= rounding, "charge is not conserved"},
            {voltage <= voltage_tolerance && times == 0,
             "cells are not as a plain program finds them"},
            {turns == 0, "a spike does not go around each ring"},
        });
    }
};

// Order does not matter: a sum over spikes that no other set of as many has.
inline std::uint64_t mark_of(std::uint64_t cell, std::uint64_t step) {
    return mix(mix(cell + golden_step) + step);
}

// Of one cell, in order.
struct History {
    std::vector<std::uint64_t> arrivals;
    std::vector<std::uint64_t> spikes;
    std::size_t starts = 0;
};

inline History history_of(const Group& group, std::size_t lane) {
    History of;
    for (const Event& event : group.delivered) {
        if (event.lane == lane) {
            of.arrivals.push_back(event.step);
            of.starts += event.is_first ? 1 : 0;
        }
    }
    for (const Event& event : group.spikes) {
        if (event.lane == lane) {
            of.spikes.push_back(event.step);
        }
    }
    return of;
}

// Each arrival is answered by one spike; the last one maybe after the end.
inline bool answers_in_turn(const History& of, std::uint64_t steps) {
    constexpr std::uint64_t longest_answer = 4 * steps_per_ms;
    if (of.spikes.size() > of.arrivals.size()) {
        return false;
    }
    for (std::size_t i = 0; i < of.arrivals.size(); ++i) {
        if (i == of.spikes.size()) {
            return i + 1 == of.arrivals.size() && of.arrivals[i] + longest_answer >= steps;
        }
        if (of.spikes[i] <= of.arrivals[i] || of.spikes[i] > of.arrivals[i] + longest_answer) {
            return false;
        }
    }
    return true;
}

// From one spike to the next takes about as long every time, once around for the first.
inline bool is_periodic(const History& of) {
    constexpr double share = 0.05;
    for (std::size_t i = 3; i < of.spikes.size(); ++i) {
        const auto before = static_cast<double>(of.spikes[i - 1] - of.spikes[i - 2]);
        const auto after = static_cast<double>(of.spikes[i] - of.spikes[i - 1]);
        if (std::abs(after - before) > share * before) {
            return false;
        }
    }
    return true;
}

// Adds what one own cell did; `marks`: of spikes to be delivered, of spikes that were.
template <class NetworkOf>
void check_cell(NetworkOf& network, std::size_t own, std::uint64_t steps, Deviations& found,
                std::array<std::uint64_t, 2>& marks) {
    const Problem& problem = network.problem();
    const std::uint64_t cell = network.cell_of(own);
    const Group& group = network.group_of(own);
    const std::size_t lane = network.lane_of(own);
    const History of = history_of(group, lane);
    const bool starts = problem.is_started(cell) && problem.start_step(cell) < steps;
    found.spikes += of.starts == (starts ? 1U : 0U) ? 0 : 1;
    found.turns += answers_in_turn(of, steps) && is_periodic(of) ? 0 : 1;
    for (const std::uint64_t step : of.spikes) {
        marks[0] += step + delay_steps < steps ? mark_of(cell, step) : 0;
    }
    for (std::size_t i = of.starts; i < of.arrivals.size(); ++i) {
        marks[1] += mark_of(problem.previous(cell), of.arrivals[i] - delay_steps);
    }
    const auto at = static_cast<int>(lane);
    const Gates& gates = group.state.gates;
    for (const double gate : {gates.m[at], gates.h[at], gates.n[at]}) {
        found.gates += gate >= 0 && gate <= 1 ? 0 : 1;
    }
    const StepDeviations last = LastStep(group, lane).deviations();
    raise(found.residual, last.row);
    raise(found.charge, last.charge);
}

// One own cell with the spikes that arrived there.
template <class NetworkOf>
void compare_with_plain(NetworkOf& network, std::size_t own, std::uint64_t steps,
                        Deviations& found) {
    const Group& group = network.group_of(own);
    const std::size_t lane = network.lane_of(own);
    const auto at = static_cast<int>(lane);
    const History of = history_of(group, lane);
    PlainCell plain(*group.shape);
    std::vector<std::uint64_t> spikes;
    auto next = of.arrivals.begin();
    for (std::uint64_t step = 0; step < steps; ++step) {
        const auto last = std::find_if(next, of.arrivals.end(),
                                       [&](std::uint64_t arrival) { return arrival != step; });
        if (plain.step(static_cast<std::size_t>(last - next))) {
            spikes.push_back(step);
        }
        next = last;
    }
    found.times += spikes == of.spikes ? 0 : 1;
    for (std::size_t i = 0; i < plain.voltage().size(); ++i) {
        raise(found.voltage, std::abs(plain.voltage()[i] - group.state.voltage[i][at]));
    }
}

// As many cells of each rank as a plain program takes a fraction of a second for.
template <class NetworkOf>
void compare_some(NetworkOf& network, std::uint64_t steps, Deviations& found) {
    constexpr double most = 8;
    constexpr double most_nodes = 10e6;
    const double of_cell =
        network.nodes() / static_cast<double>(network.own()) * static_cast<double>(steps);
    const auto count = std::min(
        network.own(), static_cast<std::size_t>(std::clamp(most_nodes / of_cell, 1.0, most)));
    for (std::size_t k = 0; k < count; ++k) {
        compare_with_plain(network, network.own() * k / count, steps, found);
    }
}

// Every rank calls this, after the last step.
template <class NetworkOf, class Ranks>
Deviations check_end(NetworkOf& network, Ranks& ranks, std::uint64_t steps) {
    Deviations found;
    std::array<std::uint64_t, 2> marks{};
    for (const Group& group : network.groups()) {
        found.steps += group.steps == steps ? 0 : static_cast<double>(group.used);
    }
    for (std::size_t own = 0; own < network.own(); ++own) {
        check_cell(network, own, steps, found, marks);
    }
    compare_some(network, steps, found);
    std::array<double, 5> counts{found.steps, found.spikes, found.turns, found.gates, found.times};
    ranks.sum(counts);
    const bool all_arrived = sum_of_marks(ranks, marks[0]) == sum_of_marks(ranks, marks[1]);
    found.steps = counts[0];
    found.spikes = counts[1] + (all_arrived ? 0 : 1);
    found.turns = counts[2];
    found.gates = counts[3];
    found.times = counts[4];
    found.residual = largest_of(ranks, found.residual);
    found.charge = largest_of(ranks, found.charge);
    found.voltage = largest_of(ranks, found.voltage);
    return found;
}

// How many spikes there were, and their steps weighed by who spiked: what identifies a run.
struct Spikes {
    double count = 0;
    double checksum = 0;
};

// In ms, as NEURON's times; exact below 2^53 steps.
template <class NetworkOf, class Ranks>
Spikes spikes_of(NetworkOf& network, Ranks& ranks) {
    std::array<double, 2> sums{};
    for (const Group& group : network.groups()) {
        for (const Event& spike : group.spikes) {
            sums[0] += 1;
            sums[1] += static_cast<double>(spike.step) *
                       (1 + static_cast<double>(group.cells[spike.lane]));
        }
    }
    ranks.sum(sums);
    return {sums[0], sums[1] / static_cast<double>(steps_per_ms)};
}

}  // namespace machmeter::proxies::ring
