// Benchmarks of one rank that does something else meanwhile, or acts alone: network.overlap,
// network.availability, network.onesided and network.atomics.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/pairs.hpp"

namespace machmeter::simulate {

// A message behind work on one of its ends: `alone` is its time from start to completion there;
// `cpu` what of it the CPU does itself; `hides` whether the rest goes on during work.
struct WorkedMessage {
    double alone = 0;
    double cpu = 0;
    bool hides = false;

    [[nodiscard]] double with_work(double work) const {
        return hides ? std::max(alone, work + cpu) : work + alone;
    }
};

// Up to the eager limit the sender's NIC takes the bytes and the receiver finds them: that needs no
// progress. Above it the network moves them by itself (NIC progress), a progress thread does for
// one more overhead, or nothing happens before the wait (host progress).
inline WorkedMessage worked_message(const Machine& machine, const Request& request, bool sends,
                                    double bytes) {
    const double overhead = machine.costs().software_overhead;
    const MessageParts parts = machine.message(0, 1, bytes);
    // The other end begins when the last message of a barrier has reached it.
    const double lag = machine.message(0, 1, reply_bytes).seconds() - overhead;
    const bool eager = bytes <= machine.costs().eager_limit;
    WorkedMessage message;
    if (eager) {
        message.alone = sends ? overhead + parts.serialization : lag + parts.seconds();
        message.cpu = overhead;
        message.hides = true;
        return message;
    }
    const bool thread = request.progress != "library";
    message.alone = parts.seconds() + (sends ? 0 : lag) + (thread ? overhead : 0);
    message.cpu = (thread ? 3 : 2) * overhead;
    message.hides = thread || request.nic_progress;
    return message;
}

inline std::string progress_text(const Machine& machine, const Request& request, double bytes) {
    if (bytes <= machine.costs().eager_limit) {
        return "eager: none is needed";
    }
    if (request.progress != "library") {
        return "by a progress thread, for one more overhead";
    }
    return request.nic_progress ? "by the network, during work" : "by the rank, in its wait";
}

inline void require_two_nodes(const Machine& machine) {
    if (machine.ranks() != 2 || machine.nodes() != 2) {
        throw UsageError(
            "the model of this benchmark has one rank on each of two nodes: request "
            "--nodes 2 and --ranks-per-node 1");
    }
}

inline bool side_sends(const Parameters& point) {
    require_word(point, "side", {"send", "receive"});
    return point.text("side") == "send";
}

inline void describe_worked(PointResult& result, const Machine& machine, const Request& request,
                            double bytes) {
    result.quantity("bytes", bytes).quantity("clock_share", 0);
    result.attribute("progress", progress_text(machine, request, bytes))
        .attribute("protocol", protocol_text(machine, 0, 1, bytes))
        .attribute("other_side",
                   "starts one token's flight after the measured side and completes at once")
        .attribute("contention", "none");
}

inline PointResult simulate_overlap(const Machine& machine, const Request& request,
                                    const Parameters& point) {
    require_two_nodes(machine);
    const double bytes = message_bytes(point);
    constexpr std::uint64_t most_percent = 10'000;
    const double share =
        static_cast<double>(point.count_within("work_percent", 1, most_percent)) / 100;
    const WorkedMessage message = worked_message(machine, request, side_sends(point), bytes);
    const double work = message.alone * share;
    PointResult result = simulated(point, "the progress of one message behind work");
    result.add_series("total", {message.with_work(work)})
        .add_series("work", {work})
        .add_series("communication", {message.alone});
    describe_worked(result, machine, request, bytes);
    return result;
}

// As the kernel: work as a share of the time of the message alone.
inline constexpr std::array<double, 12> simulated_work_shares{0.125, 0.25, 0.375, 0.5, 0.625, 0.75,
                                                              1.0,   1.25, 1.5,   2.0, 3.0,   4.0};

inline PointResult simulate_availability(const Machine& machine, const Request& request,
                                         const Parameters& point) {
    require_two_nodes(machine);
    const double bytes = message_bytes(point);
    const WorkedMessage message = worked_message(machine, request, side_sends(point), bytes);
    std::vector<double> total;
    std::vector<double> work;
    for (const double share : simulated_work_shares) {
        work.push_back(share * message.alone);
        total.push_back(message.with_work(work.back()));
    }
    PointResult result = simulated(point, "the progress of one message behind work");
    result.add_series("total", total)
        .add_series("work", work)
        .add_series("base", std::vector<double>(work.size(), message.alone));
    describe_worked(result, machine, request, bytes);
    result.quantity("clock_seconds", 0)
        .attribute("work", "12 lengths from 0.125 to 4 times the message alone, in order");
    return result;
}

// So many operations until all are complete at the target. `near_seconds` is one of 8 B between two
// nodes next to each other; farther ones pass every hop there and back.
inline double one_sided_seconds(const Machine& machine, double near_seconds, double bytes,
                                double operations) {
    constexpr double near_bytes = 8;
    const Costs& costs = machine.costs();
    const Path path = machine.path(0, 1);
    const double rate = std::min(costs.injection, path.slowest);
    const double way =
        machine.hops_seconds(path) + machine.package_seconds(0) + machine.package_seconds(1);
    const double each = std::max({costs.software_overhead, costs.message_gap, bytes / rate});
    return near_seconds + 2 * way + (bytes - near_bytes) / rate + (operations - 1) * each;
}

inline double outstanding_of(const Parameters& point) {
    constexpr std::uint64_t most = 4096;
    require_word(point, "synchronization", {"lock-all"});
    require_word(point, "window", {"allocate"});
    require_word(point, "target", {"waiting"});
    return static_cast<double>(point.count_within("outstanding", 1, most));
}

inline PointResult one_sided_result(const Parameters& point, double seconds, double operations) {
    PointResult result = simulated(point, "the closed form of one-sided operations");
    result.add_series("seconds", {seconds}).quantity("operations", operations);
    result.attribute("event", "one epoch of the origin, rank 0, until completion")
        .attribute("synchronization", "a flush; the lock of all stays open")
        .attribute("contention", "none")
        .attribute("protocol",
                   "the network does the operation; its hops are passed there and back");
    return result;
}

inline PointResult simulate_onesided(const Machine& machine, const Request& /*request*/,
                                     const Parameters& point) {
    require_two_nodes(machine);
    require_word(point, "operation", {"put", "get"});
    const double bytes = message_bytes(point, 8);
    const double operations = outstanding_of(point);
    const Costs& costs = machine.costs();
    const double near_seconds =
        point.text("operation") == "put" ? costs.put_latency : costs.get_latency;
    PointResult result = one_sided_result(
        point, one_sided_seconds(machine, near_seconds, bytes, operations), operations);
    result.quantity("bytes_one_way", bytes * operations);
    return result;
}

inline PointResult simulate_atomics(const Machine& machine, const Request& /*request*/,
                                    const Parameters& point) {
    require_two_nodes(machine);
    require_word(point, "operation", {"fetch-and-op", "compare-and-swap"});
    constexpr double bytes = 8;
    const double operations = outstanding_of(point);
    return one_sided_result(
        point, one_sided_seconds(machine, machine.costs().atomic_latency, bytes, operations),
        operations);
}

}  // namespace machmeter::simulate
