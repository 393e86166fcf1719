// Benchmarks of collective operations, network.collective and network.barrier: which algorithm a
// library takes for so many ranks and bytes, and what it costs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "simulate/all_to_all.hpp"
#include "simulate/pairs.hpp"
#include "simulate/rounds.hpp"
#include "simulate/schedules.hpp"

namespace machmeter::simulate {

// The defaults of MPICH 3 and 4 without its two-level algorithms for several ranks a node.
namespace mpich {

using schedules::Count;

inline Schedule bcast(Count ranks, double bytes) {
    constexpr double short_bytes = 12288;
    constexpr double long_bytes = 524288;
    constexpr Count few_ranks = 8;
    if (bytes < short_bytes || ranks < few_ranks) {
        return schedules::binomial_down("binomial", ranks, bytes, false);
    }
    const double block = bytes / static_cast<double>(ranks);
    Schedule scatter = schedules::binomial_down("binomial scatter", ranks, block, true);
    const bool doubles = bytes < long_bytes && std::has_single_bit(ranks);
    return then(std::move(scatter), doubles ? schedules::doubling_allgather(ranks, block)
                                            : schedules::ring_allgather(ranks, block));
}

// Whether the long algorithms are taken: a vector of fewer elements than the largest power of two
// of ranks cannot be halved so often.
inline bool is_long(Count ranks, double bytes) {
    constexpr double short_bytes = 2048;
    constexpr double element = 4;
    return bytes > short_bytes && bytes / element >= static_cast<double>(std::bit_floor(ranks));
}

inline Schedule allreduce(Count ranks, double bytes) {
    return !is_long(ranks, bytes) ? schedules::recursive_doubling(ranks, bytes, true)
                                  : schedules::rabenseifner(ranks, bytes);
}

inline Schedule reduce(Count ranks, double bytes) {
    return !is_long(ranks, bytes) ? schedules::binomial_up("binomial", ranks, bytes, false, true)
                                  : schedules::halving_reduce(ranks, bytes);
}

inline Schedule allgather(Count ranks, double block) {
    constexpr double short_bytes = 81920;
    constexpr double long_bytes = 524288;
    const double all = schedules::times(ranks, block);
    if (all < long_bytes && std::has_single_bit(ranks)) {
        return schedules::doubling_allgather(ranks, block);
    }
    return all < short_bytes ? schedules::bruck_allgather(ranks, block)
                             : schedules::ring_allgather(ranks, block);
}

inline AllToAll alltoall(Count ranks, double block) {
    constexpr double short_bytes = 256;
    constexpr double medium_bytes = 32768;
    constexpr Count few_ranks = 8;
    if (block <= short_bytes && ranks >= few_ranks) {
        return AllToAll::bruck;
    }
    return block <= medium_bytes ? AllToAll::linear : AllToAll::pairwise;
}

}  // namespace mpich

// The fixed decisions of Open MPI's tuned component, as up to 4.0.
namespace open_mpi {

using schedules::Count;

inline Schedule bcast(Count ranks, double bytes) {
    constexpr double small = 2048;
    constexpr double intermediate = 370728;
    constexpr double kib = 1024;
    const auto all = static_cast<double>(ranks);
    if (bytes < small || ranks == 2) {
        return schedules::binomial_down("binomial", ranks, bytes, false);
    }
    if (bytes < intermediate) {
        return schedules::split_binary_tree(ranks, bytes, kib);
    }
    if (all < 1.6134e-6 * bytes + 2.1102) {
        return schedules::chain_down(ranks, bytes, 128 * kib);
    }
    if (all < 13) {
        return schedules::split_binary_tree(ranks, bytes, 8 * kib);
    }
    if (all < 2.3679e-6 * bytes + 1.1787) {
        return schedules::chain_down(ranks, bytes, 64 * kib);
    }
    return schedules::chain_down(ranks, bytes,
                                 all < 3.2118e-6 * bytes + 8.7936 ? 16 * kib : 8 * kib);
}

inline Schedule allreduce(Count ranks, double bytes) {
    constexpr double small = 10000;
    constexpr double element = 4;
    if (bytes < small) {
        return schedules::recursive_doubling(ranks, bytes, true);
    }
    if (bytes / element > static_cast<double>(ranks)) {
        return schedules::ring_allreduce(ranks, bytes);
    }
    return then(schedules::binomial_up("binomial reduction", ranks, bytes, false, true),
                bcast(ranks, bytes));
}

inline Schedule reduce(Count ranks, double bytes) {
    constexpr double small = 2048;
    constexpr double intermediate = 20480;
    constexpr double kib = 1024;
    if (bytes < (ranks < 8 ? intermediate : small)) {
        return schedules::binomial_up("binomial", ranks, bytes, false, true);
    }
    const auto all = static_cast<double>(ranks);
    const bool many = all > 0.0410 / kib * bytes + 9.7128;
    return schedules::chain_up(ranks, bytes,
                               many ? kib : (all > 0.0033 / kib * bytes + 1.6761 ? 32 : 64) * kib);
}

inline Schedule allgather(Count ranks, double block) {
    constexpr double small = 50000;
    if (schedules::times(ranks, block) < small) {
        return std::has_single_bit(ranks) ? schedules::doubling_allgather(ranks, block)
                                          : schedules::bruck_allgather(ranks, block);
    }
    return ranks % 2 == 0 ? schedules::neighbor_allgather(ranks, block)
                          : schedules::ring_allgather(ranks, block);
}

inline AllToAll alltoall(Count ranks, double block) {
    constexpr double small = 200;
    constexpr double intermediate = 3000;
    if (block < small && ranks > 12) {
        return AllToAll::bruck;
    }
    return block < intermediate && ranks > 2 ? AllToAll::linear : AllToAll::pairwise;
}

}  // namespace open_mpi

inline Schedule barrier_schedule(bool of_mpich, std::uint64_t ranks) {
    return of_mpich || !std::has_single_bit(ranks) ? schedules::dissemination(ranks)
                                                   : schedules::recursive_doubling(ranks, 0, false);
}

// Of all operations but alltoall.
inline Schedule schedule_of(const std::string& operation, bool of_mpich, std::uint64_t ranks,
                            double bytes) {
    if (operation == "bcast") {
        return of_mpich ? mpich::bcast(ranks, bytes) : open_mpi::bcast(ranks, bytes);
    }
    if (operation == "allreduce") {
        return of_mpich ? mpich::allreduce(ranks, bytes) : open_mpi::allreduce(ranks, bytes);
    }
    if (operation == "reduce") {
        return of_mpich ? mpich::reduce(ranks, bytes) : open_mpi::reduce(ranks, bytes);
    }
    if (operation == "allgather") {
        return of_mpich ? mpich::allgather(ranks, bytes) : open_mpi::allgather(ranks, bytes);
    }
    return operation == "scatter" ? schedules::binomial_down("binomial", ranks, bytes, true)
                                  : schedules::binomial_up("binomial", ranks, bytes, true, false);
}

inline constexpr const char* round_contention =
    "bytes of a round share the NICs of their nodes and the links of their static routes";

// Rounds of a pipeline that is longer than its segments never repeat.
inline void require_feasible(const Machine& machine, const Schedule& schedule) {
    constexpr std::uint64_t most_rounds_that_repeat = 64;
    constexpr double most_messages = 10 * RankClocks::most_messages;
    const auto ranks = static_cast<double>(machine.ranks());
    const Send before = schedule.send(schedule.rounds / 2, 0);
    const bool settles = schedule.rounds > 2 * most_rounds_that_repeat &&
                         before == schedule.send(schedule.rounds / 2 - 1, 0) && before.to != 0;
    if (!settles && static_cast<double>(schedule.rounds) * ranks > most_messages) {
        throw UsageError("the algorithm '" + schedule.name + "' takes " +
                         std::to_string(schedule.rounds) + " different rounds of " +
                         std::to_string(machine.ranks()) +
                         " ranks, more than can be simulated: request fewer ranks");
    }
}

inline Outcome run_schedule(const Machine& machine, const Schedule& schedule) {
    require_feasible(machine, schedule);
    RankClocks clocks(machine);
    clocks.run(schedule);
    std::string contention = round_contention;
    if (clocks.skipped() > 0) {
        contention += "; " + std::to_string(clocks.skipped()) +
                      " rounds that repeat the ones before take as long as those";
    }
    return {clocks.last(), schedule.name, contention};
}

inline void add_injection(PointResult& result, const Machine& machine, double bytes) {
    const auto per_node = static_cast<double>(machine.ranks_per_node());
    const auto ranks = static_cast<double>(machine.ranks());
    const bool several = machine.nodes() > 1;
    const double within = per_node * (per_node - 1) * bytes;
    const double between = per_node * (ranks - per_node) * bytes;
    result.quantity("bytes_per_node", several ? between : within)
        .quantity("intra_node_bytes", within);
}

inline PointResult collective_result(const Parameters& point, const Outcome& outcome) {
    PointResult result = simulated(point, "rounds of messages of all ranks");
    result.add_series("seconds", {outcome.seconds})
        .attribute("algorithm", outcome.algorithm)
        .attribute("contention", outcome.contention)
        .attribute("start", "all ranks begin at one time");
    return result;
}

inline PointResult simulate_collective(const Machine& machine, const Request& request,
                                       const Parameters& point) {
    require_word(point, "operation",
                 {"bcast", "gather", "scatter", "allgather", "reduce", "allreduce", "alltoall"});
    require_word(point, "form", {"blocking"});
    require_word(point, "start", {"time"});
    const std::string& operation = point.text("operation");
    const double bytes = message_bytes(point, 1);
    const bool of_mpich = request.mpi == "mpich";
    const bool to_all = operation == "alltoall";
    const std::uint64_t ranks = machine.ranks();
    const Outcome outcome =
        to_all ? all_to_all(
                     machine,
                     of_mpich ? mpich::alltoall(ranks, bytes) : open_mpi::alltoall(ranks, bytes),
                     bytes, of_mpich)
               : run_schedule(machine, schedule_of(operation, of_mpich, ranks, bytes));
    PointResult result = collective_result(point, outcome);
    result.quantity("bytes", bytes);
    result.attribute("event", "one operation, until the last rank has completed it")
        .attribute("root", "rank 0, where there is one");
    if (to_all) {
        add_injection(result, machine, bytes);
        add_loads(result, outcome.loads);
    }
    return result;
}

inline PointResult simulate_barrier(const Machine& machine, const Request& request,
                                    const Parameters& point) {
    require_word(point, "form", {"blocking"});
    require_word(point, "start", {"time"});
    const Outcome outcome =
        run_schedule(machine, barrier_schedule(request.mpi == "mpich", machine.ranks()));
    PointResult result = collective_result(point, outcome);
    result.attribute("event", "one barrier, until the last rank has left it");
    return result;
}

}  // namespace machmeter::simulate
