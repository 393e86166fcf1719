// nodes.latency: the pointer chase of memory.latency, on one thread of every node by itself.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "memory/latency/chase.hpp"
#include "nodes/each_node.hpp"

namespace machmeter {
namespace {

nodes::Own chase_once(MpiSession& session, const Memory& memory, std::size_t count) {
    const Lines lines(memory.as<std::byte>());
    std::vector<std::uint32_t> order;
    shuffle_order(order, count, session.seed() + count);
    Line* line = link_and_warm(lines, order);
    auto loads = session.event([&](std::uint64_t rounds) { line = follow(line, rounds); });
    loads(std::min<std::uint64_t>(count, loads_for_average));
    const double load_seconds = calibrate(session.clock_facts(), loads);
    nodes::Own own;
    own.samples = take_samples(
        plan_chase(load_seconds, count, session.clock_facts(), session.limits()), loads);
    own.right = is_single_cycle(lines, count) && line == lines.at(order[loads.rounds() % count]);
    own.numbers = {static_cast<double>(count), static_cast<double>(line_bytes())};
    own.page_bytes = memory.describe().page_bytes;
    return own;
}

void run_node_latency(MpiSession& session) {
    nodes::record_each_node(
        session,
        [&](const Parameters& point) {
            const std::size_t count = lines_of(point);
            const Memory memory = session.allocate(count * line_bytes());
            return chase_once(session, memory, count);
        },
        [](const Parameters& point, const nodes::Own& own) {
            PointResult result(point);
            result.add_samples(own.samples);
            result
                .check(own.right,
                       "on this node the chain returns to its first line after all lines, and the "
                       "loads stopped where their number leads")
                .quantity("lines", own.numbers[0])
                .quantity("line_bytes", own.numbers[1]);
            return result;
        });
}

const RegisterMpiBenchmark registered(
    {"nodes.latency", {"node", "size"}, &run_node_latency, nodes::one_on_each});

}  // namespace
}  // namespace machmeter
