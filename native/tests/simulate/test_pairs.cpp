#include <cmath>

#include "simulate/pairs.hpp"
#include "tests/simulate/models.hpp"
#include "tests/support/check.hpp"

namespace machmeter::simulate {
namespace {

using machmeter::test::near;
using test::request_of;

double first(const PointResult& result, std::size_t series = 0) {
    return result.series[series].second.front();
}

double quantity(const PointResult& result, std::string_view name) {
    for (const auto& [known, value] : result.quantities) {
        if (known == name) {
            return value;
        }
    }
    return -1;
}

Parameters latency_point(const std::string& size, const std::string& pattern = "ping-pong") {
    return Parameters("size=" + size + ",pattern=" + pattern +
                      ",way=blocking,data=contiguous,buffers=hot");
}

double latency(const Request& request, const std::string& size,
               const std::string& pattern = "ping-pong") {
    return first(simulate_latency(Machine(request), latency_point(size, pattern)));
}

TEST(one_message_is_the_closed_form) {
    CHECK(near(latency(request_of(2, 1), "8"), 2 * 3e-7 + 7e-7 + 8 / 1e10));
    CHECK(near(latency(request_of(2, 1), "8192"), 1.3e-6 + 8192 / 1e10));
    CHECK(near(latency(request_of(2, 1), "8193"), 3 * 1.3e-6 + 8193 / 1e10));
    CHECK(near(latency(request_of(1, 2), "600"), 5e-7 + 600 / 6e9));
}

TEST(hops_and_the_slowest_link_count_on_a_torus) {
    Request request = request_of(2, 1, "torus", {4, 6, 8}, 384);
    request.pair = "far";
    // 2 + 3 + 4 hops, the slowest in y.
    CHECK(near(latency(request, "1000"), 1.3e-6 + 9 * 1e-7 + 1000 / 3e9));
    request.pair = "near";
    CHECK(near(latency(request, "1000"), 1.3e-6 + 1000 / 1e10));
}

TEST(two_nodes_are_as_many_links_apart_as_those_of_a_job) {
    Request request = request_of(2, 1, "torus", {4, 6, 8}, 384);
    const auto seconds = [&](const char* links) {
        request.values.set(std::string("network.pair_hops=") + links);
        return latency(request, "0");
    };
    CHECK(near(seconds("1"), 1.3e-6 + 1e-7));
    CHECK(near(seconds("3"), 1.3e-6 + 3e-7));
    // No two nodes are farther than 2 + 3 + 4 links.
    CHECK(near(seconds("1000"), 1.3e-6 + 9e-7));
    request.pair = "near";
    CHECK(near(latency(request, "0"), 1.3e-6));
}

TEST(a_far_package_costs_its_half_at_each_end) {
    Request request = request_of(2, 1);
    request.package = 1;
    CHECK(near(latency(request, "0"), 1.3e-6 + 2e-7));
}

TEST(packages_are_filled_or_spread) {
    Request request = request_of(1, 4);
    CHECK(Machine(request).package_of(3) == 0);
    request.binding = "spread";
    CHECK(Machine(request).package_of(1) == 0);
    CHECK(Machine(request).package_of(2) == 1);
}

TEST(ping_ping_shares_the_nics_both_ways) {
    CHECK(near(latency(request_of(2, 1), "8000", "ping-ping"), 1.3e-6 + 8000 / (0.75 * 1e10)));
}

TEST(parts_of_a_message_add_up) {
    for (const char* pattern : {"ping-pong", "ping-ping"}) {
        Request request = request_of(2, 1, "dragonfly", {4, 3, 5}, 120);
        request.pair = "far";
        request.package = 1;
        const PointResult result =
            simulate_latency(Machine(request), latency_point("100000", pattern));
        double sum = 0;
        for (const char* name :
             {"software_seconds", "nic_seconds", "hops_seconds", "serialization_seconds",
              "handshake_seconds", "queueing_seconds"}) {
            CHECK(quantity(result, name) >= 0);
            sum += quantity(result, name);
        }
        CHECK(near(sum, first(result)));
        CHECK(quantity(result, "hops") == 5);
    }
}

TEST(what_the_model_does_not_describe_is_refused) {
    const Machine machine(request_of(2, 1));
    CHECK_THROWS(UsageError, "way=persistent is not part of the model",
                 simulate_latency(machine, Parameters("size=8,pattern=ping-pong,way=persistent,"
                                                      "data=contiguous,buffers=hot")));
    CHECK_THROWS(UsageError, "buffers=cold is not part of the model",
                 simulate_latency(machine, Parameters("size=8,pattern=ping-pong,way=blocking,"
                                                      "data=contiguous,buffers=cold")));
    CHECK_THROWS(UsageError, "2 ranks",
                 simulate_latency(Machine(request_of(4, 1)), latency_point("8")));
    CHECK_THROWS(UsageError, "the machine has 4096 nodes", Machine(request_of(4097, 1)));
    CHECK_THROWS(UsageError, "8 cores", Machine(request_of(2, 9)));
}

PointResult bandwidth(const Request& request, const std::string& size, const std::string& window,
                      const std::string& direction = "one-way") {
    return simulate_bandwidth(Machine(request), Parameters("size=" + size + ",window=" + window +
                                                           ",buffers=hot,direction=" + direction));
}

TEST(a_window_of_one_is_a_message_and_its_reply) {
    const double reply = 1.3e-6 + 4 / 1e10;
    CHECK(near(first(bandwidth(request_of(2, 1), "1000", "1")), 1.3e-6 + 1000 / 1e10 + reply));
}

TEST(long_windows_are_bound_by_the_nic) {
    // o, 64 services, the way, o, and the reply; one handshake.
    const double expected = 3 * 1.3e-6 + 64e6 / 1e10 + 1.3e-6 + 4 / 1e10;
    CHECK(near(first(bandwidth(request_of(2, 1), "1000000", "64")), expected));
    const PointResult both = bandwidth(request_of(2, 1), "1000000", "64", "both-ways");
    CHECK(near(first(both), 3 * 1.3e-6 + 64e6 / 0.75e10 + (1.3e-6 + 4 / 1e10) + 3e-7));
    CHECK(quantity(both, "bytes_both_ways") == 128e6);
}

TEST(short_windows_are_bound_by_the_cpu_and_then_by_the_gap) {
    const double reply = 1.3e-6 + 4 / 1e10;
    CHECK(near(first(bandwidth(request_of(2, 1), "0", "100")), 100 * 3e-7 + 7e-7 + 3e-7 + reply));
    // 8 pairs: 8 messages every 8 gaps, longer than an overhead.
    CHECK(near(first(bandwidth(request_of(2, 8), "0", "100")),
               3e-7 + 99 * 8e-7 + 7e-7 + 7e-7 + 3e-7 + 2e-7 + 1.3e-6 + 4 / 1e10 + 2e-7));
}

TEST(pairs_of_a_node_share_its_nic) {
    const auto rate = [](std::uint64_t pairs) {
        const PointResult result = bandwidth(request_of(2, pairs), "1000000", "64");
        return quantity(result, "bytes_one_way") / first(result);
    };
    CHECK(rate(4) < 1e10);
    CHECK(rate(4) > 0.99e10);
    CHECK(rate(4) >= rate(1));
}

PointResult pairs(const Request& request, const std::string& size, const std::string& definition) {
    return simulate_pairs(Machine(request),
                          Parameters("size=" + size + ",definition=" + definition));
}

TEST(one_pair_alone_is_a_ping_pong) {
    for (const char* definition : {"classic", "barrier"}) {
        const PointResult one = pairs(request_of(2, 1), "8", definition);
        CHECK(one.series[0].first == "slowest");
        CHECK(near(first(one), latency(request_of(2, 1), "8")));
        CHECK(near(first(one, 1), first(one)));
    }
}

TEST(classic_pairs_wait_only_where_the_nic_is_always_busy) {
    const double alone = latency(request_of(2, 1), "8");
    CHECK(near(first(pairs(request_of(2, 4), "8", "classic")), alone));
    Request slow = request_of(2, 4);
    slow.values.set("network.message_gap=1e-6");
    CHECK(std::abs(first(pairs(slow, "8", "classic")) / (4 * 1e-6 / 2) - 1) < 1e-4);
}

TEST(pairs_after_a_barrier_wait_in_turn) {
    const double alone = latency(request_of(2, 1), "8");
    const PointResult four = pairs(request_of(2, 4), "8", "barrier");
    CHECK(near(first(four), alone + 3 * 1e-7 / 2));
    CHECK(near(first(four, 1), alone + 3 * 1e-7 / 4));
}

TEST(pairs_share_the_links_of_their_routes) {
    // Eight nodes on four routers in a line of x: all pairs cross the same links.
    const Request request = request_of(8, 1, "torus", {16, 1, 1}, 32);
    const double bytes = 1e6;
    const Machine machine(request);
    const Loads loads = loads_of_pairs(machine, 4, bytes, false);
    // Both nodes of routers 0 and 1 send two routers on: between routers 1 and 2 all four meet.
    CHECK(near(loads.link_seconds(0, 4), 4 * bytes / 5e9));
    CHECK(first(pairs(request, "1000000", "classic")) >= (1 - 1e-9) * 2 * bytes / 5e9);
}

TEST(consistency_is_the_latency_of_its_pair) {
    const Machine machine(request_of(64, 1, "torus", {4, 4, 4}, 128));
    const PointResult result = simulate_consistency(machine, Parameters("pair=0-63,size=1048576"));
    CHECK(near(first(result), machine.message(0, 63, 1048576).seconds()));
    CHECK(quantity(result, "bytes_one_way") == 1048576);
    CHECK_THROWS(UsageError, "pair: 0-64",
                 simulate_consistency(machine, Parameters("pair=0-64,size=8")));
}

}  // namespace
}  // namespace machmeter::simulate
