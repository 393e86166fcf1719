// Four cells of one shape at a time, a lane each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/common/lanes.hpp"
#include "proxies/ring/cells.hpp"
#include "proxies/ring/channels.hpp"

namespace machmeter::proxies::ring {

// Of a cell: a spike of its own, or one that arrives. is_first: the one that a ring starts with.
struct Event {
    std::uint64_t step = 0;
    std::size_t lane = 0;
    bool is_first = false;
};

// What changes from step to step.
struct State {
    std::vector<Lanes> voltage;
    Gates gates{};
    Lanes synapse{};
};

// Each on cache lines of its own: threads share neighbors. Vectors have a value for each node.
struct alignas(128) Group {
    const Shape* shape = nullptr;
    // Lanes from `used` on repeat the shape, and nothing excites them.
    std::array<std::uint64_t, lane_count> cells{};
    std::size_t used = 0;

    std::vector<std::uint32_t> parent;
    // Capacitance over the time step.
    std::vector<Lanes> inertia;
    std::vector<Lanes> leak;
    std::vector<Lanes> reversal;
    std::vector<Lanes> axial;
    // The sum of a node's axial conductances and its inertia.
    std::vector<Lanes> fixed;

    State state;
    // Before the last step, for the checks.
    State before;
    LaneBits is_above{};
    // Those of the present interval, in order of steps, and how many of them were delivered.
    std::vector<Event> coming;
    std::size_t delivered_of_coming = 0;
    // All since the reset; how many of the spikes were sent.
    std::vector<Event> delivered;
    std::vector<Event> spikes;
    std::size_t sent = 0;
    std::uint64_t steps = 0;
};

// Memory of a cell's node: five parameters, two states, and their place in the tree.
inline constexpr double bytes_per_node = 7 * sizeof(double) + sizeof(std::uint32_t);
// What an interval moves of it where a group fits into a cache: reads all and writes the voltage.
inline constexpr double moved_per_node = 7 * sizeof(double);

inline void lay_out(Group& group, const Shape& shape) {
    group.shape = &shape;
    const std::vector<Node>& nodes = shape.nodes();
    std::vector<double> fixed(nodes.size(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        fixed[i] += node.capacitance / time_step + node.axial;
        fixed[node.parent] += i > 0 ? node.axial : 0;
        group.parent.push_back(static_cast<std::uint32_t>(node.parent));
        group.inertia.push_back(in_all_lanes(node.capacitance / time_step));
        group.leak.push_back(in_all_lanes(node.leak));
        group.reversal.push_back(in_all_lanes(node.reversal));
        group.axial.push_back(in_all_lanes(node.axial));
    }
    for (const double value : fixed) {
        group.fixed.push_back(in_all_lanes(value));
    }
}

inline void put_to_rest(Group& group) {
    group.state.voltage.assign(group.shape->nodes().size(), in_all_lanes(rest));
    group.state.gates = gates_at_rest(in_all_lanes(rest));
    group.state.synapse = in_all_lanes(0);
    group.before = {};
    group.is_above = LaneBits{};
    group.coming.clear();
    group.delivered_of_coming = 0;
    group.delivered.clear();
    group.spikes.clear();
    group.sent = 0;
    group.steps = 0;
}

}  // namespace machmeter::proxies::ring
