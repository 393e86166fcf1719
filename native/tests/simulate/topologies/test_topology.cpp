#include <map>
#include <vector>

#include "simulate/machine/topology.hpp"
#include "simulate/pairs.hpp"
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
    std::uint64_t diameter;
};

const std::vector<Example>& examples() {
    static const std::vector<Example> all{{"direct", {}, 40, 0},
                                          {"torus", {4, 5, 2}, 80, 2 + 2 + 1},
                                          {"torus", {7, 1, 1}, 14, 3},
                                          {"dragonfly", {4, 3, 5}, 120, 5},
                                          {"fat-tree", {6, 12, 48}, 48, 4}};
    return all;
}

Request example_request(const Example& one) {
    return request_of(one.nodes, 1, one.name, one.shape, one.nodes);
}

template <class Use>
void for_each_pair(const Topology& topology, Use&& use) {
    for (std::uint64_t a = 0; a < nodes_of(topology); ++a) {
        for (std::uint64_t b = 0; b < nodes_of(topology); ++b) {
            use(a, b);
        }
    }
}

TEST(hops_are_the_same_both_ways_and_reach_the_diameter) {
    for (const Example& one : examples()) {
        const Machine machine(example_request(one));
        const Topology& topology = machine.topology();
        CHECK(nodes_of(topology) >= one.nodes);
        std::uint64_t most = 0;
        for_each_pair(topology, [&](std::uint64_t a, std::uint64_t b) {
            const Path there = path_between(topology, a, b);
            const Path back = path_between(topology, b, a);
            CHECK(there.hops == back.hops);
            CHECK(there.optical == back.optical);
            most = std::max(most, there.hops);
        });
        CHECK(most == (one.nodes == 40 ? 0 : one.diameter));
    }
}

TEST(routes_of_a_torus_go_from_router_to_router_and_are_shortest) {
    const Torus torus({4, 5, 2}, 2, {1, 2, 3});
    for (std::uint64_t a = 0; a < torus.nodes(); ++a) {
        for (std::uint64_t b = 0; b < torus.nodes(); ++b) {
            std::uint64_t at = torus.router_of(a);
            torus.visit(a, b, [&](std::uint64_t link) {
                CHECK(torus.begin_of(link) == at);
                at = torus.end_of(link);
            });
            CHECK(at == torus.router_of(b));
        }
    }
}

TEST(ties_on_a_torus_go_the_positive_way) {
    const Torus torus({4, 1, 1}, 1, {1, 1, 1});
    std::vector<std::uint64_t> links;
    torus.visit(3, 1, [&](std::uint64_t link) { links.push_back(link); });
    CHECK(links == std::vector<std::uint64_t>{18, 0});
}

// What leaves a group must have come to it or begun there, and every local part of a way leaves one
// router and comes to one.
TEST(bytes_are_conserved_over_the_groups_of_a_dragonfly) {
    constexpr std::uint64_t slots = 4;
    constexpr std::uint64_t chassis = 3;
    constexpr std::uint64_t groups = 5;
    const Dragonfly dragonfly({slots, chassis, groups}, 1, {1, 2, 3}, 0.3);
    const std::uint64_t routers = dragonfly.routers();
    const std::uint64_t between = 2 * routers + groups;
    for (std::uint64_t a = 0; a < dragonfly.nodes(); ++a) {
        for (std::uint64_t b = 0; b < dragonfly.nodes(); ++b) {
            std::map<std::uint64_t, double> of_group;
            double leaving = 0;
            double coming = 0;
            double local = 0;
            dragonfly.visit_shares(a, b, [&](std::uint64_t link, double share) {
                CHECK(link < dragonfly.links());
                if (link >= between) {
                    of_group[(link - between) / groups] -= share;
                    of_group[(link - between) % groups] += share;
                } else {
                    (link < routers ? leaving : link < 2 * routers ? coming : local) += share;
                }
            });
            of_group[a / dragonfly.of_group()] += 1;
            of_group[b / dragonfly.of_group()] -= 1;
            for (const auto& [group, left] : of_group) {
                CHECK(std::abs(left) < 1e-12);
            }
            CHECK(near(leaving, coming));
            CHECK(local <= 4 * 0.7 + 8 * 0.3 + 1e-12);
        }
    }
}

// 3 links of rank 1 and 2 of rank 2 leave a router; alone a message may have all of them.
TEST(a_router_of_a_dragonfly_has_all_its_local_links_for_a_message) {
    const Dragonfly dragonfly({4, 3, 5}, 1, {1, 10, 1000}, 0);
    CHECK(path_between(dragonfly, 0, 1).slowest == 3 * 1 + 2 * 10);
    CHECK(path_between(dragonfly, 0, 1).hops == 1);
    CHECK(path_between(dragonfly, 0, 0).slowest == std::numeric_limits<double>::infinity());
}

