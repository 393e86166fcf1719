// Machines to simulate in tests.
#pragma once

#include <string>
#include <vector>

#include "simulate/machine/machine.hpp"

namespace machmeter::simulate::test {

inline const std::vector<std::string>& usual_values() {
    static const std::vector<std::string> all{
        "network.software_overhead=3e-7",     "network.nic_latency=7e-7",
        "network.hop_latency=1e-7",           "network.optical_latency=4e-7",
        "network.package_latency=2e-7",       "network.message_gap=1e-7",
        "network.injection_bandwidth=1e10",   "network.duplex_share=0.75",
        "network.eager_limit=8192",           "network.link.bandwidth_x=5e9",
        "network.link.bandwidth_y=3e9",       "network.link.bandwidth_z=9e9",
        "network.link.bandwidth_chassis=5e9", "network.link.bandwidth_group=15e9",
        "network.link.bandwidth_global=40e9", "network.link.bandwidth_up1=12e9",
        "network.link.bandwidth_up2=18e9",    "network.nodes_per_router=2",
        "network.nonminimal_share=0.3",       "network.pair_hops=0",
        "network.put_latency=9e-7",           "network.get_latency=1.5e-6",
        "network.atomic_latency=1.6e-6",      "node.message_latency=5e-7",
        "node.message_bandwidth=6e9",         "node.reduction_bandwidth=4e9"};
    return all;
}

// Nodes and ranks of a layout, and the words of a machine of 2 packages of 4 cores a node.
inline Request request_of(std::uint64_t nodes, std::uint64_t ranks_per_node,
                          const std::string& topology = "direct",
                          std::vector<std::uint64_t> shape = {},
                          std::uint64_t machine_nodes = 4096) {
    Request request;
    request.nodes = nodes;
    request.ranks_per_node = ranks_per_node;
    request.topology = topology;
    request.shape = std::move(shape);
    request.machine_nodes = machine_nodes;
    request.packages = 2;
    request.cores_per_package = 4;
    request.mpi = "mpich";
    request.nic_progress = true;
    for (const std::string& one : usual_values()) {
        request.values.set(one);
    }
    return request;
}

}  // namespace machmeter::simulate::test
