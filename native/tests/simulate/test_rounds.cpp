#include <cmath>
#include <vector>

#include "simulate/collectives.hpp"
#include "simulate/rounds.hpp"
#include "tests/simulate/models.hpp"
#include "tests/support/check.hpp"

namespace machmeter::simulate {
namespace {

using machmeter::test::near;
using test::request_of;

// Of one rank a node on a direct network, both ways at once.
double exchange(double bytes) { return (bytes > 8192 ? 3 : 1) * 1.3e-6 + bytes / 1e10; }

double seconds_of(const Schedule& schedule, std::uint64_t ranks) {
    const Machine machine(request_of(ranks, 1));
    RankClocks clocks(machine);
    clocks.run(schedule);
    return clocks.last();
}

TEST(regular_algorithms_are_their_closed_forms) {
    for (const std::uint64_t ranks : {2, 4, 8, 16, 32, 64}) {
        const auto steps = static_cast<double>(std::bit_width(ranks) - 1);
        const auto others = static_cast<double>(ranks - 1);
        for (const double bytes : {8.0, 1000.0, 100000.0}) {
            CHECK(near(seconds_of(schedules::recursive_doubling(ranks, bytes, true), ranks),
                       steps * (exchange(bytes) + bytes / 4e9)));
            CHECK(near(seconds_of(schedules::ring_allgather(ranks, bytes), ranks),
                       others * exchange(bytes)));
            CHECK(near(seconds_of(schedules::pairwise_alltoall(ranks, bytes, true), ranks),
                       others * exchange(bytes)));
            double halves = 0;
            for (double part = bytes / 2; part * static_cast<double>(ranks) > bytes * 0.99;
                 part /= 2) {
                halves += 2 * exchange(part) + part / 4e9;
            }
            CHECK(near(seconds_of(schedules::rabenseifner(ranks, bytes), ranks), halves));
        }
        CHECK(near(seconds_of(schedules::dissemination(ranks), ranks), steps * 1.3e-6));
    }
    CHECK(near(seconds_of(schedules::ring_allgather(7, 500), 7), 6 * exchange(500)));
}

TEST(a_binomial_broadcast_takes_its_longest_way) {
    // One way at a time from a rank that goes on after its overhead, its NIC after its bytes.
    CHECK(near(seconds_of(schedules::binomial_down("", 2, 1000, false), 2), 1.3e-6 + 1e-7));
    const double both = seconds_of(schedules::binomial_down("", 4, 1000, false), 4);
    CHECK(near(both, 2 * (1.3e-6 + 1e-7)));
}

// Message by message, with a clock a rank and a port a node: the same costs without rounds, for one
// rank a node on a direct network.
double naive_seconds(const Schedule& schedule, std::uint64_t ranks) {
    std::vector<double> clock(ranks, 0.0);
    std::vector<double> port(ranks, 0.0);
    for (std::uint64_t round = 0; round < schedule.rounds; ++round) {
        const std::vector<double> begin = clock;
        std::vector<double> arrival(ranks, -1.0);
        std::vector<double> sum(ranks, 0.0);
        for (std::uint64_t rank = 0; rank < ranks; ++rank) {
            const Send send = schedule.send(round, rank);
            if (send.to == rank) {
                continue;
            }
            const bool waits = send.bytes > 8192;
            const double ready =
                waits ? std::max(begin[rank], begin[send.to]) + 2.6e-6 : begin[rank];
            const double left = std::max(ready + 3e-7, port[rank]) + send.bytes / 1e10;
            port[rank] = left;
            clock[rank] = waits ? left : begin[rank] + 3e-7;
            arrival[send.to] = left + 7e-7;
            sum[send.to] = send.reduced / 4e9;
        }
        for (std::uint64_t rank = 0; rank < ranks; ++rank) {
            if (arrival[rank] >= 0) {
                clock[rank] = std::max(clock[rank], arrival[rank]) + 3e-7 + sum[rank];
            }
        }
    }
    return *std::max_element(clock.begin(), clock.end());
}

TEST(every_algorithm_takes_as_long_as_message_by_message) {
    for (const bool of_mpich : {true, false}) {
        for (const char* operation :
             {"bcast", "gather", "scatter", "allgather", "reduce", "allreduce"}) {
            for (const std::uint64_t ranks : {2, 3, 5, 8, 13, 16, 31, 64}) {
                for (const double bytes : {8.0, 4096.0, 65536.0, 2e6}) {
                    const Schedule schedule = schedule_of(operation, of_mpich, ranks, bytes);
                    CHECK(std::abs(seconds_of(schedule, ranks) / naive_seconds(schedule, ranks) -
                                   1) < 1e-12);
                }
            }
        }
    }
}

// 20,000 ranks in a ring would be 400 million messages: one round is like another.
TEST(rounds_that_repeat_are_not_all_followed) {
    const Machine machine(request_of(20000, 1, "direct", {}, 20000));
    RankClocks clocks(machine);
    clocks.run(schedules::ring_allgather(20000, 1000));
    CHECK(clocks.skipped() == 19999 - 65);
    CHECK(std::abs(clocks.last() / (19999 * exchange(1000)) - 1) < 1e-9);
    const Machine pipeline(request_of(65536, 1, "direct", {}, 65536));
    CHECK_THROWS(UsageError, "more than can be simulated",
                 run_schedule(pipeline, schedules::chain_down(65536, 1e6, 8192)));
}

TEST(ranks_of_a_node_share_its_port) {
    // A pairwise exchange between two nodes of 4 ranks: 4 messages of a node leave one after
    // another.
    const Machine machine(request_of(2, 4));
    Schedule across{"", 1, [](std::uint64_t, std::uint64_t rank) { return Send{rank ^ 4U, 6000}; }};
    RankClocks clocks(machine);
    clocks.run(across);
    CHECK(near(clocks.last(), 1.3e-6 + 4 * 6000 / 1e10));
    Schedule small{"", 1, [](std::uint64_t, std::uint64_t rank) { return Send{rank ^ 4U, 0}; }};
    RankClocks others(machine);
    others.run(small);
    CHECK(near(others.last(), 1.3e-6 + 3 * 1e-7));
}

TEST(messages_of_a_round_share_the_links_of_their_routes) {
    // Nodes 0 and 1 of router 0 to those of router 1, over one link of 5 GB/s in x.
    const Machine machine(request_of(4, 1, "torus", {8, 1, 1}, 16));
    Schedule shift{"", 1, [](std::uint64_t, std::uint64_t rank) {
                       return Send{rank < 2 ? rank + 2 : rank, 8000};
                   }};
    RankClocks clocks(machine);
    clocks.run(shift);
    CHECK(near(clocks.last(), 1.3e-6 + 1e-7 + 2 * 8000 / 5e9));
}

// Halving every bandwidth doubles what bytes cost, doubling latencies what all else costs.
TEST(collectives_move_as_theory_says_on_every_topology) {
    struct Example {
        const char* name;
        std::vector<std::uint64_t> shape;
    };
    for (const Example& one : {Example{"direct", {}}, Example{"torus", {4, 2, 2}},
                               Example{"dragonfly", {2, 2, 4}}, Example{"fat-tree", {4, 8, 32}}}) {
        Request request = request_of(32, 1, one.name, one.shape, 32);
        const auto seconds = [&](const Request& changed) {
            const Machine machine(changed);
            RankClocks clocks(machine);
            clocks.run(schedules::pairwise_alltoall(32, 4096, true));
            return clocks.last();
        };
        const double before = seconds(request);
        Request slower = request;
        Request both = request;
        for (const KnownValue& value : known_values) {
            const std::string name(value.name);
            if (name.find("up3") != std::string::npos) {
                continue;
            }
            if (name.find("bandwidth") != std::string::npos) {
                slower.values.set(name + "=" + std::to_string(request.values.of(name) / 2));
                both.values.set(name + "=" + std::to_string(request.values.of(name) / 2));
            }
        }
        for (const char* set : {"software_overhead=6e-7", "nic_latency=14e-7", "hop_latency=2e-7",
                                "optical_latency=8e-7", "message_gap=2e-7"}) {
            both.values.set("network." + std::string(set));
        }
        CHECK(seconds(slower) > before && seconds(slower) < 2 * before);
        CHECK(std::abs(seconds(both) / before - 2) < 1e-9);
    }
}

TEST(forms_that_are_not_described_are_refused) {
    const Request request = request_of(4, 1);
    const Machine machine(request);
    CHECK_THROWS(UsageError, "form=persistent is not part of the model",
                 simulate_barrier(machine, request, Parameters("form=persistent,start=time")));
    CHECK_THROWS(UsageError, "operation=scan is not part of the model",
                 simulate_collective(machine, request,
                                     Parameters("operation=scan,size=8,form=blocking,start=time,"
                                                "datatype=float")));
}

}  // namespace
}  // namespace machmeter::simulate
