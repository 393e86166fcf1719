#include <cmath>
#include <vector>

#include "simulate/all_to_all.hpp"
#include "tests/simulate/models.hpp"
#include "tests/support/check.hpp"

namespace machmeter::simulate {
namespace {

using machmeter::test::near;
using test::request_of;

struct Example {
    const char* name;
    std::vector<std::uint64_t> shape;
    std::uint64_t nodes;
};

const std::vector<Example>& examples() {
    static const std::vector<Example> all{
        {"torus", {4, 3, 5}, 120}, {"torus", {4, 3, 5}, 77},      {"torus", {6, 1, 2}, 24},
        {"torus", {2, 2, 2}, 13},  {"dragonfly", {4, 3, 5}, 120}, {"fat-tree", {6, 12, 48}, 48}};
    return all;
}

// Link by link for every pair of nodes.
TEST(total_traffic_is_that_of_all_pairs) {
    for (const Example& one : examples()) {
        const Machine machine(request_of(one.nodes, 2, one.name, one.shape, one.nodes));
        const Traffic all = traffic_of(machine, 1000);
        std::visit(
            [&](const auto& topology) {
                std::vector<double> loads(topology.links());
                double hops = 0;
                for (std::uint64_t a = 0; a < one.nodes; ++a) {
                    for (std::uint64_t b = 0; b < one.nodes; ++b) {
                        topology.visit_shares(a, b, [&](std::uint64_t link, double share) {
                            loads[link] += share * 4 * 1000;
                        });
                        hops += machine.hops_seconds(path_between(topology, a, b));
                    }
                }
                double longest = 0;
                for (std::uint64_t link = 0; link < loads.size(); ++link) {
                    longest = std::max(longest, loads[link] / topology.bandwidth(link));
                }
                CHECK(std::abs(all.link_seconds / longest - 1) < 1e-9);
                const auto nodes = static_cast<double>(one.nodes);
                CHECK(std::abs(all.hops_seconds / (hops / nodes / (nodes - 1)) - 1) < 1e-9);
            },
            machine.topology());
    }
}

// Of every kind of link; where a message takes one way, each of its hops carries all its bytes.
TEST(loads_conserve_the_bytes_of_all_pairs) {
    for (const Example& one : examples()) {
        const Machine machine(request_of(one.nodes, 2, one.name, one.shape, one.nodes));
        double passed = 0;
        Loads loads(machine);
        for (std::uint64_t a = 0; a < machine.ranks(); ++a) {
            for (std::uint64_t b = 0; b < machine.ranks(); ++b) {
                loads.add(a, b, 1000);
                passed += machine.node_of(a) == machine.node_of(b)
                              ? 0.0
                              : 1000 * static_cast<double>(machine.path(a, b).hops);
            }
        }
        const std::vector<KindLoad> counted = loads.by_kind();
        const std::vector<KindLoad> summed = traffic_of(machine, 1000).kinds;
        CHECK(counted.size() == summed.size());
        double all = 0;
        for (std::size_t kind = 0; kind < summed.size(); ++kind) {
            CHECK(summed[kind].kind == counted[kind].kind);
            CHECK(summed[kind].links == counted[kind].links);
            CHECK(near(summed[kind].all, counted[kind].all));
            CHECK(near(summed[kind].most, counted[kind].most));
            CHECK(summed[kind].most >= summed[kind].all / summed[kind].links);
            all += summed[kind].all;
        }
        CHECK(one.name == std::string("dragonfly") || near(all, passed));
    }
}

TEST(the_load_of_an_exchange_is_that_of_its_algorithm) {
    const Machine ring(request_of(16, 1, "torus", {8, 1, 1}, 16));
    const Outcome linear = all_to_all(ring, AllToAll::linear, 1000, true);
    const Outcome pairwise = all_to_all(ring, AllToAll::pairwise, 1000, true);
    CHECK(linear.loads.size() == 1 && pairwise.loads.size() == 1);
    CHECK(linear.loads[0].kind == "x" && linear.loads[0].links == 16);
    CHECK(near(linear.loads[0].all, pairwise.loads[0].all));
    CHECK(all_to_all(ring, AllToAll::bruck, 1000, true).loads.empty());
}

// Above 4,096 ranks the rounds are one sum; on a direct network both are the same.
TEST(a_pairwise_exchange_of_many_is_the_sum_of_its_rounds) {
    const Machine machine(request_of(64, 1));
    const Schedule schedule = schedules::pairwise_alltoall(64, 5000, true);
    RankClocks clocks(machine);
    clocks.run(schedule);
    CHECK(near(pairwise_of_many(machine, schedule, 5000).seconds, clocks.last()));
}

TEST(a_pairwise_exchange_of_many_stays_close_to_its_rounds_on_every_topology) {
    for (const Example& one : examples()) {
        const Machine machine(request_of(one.nodes, 1, one.name, one.shape, one.nodes));
        const Schedule schedule = schedules::pairwise_alltoall(one.nodes, 100, true);
        RankClocks clocks(machine);
        clocks.run(schedule);
        const double ratio = pairwise_of_many(machine, schedule, 100).seconds / clocks.last();
        CHECK(ratio > 0.6 && ratio < 1.01);
    }
}

TEST(a_linear_exchange_of_large_blocks_is_bound_by_the_nic_or_by_a_link) {
    const Machine direct(request_of(16, 1));
    const double seconds = linear_all_to_all(direct, 8000).seconds;
    CHECK(near(seconds, 1.3e-6 + 15 * 8000 / 1e10));
    // A ring of 8 routers with 2 nodes each: all loads are equal, so flows end together there.
    const Machine ring(request_of(16, 1, "torus", {8, 1, 1}, 16));
    const Traffic all = traffic_of(ring, 1e6);
    const double flows = linear_all_to_all(ring, 1e6).seconds;
    CHECK(flows > all.link_seconds);
    CHECK(flows < 1.05 * all.link_seconds + 1e-5);
}

TEST(small_blocks_are_bound_by_the_cpu) {
    const Machine machine(request_of(16, 1));
    CHECK(near(linear_all_to_all(machine, 8).seconds, 1.3e-6 + 14 * 6e-7));
}

}  // namespace
}  // namespace machmeter::simulate
