// How the nodes of a machine are connected: one of the topologies, from the command line's words.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "simulate/machine/values.hpp"
#include "simulate/topologies/dragonfly.hpp"
#include "simulate/topologies/fat_tree.hpp"
#include "simulate/topologies/torus.hpp"

namespace machmeter::simulate {

// Every node next to every other, without links that could be shared.
class Direct {
   public:
    explicit Direct(std::uint64_t nodes) : nodes_(nodes) {}
    [[nodiscard]] std::uint64_t nodes() const { return nodes_; }
    [[nodiscard]] std::uint64_t routers() const { return nodes_; }
    [[nodiscard]] std::uint64_t router_of(std::uint64_t node) const { return node; }
    [[nodiscard]] std::uint64_t links() const { return 0; }
    [[nodiscard]] double bandwidth(std::uint64_t /*link*/) const {
        return std::numeric_limits<double>::infinity();
    }
    [[nodiscard]] static std::vector<const char*> kinds() { return {}; }
    [[nodiscard]] std::uint64_t kind_of(std::uint64_t /*link*/) const { return 0; }
    [[nodiscard]] bool optical(std::uint64_t /*link*/) const { return false; }
    template <class Use>
    void visit(std::uint64_t /*from*/, std::uint64_t /*to*/, Use&& /*use*/) const {}
    template <class Use>
    void visit_shares(std::uint64_t /*from*/, std::uint64_t /*to*/, Use&& /*use*/) const {}

   private:
    std::uint64_t nodes_;
};

using Topology = std::variant<Direct, Torus, Dragonfly, FatTree>;

// What a message passes between the routers of its two nodes; `slowest`: the rate of what of it is
// shared with others and has least for it.
struct Path {
    std::uint64_t hops = 0;
    std::uint64_t optical = 0;
    double slowest = std::numeric_limits<double>::infinity();
};

template <class T>
Path path_between(const T& topology, std::uint64_t from, std::uint64_t to) {
    Path path;
    topology.visit(from, to, [&](std::uint64_t link) {
        ++path.hops;
        path.optical += topology.optical(link) ? 1 : 0;
    });
    topology.visit_shares(from, to, [&](std::uint64_t link, double share) {
        path.slowest = std::min(path.slowest, topology.bandwidth(link) / share);
    });
    return path;
}

inline Path path_between(const Topology& topology, std::uint64_t from, std::uint64_t to) {
    return std::visit([&](const auto& one) { return path_between(one, from, to); }, topology);
}

inline std::uint64_t nodes_of(const Topology& topology) {
    return std::visit([](const auto& one) { return one.nodes(); }, topology);
}

inline constexpr std::uint64_t most_nodes = std::uint64_t{1} << 20U;

namespace shapes {

inline std::array<std::uint64_t, 3> three(const std::vector<std::uint64_t>& shape,
                                          const char* what) {
    std::uint64_t all = 1;
    for (const std::uint64_t size : shape) {
        all = size == 0 || size > most_nodes ? 0 : std::min(all * size, 2 * most_nodes);
    }
    if (shape.size() != 3 || all == 0 || all > most_nodes) {
        throw UsageError(std::string("--shape: ") + what +
                         ", each at least 1 and all together at most 1048576");
    }
    return {shape[0], shape[1], shape[2]};
}

// Routes of longer rings would take minutes to follow from every node.
inline void require_short(const Torus::Sizes& sizes) {
    constexpr std::uint64_t longest = 4096;
    if (*std::max_element(sizes.begin(), sizes.end()) > longest) {
        throw UsageError("--shape: a torus has at most 4096 routers in one dimension");
    }
}

// 256 MiB of loads.
inline void require_few_links(const std::array<std::uint64_t, 3>& shape) {
    constexpr std::uint64_t most_links = std::uint64_t{1} << 25U;
    const std::uint64_t routers = shape[0] * shape[1] * shape[2];
    if (2 * routers + shape[2] * (shape[2] + 1) > most_links) {
        throw UsageError(
            "--shape: the dragonfly has more than 33554432 links, more than can be "
            "simulated: request a smaller one");
    }
}

inline std::uint64_t nodes_per_router(const Values& values) {
    const double nodes = values.of("network.nodes_per_router");
    if (nodes != static_cast<double>(static_cast<std::uint64_t>(nodes))) {
        throw UsageError("network.nodes_per_router is not a whole number");
    }
    return static_cast<std::uint64_t>(nodes);
}

inline Topology fat_tree(const std::vector<std::uint64_t>& shape, const Values& values) {
    bool grows = !shape.empty() && shape.size() <= 4 && shape.front() > 0;
    for (std::size_t level = 1; grows && level < shape.size(); ++level) {
        grows = shape[level] > shape[level - 1] && shape[level] % shape[level - 1] == 0;
    }
    if (!grows || shape.back() > most_nodes) {
        throw UsageError(
            "--shape: a fat tree has the nodes below a switch of each of up to 4 levels, the "
            "lowest first, each a multiple of the one before and at most 1048576");
    }
    std::vector<double> up;
    for (std::size_t level = 1; level < shape.size(); ++level) {
        up.push_back(values.of("network.link.bandwidth_up" + std::to_string(level)));
    }
    return FatTree(shape, std::move(up));
}

}  // namespace shapes

// Throws UsageError.
inline Topology make_topology(const std::string& name, const std::vector<std::uint64_t>& shape,
                              std::uint64_t machine_nodes, const Values& values) {
    const auto links = [&](const char* a, const char* b, const char* c) {
        const std::string prefix = "network.link.bandwidth_";
        return std::array{values.of(prefix + a), values.of(prefix + b), values.of(prefix + c)};
    };
    if (name == "torus") {
        const auto sizes = shapes::three(shape, "a torus has its routers in x, y and z");
        shapes::require_short(sizes);
        return Torus(sizes, shapes::nodes_per_router(values), links("x", "y", "z"));
    }
    if (name == "dragonfly") {
        const auto sizes = shapes::three(
            shape, "a dragonfly has routers of a chassis, chassis of a group and groups");
        shapes::require_few_links(sizes);
        return Dragonfly(sizes, shapes::nodes_per_router(values),
                         links("chassis", "group", "global"),
                         values.of("network.nonminimal_share"));
    }
    if (name == "fat-tree") {
        return shapes::fat_tree(shape, values);
    }
    if (name != "direct") {
        throw UsageError("--topology: '" + name +
                         "' is none of direct, torus, dragonfly, fat-tree");
    }
    return Direct(machine_nodes);
}

}  // namespace machmeter::simulate
