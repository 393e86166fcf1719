#include <cmath>
#include <vector>

#include "simulate/events/pair_patterns.hpp"
#include "simulate/pairs.hpp"
#include "tests/simulate/models.hpp"
#include "tests/support/check.hpp"

namespace machmeter::simulate {
namespace {

using machmeter::test::near;
using test::request_of;

constexpr double sizes[] = {0, 8, 1000, 8192, 8193, 1e6};

// Two ranks of every topology, next to each other and far, and of one node.
std::vector<Machine> machines_of_two() {
    std::vector<Machine> all;
    all.emplace_back(request_of(1, 2));
    for (const char* pair : {"near", "far"}) {
        for (const auto& request : {request_of(2, 1), request_of(2, 1, "torus", {4, 6, 8}, 384),
                                    request_of(2, 1, "dragonfly", {4, 3, 5}, 120),
                                    request_of(2, 1, "fat-tree", {8, 32, 128}, 128)}) {
            Request one = request;
            one.pair = pair;
            one.package = 1;
            all.emplace_back(one);
        }
    }
    return all;
}

double slowest_window(const Machine& machine, double bytes, std::size_t window, bool both) {
    return times_over(followed_windows(machine, bytes, window, both)).slowest;
}

TEST(one_message_is_its_closed_form_on_every_topology) {
    for (const Machine& machine : machines_of_two()) {
        for (const double bytes : sizes) {
            const double alone = machine.message(0, 1, bytes).seconds();
            CHECK(near(half_round_trips(machine, bytes, true).front(), alone));
            CHECK(std::abs(half_round_trips(machine, bytes, false).front() / alone - 1) < 1e-9);
            CHECK(near(exchange_seconds(machine, bytes), machine.exchange(0, 1, bytes).seconds()));
        }
    }
}

TEST(windows_of_one_pair_are_their_closed_form) {
    for (const Machine& machine : machines_of_two()) {
        for (const double bytes : sizes) {
            for (const std::size_t window : {1, 2, 64}) {
                for (const bool both : {false, true}) {
                    if (both && machine.nodes() == 1) {
                        // The closed form has one of the overheads at its ends twice.
                        continue;
                    }
                    const double closed =
                        times_over(
                            windows_of_pairs(machine, 1, bytes, static_cast<double>(window), both))
                            .slowest;
                    CHECK(std::abs(slowest_window(machine, bytes, window, both) / closed - 1) <
                          1e-9);
                }
            }
        }
    }
}

TEST(windows_of_many_pairs_are_near_their_closed_form) {
    for (const auto& request : {request_of(2, 8), request_of(64, 1, "torus", {4, 4, 4}, 128),
                                request_of(60, 2, "dragonfly", {4, 3, 5}, 120),
                                request_of(64, 2, "fat-tree", {8, 32, 128}, 128)}) {
        const Machine machine(request);
        const std::uint64_t pairs = machine.ranks() / 2;
        for (const double bytes : {1000.0, 1e6}) {
            for (const bool both : {false, true}) {
                const double closed =
                    times_over(windows_of_pairs(machine, pairs, bytes, 64, both)).slowest;
                CHECK(std::abs(slowest_window(machine, bytes, 64, both) / closed - 1) < 0.05);
            }
        }
    }
}

TEST(pairs_that_begin_together_wait_in_turn_and_later_only_for_what_is_busy) {
    for (const char* gap : {"network.message_gap=1e-9", "network.message_gap=5e-8"}) {
        Request request = request_of(2, 8);
        request.values.set(gap);
        const Machine machine(request);
        const Loads loads = loads_of_pairs(machine, 8, 8, true);
        const PairTimes together = followed_pairs(machine, 8, true);
        const PairTimes closed = times_of_pairs(machine, loads, 8, true);
        CHECK(near(together.slowest, closed.slowest));
        CHECK(near(together.mean, closed.mean));
        const PairTimes later = followed_pairs(machine, 8, false);
        CHECK(std::abs(later.mean / times_of_pairs(machine, loads, 8, false).mean - 1) < 0.01);
    }
}

// Times of pairs and of their windows, each of the slowest pair and of the mean.
std::vector<double> times_of_patterns(const Machine& machine, double bytes) {
    std::vector<double> all;
    for (const bool barrier : {false, true}) {
        const PairTimes pairs = followed_pairs(machine, bytes, barrier);
        all.insert(all.end(), {pairs.slowest, pairs.mean});
    }
    for (const bool both : {false, true}) {
        all.push_back(slowest_window(machine, bytes, 16, both));
    }
    return all;
}

// A network whose links cost nothing and limit nothing.
Request without_links(Request request) {
    for (const char* kind : {"x", "y", "z", "chassis", "group", "global", "up1", "up2"}) {
        request.values.set(std::string("network.link.bandwidth_") + kind + "=1e15");
    }
    request.values.set("network.hop_latency=0");
    request.values.set("network.optical_latency=0");
    return request;
}

TEST(links_of_no_cost_and_no_limit_are_a_direct_network) {
    struct Layout {
        std::uint64_t nodes;
        std::uint64_t ranks_per_node;
    };
    for (const auto& [nodes, ranks] : {Layout{2, 8}, Layout{15, 2}, Layout{16, 8}, Layout{64, 3}}) {
        for (const double bytes : {8.0, 1000.0, 8193.0, 1e5}) {
            const auto direct = times_of_patterns(Machine(request_of(nodes, ranks)), bytes);
            for (const auto& request : {request_of(nodes, ranks, "torus", {4, 4, 4}, 128),
                                        request_of(nodes, ranks, "torus", {64, 1, 1}, 128),
                                        request_of(nodes, ranks, "dragonfly", {4, 3, 6}, 144),
                                        request_of(nodes, ranks, "fat-tree", {8, 32, 128}, 128)}) {
                const auto linked = times_of_patterns(Machine(without_links(request)), bytes);
                for (std::size_t i = 0; i < direct.size(); ++i) {
                    CHECK(std::abs(linked[i] / direct[i] - 1) < 0.01);
                }
            }
        }
    }
}

// What every change of a machine does to a result, by theory.
TEST(slower_parts_slow_what_they_bind_and_nothing_else) {
    const auto window = [](const char* change, double bytes) {
        Request request = request_of(64, 1, "torus", {4, 4, 4}, 128);
        if (*change != 0) {
            request.values.set(change);
        }
        return slowest_window(Machine(request), bytes, 64, false);
    };
    // Long messages cross links of z that are shared by pairs; short ones are bound by the CPU.
    CHECK(window("network.link.bandwidth_z=4.5e9", 1e6) > 1.9 * window("", 1e6));
    CHECK(near(window("network.link.bandwidth_x=2.5e9", 1e6), window("", 1e6)));
    CHECK(window("network.software_overhead=6e-7", 8) > 1.5 * window("", 8));
    CHECK(window("network.hop_latency=2e-7", 8) > window("", 8));
    CHECK(window("network.hop_latency=2e-7", 8) < 1.2 * window("", 8));
}

TEST(a_window_fits_no_faster_than_its_bytes_through_the_nic) {
    for (const std::uint64_t pairs : {1, 4, 8}) {
        const Machine machine(request_of(2, pairs));
        const double bytes = 1e5 * 64 * static_cast<double>(pairs);
        CHECK(slowest_window(machine, 1e5, 64, false) > bytes / 1e10);
        CHECK(slowest_window(machine, 1e5, 64, true) > bytes / 0.75e10);
    }
}

}  // namespace
}  // namespace machmeter::simulate
