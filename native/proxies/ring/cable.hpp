// The time steps of a group of cells: implicit in the voltages of a cell's tree, which Hines's
// order of elimination solves without fill (Int. J. Bio-Med. Comp. 15, 69-76, 1984), then the gates
// at the new voltage, as NEURON and Arbor do it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/common/lanes.hpp"
#include "proxies/ring/channels.hpp"
#include "proxies/ring/groups.hpp"

namespace machmeter::proxies::ring {

// Operations of a node in a step: 4 to assemble its row, 7 to eliminate it, 2 to substitute back.
inline constexpr double flops_per_node = 13;

// Of one thread: the rows of a group's matrix, the diagonal and the right-hand side.
struct Rows {
    std::vector<Lanes> diagonal;
    std::vector<Lanes> right;
};

// One for each beginning of a spike.
inline void note_spikes(Group& group, std::uint64_t step) {
    const LaneBits above = group.state.voltage[0] > in_all_lanes(threshold);
    const LaneBits rising = above & ~group.is_above;
    group.is_above = above;
    if ((rising[0] | rising[1] | rising[2] | rising[3]) != 0) {
        for (std::size_t lane = 0; lane < group.used; ++lane) {
            if (rising[static_cast<int>(lane)] != 0) {
                group.spikes.push_back({step, lane});
            }
        }
    }
}

inline void deliver(Group& group, std::uint64_t step) {
    while (group.delivered_of_coming < group.coming.size() &&
           group.coming[group.delivered_of_coming].step == step) {
        const Event& event = group.coming[group.delivered_of_coming++];
        group.state.synapse[static_cast<int>(event.lane)] += synapse_weight;
        group.delivered.push_back(event);
    }
}

inline void assemble(const Group& group, Rows& rows) {
    const State& state = group.state;
    const std::size_t nodes = group.parent.size();
    rows.diagonal.resize(nodes);
    rows.right.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
        rows.diagonal[i] = group.fixed[i] + group.leak[i];
        rows.right[i] = group.inertia[i] * state.voltage[i] + group.leak[i] * group.reversal[i];
    }
    const Gates& gates = state.gates;
    const Lanes squared = gates.n * gates.n;
    const Lanes sodium =
        group.shape->of_soma(sodium_conductance) * (gates.m * gates.m * gates.m * gates.h);
    const Lanes potassium = group.shape->of_soma(potassium_conductance) * (squared * squared);
    rows.diagonal[0] += sodium + potassium;
    rows.right[0] += sodium * sodium_reversal + potassium * potassium_reversal;
    rows.diagonal[group.shape->synapse()] += state.synapse;
}

// From the leaves to the soma, and back with the new voltages.
inline void solve(Group& group, Rows& rows) {
    Lanes* const diagonal = rows.diagonal.data();
    Lanes* const right = rows.right.data();
    const Lanes* const axial = group.axial.data();
    const std::uint32_t* const parent = group.parent.data();
    Lanes* const voltage = group.state.voltage.data();
    const std::size_t nodes = group.parent.size();
    const Lanes one = in_all_lanes(1);
    for (std::size_t i = nodes - 1; i > 0; --i) {
        const Lanes inverse = one / diagonal[i];
        const Lanes factor = axial[i] * inverse;
        diagonal[parent[i]] -= factor * axial[i];
        right[parent[i]] += factor * right[i];
        right[i] *= inverse;
        diagonal[i] = factor;
    }
    voltage[0] = right[0] / diagonal[0];
    for (std::size_t i = 1; i < nodes; ++i) {
        voltage[i] = right[i] + diagonal[i] * voltage[parent[i]];
    }
}

// The kernel of the proxy; a test puts a faulty one in its place.
struct CableSteps {
    // first <= step < last.
    void advance(Group& group, Rows& rows, std::uint64_t first, std::uint64_t last) const {
        const double decay = std::exp(-time_step / synapse_decay);
        for (std::uint64_t step = first; step < last; ++step) {
            note_spikes(group, step);
            deliver(group, step);
            assemble(group, rows);
            solve(group, rows);
            group.state.synapse *= decay;
            advance_gates(group.state.gates, group.state.voltage[0]);
            ++group.steps;
        }
    }
};

}  // namespace machmeter::proxies::ring
