// A machine with the ranks of a layout on it, and the time of one message between two of them.
//
// The time is that of LogGP (Alexandrov et al. 1995) with the overhead of LogGOPS (Hoefler et al.
// 2010): software at both ends, the wire, and the bytes at the rate of the slowest part passed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "simulate/machine/request.hpp"
#include "simulate/machine/topology.hpp"

namespace machmeter::simulate {

// Names as in `Values`, without their prefixes where they are clear.
struct Costs {
    explicit Costs(const Values& values)
        : software_overhead(values.of("network.software_overhead")),
          nic_latency(values.of("network.nic_latency")),
          hop_latency(values.of("network.hop_latency")),
          optical_latency(values.of("network.optical_latency")),
          package_latency(values.of("network.package_latency")),
          message_gap(values.of("network.message_gap")),
          injection(values.of("network.injection_bandwidth")),
          duplex_share(values.of("network.duplex_share")),
          eager_limit(values.of("network.eager_limit")),
          put_latency(values.of("network.put_latency")),
          get_latency(values.of("network.get_latency")),
          atomic_latency(values.of("network.atomic_latency")),
          node_latency(values.of("node.message_latency")),
          node_bandwidth(values.of("node.message_bandwidth")),
          reduction(values.of("node.reduction_bandwidth")) {}

    double software_overhead;
    double nic_latency;
    double hop_latency;
    double optical_latency;
    double package_latency;
    double message_gap;
    double injection;
    double duplex_share;
    double eager_limit;
    double put_latency;
    double get_latency;
    double atomic_latency;
    double node_latency;
    double node_bandwidth;
    double reduction;
};

// What the time of one message consists of; `nic` has the way from and to a far package.
struct MessageParts {
    double software = 0;
    double nic = 0;
    double hops_seconds = 0;
    double serialization = 0;
    double handshake = 0;
    double queueing = 0;
    std::uint64_t hops = 0;

    [[nodiscard]] double seconds() const {
        return software + nic + hops_seconds + serialization + handshake + queueing;
    }
    // Without bytes, handshake and other messages.
    [[nodiscard]] double base() const { return software + nic + hops_seconds; }
};

class Machine {
   public:
    // Throws UsageError where the layout does not fit the machine.
    explicit Machine(const Request& request)
        : costs_(request.values),
          topology_(make_topology(request.topology, request.shape, request.machine_nodes,
                                  request.values)),
          nodes_(request.nodes),
          per_node_(request.ranks_per_node),
          packages_(request.packages),
          cores_(request.cores_per_package),
          package_(request.package),
          spread_(request.binding == "spread") {
        require_fit(request);
        second_ = nodes_ == 2 ? second_place(request) : 1;
    }

    [[nodiscard]] const Costs& costs() const { return costs_; }
    [[nodiscard]] const Topology& topology() const { return topology_; }
    [[nodiscard]] std::uint64_t nodes() const { return nodes_; }
    [[nodiscard]] std::uint64_t ranks_per_node() const { return per_node_; }
    [[nodiscard]] std::uint64_t ranks() const { return nodes_ * per_node_; }
    [[nodiscard]] std::uint64_t node_of(std::uint64_t rank) const { return rank / per_node_; }
    // The number in the topology of a node of the layout.
    [[nodiscard]] std::uint64_t place_of(std::uint64_t node) const {
        return node == 1 ? second_ : node;
    }
    [[nodiscard]] bool near_nic(std::uint64_t rank) const {
        return package_of(rank % per_node_) == 0;
    }

    // Ranks fill cores in order (close), or every rank has as many cores to itself (spread).
    [[nodiscard]] std::uint64_t package_of(std::uint64_t local) const {
        if (package_ >= 0) {
            return static_cast<std::uint64_t>(package_);
        }
        const std::uint64_t core = spread_ ? local * (packages_ * cores_) / per_node_ : local;
        return core / cores_;
    }

    [[nodiscard]] Path path(std::uint64_t from, std::uint64_t to) const {
        return path_between(topology_, place_of(node_of(from)), place_of(node_of(to)));
    }