TEST(minimal_routes_of_a_dragonfly_are_connected) {
    constexpr std::uint64_t slots = 4;
    constexpr std::uint64_t chassis = 3;
    constexpr std::uint64_t groups = 5;
    const Dragonfly dragonfly({slots, chassis, groups}, 1, {1, 2, 3}, 0.3);
    const std::uint64_t rank2 = dragonfly.routers() * slots;
    const std::uint64_t rank3 = rank2 + dragonfly.routers() * chassis;
    for (std::uint64_t a = 0; a < dragonfly.nodes(); ++a) {
        for (std::uint64_t b = 0; b < dragonfly.nodes(); ++b) {
            std::uint64_t at = a;
            dragonfly.visit(a, b, [&](std::uint64_t link) {
                if (link < rank2) {
                    CHECK(link / slots == at);
                    at = at / slots * slots + link % slots;
                } else if (link < rank3) {
                    CHECK((link - rank2) / chassis == at);
                    const std::uint64_t group = at / (slots * chassis);
                    at = (group * chassis + (link - rank2) % chassis) * slots + at % slots;
                } else {
                    CHECK((link - rank3) / groups == at / (slots * chassis));
                    at = (link - rank3) % groups * slots * chassis + at % (slots * chassis);
                }
            });
            CHECK(at == b);
        }
    }
}

TEST(what_goes_up_a_fat_tree_comes_down) {
    const FatTree tree({6, 12, 48}, {1, 2});
    for (std::uint64_t a = 0; a < 48; ++a) {
        for (std::uint64_t b = 0; b < 48; ++b) {
            std::vector<std::uint64_t> links;
            tree.visit(a, b, [&](std::uint64_t link) { links.push_back(link); });
            const std::uint64_t levels = a / 6 == b / 6 ? 0 : a / 12 == b / 12 ? 1 : 2;
            CHECK(links.size() == 2 * levels);
            if (levels > 0) {
                CHECK(links.front() == 2 * (a / 6));
                CHECK(links.back() == 2 * (b / 6) + 1);
                CHECK(tree.bandwidth(links.front()) == 1);
            }
            if (levels == 2) {
                CHECK(links[1] == 16 + 2 * (a / 12));
                CHECK(links[2] == 16 + 2 * (b / 12) + 1);
                CHECK(tree.bandwidth(links[1]) == 2);
                CHECK(tree.optical(links[1]) && !tree.optical(links[0]));
            }
        }
    }
}

double far_latency(Request request, double bytes) {
    request.nodes = 2;
    request.pair = "far";
    return Machine(request).message(0, 1, bytes).seconds();
}

// Halved bandwidths double the time of the bytes, doubled latencies that of all else, and a longer
// hop costs itself.
TEST(results_move_as_theory_says_on_every_topology) {
    for (const Example& one : examples()) {
        Request request = example_request(one);
        const double empty = far_latency(request, 0);
        const double full = far_latency(request, 8000);
        Request slower = request;
        for (const KnownValue& value : known_values) {
            const std::string name(value.name);
            if (name.find("bandwidth") != std::string::npos &&
                name.find("up3") == std::string::npos) {
                slower.values.set(name + "=" + std::to_string(request.values.of(name) / 2));
            }
        }
        CHECK(near(far_latency(slower, 8000), empty + 2 * (full - empty)));
        Request later = request;
        later.values.set("network.hop_latency=2e-7");
        later.values.set("network.optical_latency=8e-7");
        later.values.set("network.nic_latency=14e-7");
        later.values.set("network.software_overhead=6e-7");
        CHECK(near(far_latency(later, 8000), full + empty));
        Request longer = request;
        longer.values.set("network.hop_latency=1.5e-7");
        CHECK(near(far_latency(longer, 0),
                   empty + 0.5e-7 * static_cast<double>(one.nodes == 40 ? 0 : one.diameter)));
    }
}

TEST(shapes_that_make_no_machine_are_refused) {
    CHECK_THROWS(UsageError, "a torus has", Machine(request_of(2, 1, "torus", {4, 4}, 8)));
    CHECK_THROWS(UsageError, "a torus has", Machine(request_of(2, 1, "torus", {4, 0, 4}, 8)));
    CHECK_THROWS(UsageError, "a dragonfly has",
                 Machine(request_of(2, 1, "dragonfly", {1024, 1024, 1024}, 8)));
    CHECK_THROWS(UsageError, "at most 4096 routers",
                 Machine(request_of(2, 1, "torus", {4097, 1, 1}, 8)));
    CHECK_THROWS(UsageError, "more than 33554432 links",
                 Machine(request_of(2, 1, "dragonfly", {1, 1, 1048576}, 8)));
    CHECK_THROWS(UsageError, "a fat tree has", Machine(request_of(2, 1, "fat-tree", {6, 13}, 8)));
    CHECK_THROWS(UsageError, "the machine lacks network.link.bandwidth_up3",
                 Machine(request_of(2, 1, "fat-tree", {2, 4, 8, 16}, 8)));
    CHECK_THROWS(UsageError, "places for 8 nodes",
                 Machine(request_of(2, 1, "torus", {4, 1, 1}, 9)));
    Values values;
    CHECK_THROWS(UsageError, "not a number within 0 and 1", values.set("network.hop_latency=-1"));
    CHECK_THROWS(UsageError, "no parameter 'network.hops'", values.set("network.hops=1"));
    CHECK_THROWS(UsageError, "not a number", values.set("network.hop_latency=1us"));
}

}  // namespace
}  // namespace machmeter::simulate
