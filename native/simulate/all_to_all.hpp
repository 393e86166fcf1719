// The time of an all-to-all: rounds of rank clocks, or where those would be too many, its total
// traffic over NICs and links.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/machine/link_loads.hpp"
#include "simulate/max_min.hpp"
#include "simulate/rounds.hpp"
#include "simulate/schedules.hpp"

namespace machmeter::simulate {

enum class AllToAll : std::uint8_t { bruck, linear, pairwise };

struct Outcome {
    double seconds;
    std::string algorithm;
    std::string contention;
    // Bytes of the whole operation; none where an algorithm forwards blocks of others.
    std::vector<KindLoad> loads{};
};

// Of all pairs of ranks of different nodes: seconds that the most loaded link needs for their
// bytes, and what their messages pass on average.
struct Traffic {
    double link_seconds = 0;
    double hops_seconds = 0;
    std::uint64_t every = 1;
    std::vector<KindLoad> kinds{};
};

namespace traffic {

// Nodes of the layout on each router, and one of them.
struct Weights {
    std::vector<double> nodes;
    std::vector<std::uint64_t> place;
};

template <class T>
Weights weights_of(const Machine& machine, const T& topology) {
    Weights weights;
    std::vector<std::uint64_t> index(topology.routers(), topology.routers());
    for (std::uint64_t node = 0; node < machine.nodes(); ++node) {
        const std::uint64_t place = machine.place_of(node);
        std::uint64_t& known = index[topology.router_of(place)];
        if (known == topology.routers()) {
            known = weights.nodes.size();
            weights.nodes.push_back(0);
            weights.place.push_back(place);
        }
        ++weights.nodes[known];
    }
    return weights;
}

// From how many pairs of routers on only every so many-th is followed, in place of all.
inline constexpr std::uint64_t most_router_pairs = std::uint64_t{1} << 26U;

inline std::uint64_t stride_for(std::uint64_t routers) {
    constexpr std::array<std::uint64_t, 10> primes{1, 7, 13, 29, 61, 127, 257, 521, 4099, 16411};
    for (const std::uint64_t prime : primes) {
        if (routers * routers / prime <= most_router_pairs) {
            return prime;
        }
    }
    return primes.back();
}

template <class T>
Traffic of(const Machine& machine, const T& topology, double bytes) {
    const Weights weights = weights_of(machine, topology);
    const std::uint64_t routers = weights.nodes.size();
    const std::uint64_t stride = stride_for(routers);
    const auto per_node = static_cast<double>(machine.ranks_per_node());
    const double factor = static_cast<double>(stride) * per_node * per_node * bytes;
    std::vector<double> links(topology.links());
    double pairs = 0;
    double hops = 0;
    for (std::uint64_t a = 0; a < routers; ++a) {
        for (std::uint64_t b = a % stride; b < routers; b += stride) {
            // Nodes of one router meet in it.
            const double both = weights.nodes[a] * (weights.nodes[b] - (a == b ? 1 : 0));
            pairs += both;
            if (a != b) {
                hops += both * machine.hops_seconds(
                                   path_between(topology, weights.place[a], weights.place[b]));
                topology.visit_shares(weights.place[a], weights.place[b],
                                      [&](std::uint64_t link, double share) {
                                          links[link] += both * share * factor;
                                      });
            }
        }
    }
    Traffic all{0, pairs > 0 ? hops / pairs : 0, stride, loads_by_kind(topology, links)};
    for (std::uint64_t link = 0; link < links.size(); ++link) {
        all.link_seconds = std::max(all.link_seconds, links[link] / topology.bandwidth(link));
    }
    return all;
}

template <>
inline Traffic of<Direct>(const Machine& /*machine*/, const Direct& /*topology*/,
                          double /*bytes*/) {
    return {};
}

// On a ring of `size` routers with a flow from every place to every other: the largest load of one
// of its links, and that of all together. The shorter way, upwards where both are as long.
struct RingLoad {
    double largest = 0;
    double all = 0;
};

template <class Flow>
RingLoad ring_load(std::uint64_t size, Flow&& flow) {
    // By first and last link, each way, twice round.
    std::vector<double> up(2 * size + 1);
    std::vector<double> down(2 * size + 1);
    for (std::uint64_t a = 0; a < size; ++a) {
        for (std::uint64_t b = 0; b < size; ++b) {
            const std::uint64_t ahead = (b + size - a) % size;
            const bool climbs = 2 * ahead <= size;
            const std::uint64_t length = climbs ? ahead : size - ahead;
            const std::uint64_t begin = climbs ? a : b;
            (climbs ? up : down)[begin] += flow(a, b);
            (climbs ? up : down)[begin + length] -= flow(a, b);
        }
    }
    RingLoad load;
    for (std::vector<double>* way : {&up, &down}) {
        for (std::uint64_t i = 1; i <= 2 * size; ++i) {
            (*way)[i] += (*way)[i - 1];
        }
        for (std::uint64_t i = 0; i < size; ++i) {
            const double both = (*way)[i] + (*way)[i + size];
            load.largest = std::max(load.largest, both);
            load.all += both;
        }
    }
    return load;
}

// Nodes on the routers of a torus, and their sums over one dimension or two.
struct TorusWeights {
    TorusWeights(const Machine& machine, const Torus& torus)
        : sizes(torus.sizes()),
          at(torus.routers()),
          of_x(sizes[0]),
          of_z(sizes[2]),
          of_xy(sizes[0] * sizes[1]),
          of_yz(sizes[1] * sizes[2]) {
        for (std::uint64_t node = 0; node < machine.nodes(); ++node) {
            const std::uint64_t router = torus.router_of(machine.place_of(node));
            ++at[router];
            ++of_x[router % sizes[0]];
            ++of_z[router / of_xy.size()];
            ++of_xy[router % of_xy.size()];
            ++of_yz[router / sizes[0]];
        }
    }
    Torus::Sizes sizes;
    std::vector<double> at;
    std::vector<double> of_x;
    std::vector<double> of_z;
    std::vector<double> of_xy;
    std::vector<double> of_yz;
};

// Exact, line by line: in dimension order a message passes x in the line of its sender, z in that
// of its receiver, y in the line of the receiver's x and the sender's z.
template <>
inline Traffic of<Torus>(const Machine& machine, const Torus& torus, double bytes) {
    const TorusWeights w(machine, torus);
    const auto& [nx, ny, nz] = w.sizes;
    std::array<RingLoad, 3> loads;
    const auto merge = [&](std::size_t dimension, const RingLoad& line) {
        loads[dimension].largest = std::max(loads[dimension].largest, line.largest);
        loads[dimension].all += line.all;
    };
    for (std::uint64_t yz = 0; yz < ny * nz; ++yz) {
        merge(0, ring_load(nx, [&](auto a, auto b) { return w.at[yz * nx + a] * w.of_x[b]; }));
    }
    for (std::uint64_t z = 0; z < nz; ++z) {
        for (std::uint64_t x = 0; x < nx; ++x) {
            merge(1, ring_load(ny, [&](auto a, auto b) {
                      return w.of_yz[z * ny + a] * w.of_xy[b * nx + x];
                  }));
        }
    }
    for (std::uint64_t xy = 0; xy < nx * ny; ++xy) {
        merge(2, ring_load(nz, [&](auto a, auto b) { return w.of_z[a] * w.at[b * nx * ny + xy]; }));
    }
    const auto per_node = static_cast<double>(machine.ranks_per_node());
    const auto nodes = static_cast<double>(machine.nodes());
    Traffic all;
    const double factor = per_node * per_node * bytes;
    for (std::size_t dimension = 0; dimension < 3; ++dimension) {
        const KindLoad kind{Torus::kinds()[dimension], 2 * static_cast<double>(torus.routers()),
                            loads[dimension].all * factor, loads[dimension].largest * factor,
                            torus.bandwidth(2 * dimension)};
        all.link_seconds = std::max(all.link_seconds, kind.most / kind.rate);
        if (torus.kind_of(2 * dimension) == dimension) {
            all.kinds.push_back(kind);
        }
        all.hops_seconds += loads[dimension].all * machine.costs().hop_latency;
    }
    all.hops_seconds /= std::max(1.0, nodes * (nodes - 1));
    return all;
}

}  // namespace traffic

inline Traffic traffic_of(const Machine& machine, double bytes) {
    return std::visit([&](const auto& one) { return traffic::of(machine, one, bytes); },
                      machine.topology());
}

// Seconds of the NIC of a node for all that its ranks send to and receive from other nodes.
inline double nic_seconds_of_all(const Machine& machine, double bytes) {
    const Costs& costs = machine.costs();
    const auto per_node = static_cast<double>(machine.ranks_per_node());
    const auto others = static_cast<double>(machine.ranks()) - per_node;
    const double each = bytes / costs.injection;
    const double service = per_node > 1 ? std::max(costs.message_gap, each) : each;
    return per_node * others * service;
}

// Latency of a message between two nodes, the mean of all pairs.
inline double mean_base(const Machine& machine, const Traffic& all) {
    const Costs& costs = machine.costs();
    double packages = 0;
    for (std::uint64_t local = 0; local < machine.ranks_per_node(); ++local) {
        packages += 2 * machine.package_seconds(local);
    }
    return 2 * costs.software_overhead + costs.nic_latency + all.hops_seconds +
           packages / static_cast<double>(machine.ranks_per_node());
}

inline std::string sampled_text(const Traffic& all) {
    return all.every == 1
               ? ""
               : "; followed between every " + std::to_string(all.every) + "th pair of routers";
}

// Above so many ranks the rounds of a pairwise exchange are not followed one by one.
inline constexpr std::uint64_t most_ranks_in_rounds = 4096;

// As many rounds as other ranks, each with the mean latency; the busiest NIC or link passes the
// bytes of all rounds without a pause.
inline Outcome pairwise_of_many(const Machine& machine, const Schedule& schedule, double bytes) {
    const Traffic all = traffic_of(machine, bytes);
    const Costs& costs = machine.costs();
    const auto within = static_cast<double>(machine.ranks_per_node() - 1);
    const auto between = static_cast<double>(machine.ranks() - machine.ranks_per_node());
    const double base = mean_base(machine, all) * (bytes > costs.eager_limit ? 3 : 1);
    const double local = costs.node_latency + bytes / costs.node_bandwidth;
    const double shared = std::max(nic_seconds_of_all(machine, bytes), all.link_seconds);
    return {between * base + within * local + shared, schedule.name,
            "the total traffic of all rounds over NICs and links of static routes, and the mean "
            "latency of all pairs in every round" +
                sampled_text(all),
            all.kinds};
}

// From so many nodes on the shares of links are not computed flow by flow.
inline constexpr std::uint64_t most_nodes_in_flows = 1024;

template <class T>
double seconds_of_flows(const Machine& machine, const T& topology, double bytes) {
    const std::uint64_t nodes = machine.nodes();
    std::vector<double> capacities(topology.links() + 2 * nodes, machine.costs().injection);
    for (std::uint64_t link = 0; link < topology.links(); ++link) {
        capacities[link] = topology.bandwidth(link);
    }
    MaxMin network(std::move(capacities));
    std::vector<std::uint32_t> links;
    for (std::uint64_t a = 0; a < nodes; ++a) {
        for (std::uint64_t b = 0; b < nodes; ++b) {
            if (a == b) {
                continue;
            }
            links = {static_cast<std::uint32_t>(topology.links() + 2 * a),
                     static_cast<std::uint32_t>(topology.links() + 2 * b + 1)};
            topology.visit(machine.place_of(a), machine.place_of(b), [&](std::uint64_t link) {
                links.push_back(static_cast<std::uint32_t>(link));
            });
            network.add(links);
        }
    }
    constexpr double batch = 0.03;
    const auto per_node = static_cast<double>(machine.ranks_per_node());
    return network.seconds(per_node * per_node * bytes, batch);
}

// Every rank starts all its messages at once: the slowest of its CPU, the NICs and the links.
inline Outcome linear_all_to_all(const Machine& machine, double bytes) {
    const Traffic all = traffic_of(machine, bytes);
    const Costs& costs = machine.costs();
    const auto within = static_cast<double>(machine.ranks_per_node() - 1);
    const auto between = static_cast<double>(machine.ranks() - machine.ranks_per_node());
    const bool divided = std::holds_alternative<Dragonfly>(machine.topology());
    const bool by_flows =
        !divided && machine.nodes() > 1 && machine.nodes() <= most_nodes_in_flows && bytes > 0;
    const double flows =
        by_flows
            ? std::visit([&](const auto& one) { return seconds_of_flows(machine, one, bytes); },
                         machine.topology())
            : all.link_seconds;
    const double base = between > 0 ? mean_base(machine, all) : 0;
    const double handshake = bytes > costs.eager_limit ? 2 * base : 0;
    const double cpu = 2 * costs.software_overhead * std::max(between - 1, 0.0);
    const double local = within * (costs.node_latency / 2 + bytes / costs.node_bandwidth) +
                         (within > 0 ? costs.node_latency / 2 : 0);
    const double network =
        base + handshake + std::max({cpu, nic_seconds_of_all(machine, bytes), flows});
    return {between > 0 ? std::max(network, cpu + base + local) : local,
            "linear: all messages at once",
            (by_flows ? "max-min shares of NICs and links by all flows between nodes, those that "
                        "end within 3 % together"
                      : "the total traffic over NICs and links of static routes") +
                sampled_text(all),
            all.kinds};
}

inline Outcome all_to_all(const Machine& machine, AllToAll algorithm, double bytes,
                          bool by_exclusive_or) {
    if (algorithm == AllToAll::linear) {
        return linear_all_to_all(machine, bytes);
    }
    const std::uint64_t ranks = machine.ranks();
    const Schedule schedule = algorithm == AllToAll::bruck
                                  ? schedules::bruck_alltoall(ranks, bytes)
                                  : schedules::pairwise_alltoall(ranks, bytes, by_exclusive_or);
    if (algorithm == AllToAll::pairwise && ranks > most_ranks_in_rounds) {
        return pairwise_of_many(machine, schedule, bytes);
    }
    RankClocks clocks(machine);
    clocks.run(schedule);
    const bool direct = algorithm == AllToAll::pairwise;
    return {clocks.last(), schedule.name,
            "bytes of a round share the NICs of their nodes and the links of their static routes",
            direct ? traffic_of(machine, bytes).kinds : std::vector<KindLoad>{}};
}

}  // namespace machmeter::simulate