    // One message of so many bytes with the network to itself.
    [[nodiscard]] MessageParts message(std::uint64_t from, std::uint64_t to, double bytes) const {
        MessageParts parts;
        if (node_of(from) == node_of(to)) {
            parts.software = costs_.node_latency;
            parts.serialization = bytes / costs_.node_bandwidth;
            return parts;
        }
        const Path passed = path(from, to);
        parts.hops = passed.hops;
        parts.software = 2 * costs_.software_overhead;
        parts.nic = costs_.nic_latency + package_seconds(from) + package_seconds(to);
        parts.hops_seconds = hops_seconds(passed);
        parts.serialization = bytes / std::min(costs_.injection, passed.slowest);
        parts.handshake = bytes > costs_.eager_limit ? 2 * parts.base() : 0;
        return parts;
    }

    // Both ends send at once: each way gets its share of what it has alone; within a node, where
    // the CPUs of both ranks copy, one way after the other.
    [[nodiscard]] MessageParts exchange(std::uint64_t from, std::uint64_t to, double bytes) const {
        MessageParts parts = message(from, to, bytes);
        const double share = node_of(from) == node_of(to) ? 0.5 : costs_.duplex_share;
        parts.queueing = parts.serialization / share - parts.serialization;
        return parts;
    }

    [[nodiscard]] double hops_seconds(const Path& passed) const {
        return static_cast<double>(passed.hops) * costs_.hop_latency +
               static_cast<double>(passed.optical) * costs_.optical_latency;
    }
    [[nodiscard]] double package_seconds(std::uint64_t rank) const {
        return near_nic(rank) ? 0 : costs_.package_latency / 2;
    }

   private:
    void require_fit(const Request& request) const {
        constexpr std::uint64_t most_ranks = std::uint64_t{1} << 24U;
        const auto refuse = [](const std::string& why) { throw UsageError(why); };
        if (request.machine_nodes > nodes_of(topology_)) {
            refuse("--machine-nodes: the topology has places for " +
                   std::to_string(nodes_of(topology_)) + " nodes: request as many or fewer");
        }
        if (request.machine_nodes > most_nodes || nodes_ > request.machine_nodes) {
            refuse("--nodes: the machine has " + std::to_string(request.machine_nodes) +
                   " nodes, of at most 1048576 that can be simulated: request fewer");
        }
        if (package_ >= 0 && static_cast<std::uint64_t>(package_) >= packages_) {
            refuse("--package: a node has packages 0 to " + std::to_string(packages_ - 1));
        }
        const std::uint64_t cores = package_ >= 0 ? cores_ : packages_ * cores_;
        if (per_node_ > cores) {
            refuse("--ranks-per-node: the ranks have " + std::to_string(cores) +
                   " cores of a node, one each: request as many or fewer");
        }
        if (ranks() > most_ranks) {
            refuse("more than 16777216 ranks cannot be simulated: request fewer");
        }
    }

    // Of two nodes the second: the first one that is so many links away, or else the farthest.
    [[nodiscard]] std::uint64_t second_place(const Request& request) const {
        const bool direct = std::holds_alternative<Direct>(topology_);
        const bool nearest = direct || request.pair == "near";
        const double wanted = request.pair == "far" ? std::numeric_limits<double>::infinity()
                              : nearest             ? 0
                                                    : request.values.of("network.pair_hops");
        return std::visit(
            [&](const auto& topology) {
                std::uint64_t found = 1;
                std::uint64_t most = path_between(topology, 0, found).hops;
                for (std::uint64_t node = 2;
                     node < request.machine_nodes && static_cast<double>(most) < wanted; ++node) {
                    const std::uint64_t hops = path_between(topology, 0, node).hops;
                    found = hops > most ? node : found;
                    most = std::max(most, hops);
                }
                return found;
            },
            topology_);
    }

    Costs costs_;
    Topology topology_;
    std::uint64_t nodes_;
    std::uint64_t per_node_;
    std::uint64_t packages_;
    std::uint64_t cores_;
    int package_;
    bool spread_;
    std::uint64_t second_ = 1;
};

}  // namespace machmeter::simulate
