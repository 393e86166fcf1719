// memory.latency: time of one load whose address comes from the previous load (pointer chase).
//
// An event is one load; every sample continues where the last one stopped, so that in a large
// memory it reaches the least recently used lines.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/session/node.hpp"
#include "memory/latency/chase.hpp"

namespace machmeter {
namespace {

// The samples of a chase, and the line on which it stopped after so many loads.
struct Chase {
    Samples samples;
    const Line* stopped;
    std::uint64_t loads;
};

Chase chase(NodeSession& session, Line* first, std::size_t lines) {
    Line* line = first;
    auto loads = session.event([&](std::uint64_t count) { line = follow(line, count); });
    loads(std::min<std::uint64_t>(lines, loads_for_average));
    const double load_seconds = calibrate(session.clock_facts(), loads);
    Samples taken = take_samples(
        plan_chase(load_seconds, lines, session.clock_facts(), session.limits()), loads);
    session.add_timed(taken.timed_seconds);
    return {std::move(taken), line, loads.rounds()};
}

void run_latency(NodeSession& session) {
    std::size_t most_lines = 0;
    for (const Parameters& point : session.points()) {
        most_lines = std::max(most_lines, lines_of(point));
    }
    const Memory memory = session.allocate(most_lines * line_bytes());
    const Lines lines(memory.as<std::byte>());
    for (std::size_t i = 0; i < memory.bytes() / line_bytes(); ++i) {
        lines.at(i)->next = lines.at(0);
    }
    const std::size_t page_bytes = memory.describe().page_bytes;
    std::vector<std::uint32_t> order;
    session.record_each([&](const Parameters& point) {
        const std::size_t count = lines_of(point);
        shuffle_order(order, count, session.seed() + count);
        Chase done = chase(session, link_and_warm(lines, order), count);
        return PointResult(point)
            .add_samples(std::move(done.samples))
            .check(is_single_cycle(lines, count) &&
                       done.stopped == lines.at(order[done.loads % count]),
                   "the chain returns to its first line after exactly " + std::to_string(count) +
                       " lines, and the loads stopped where their number leads")
            .quantity("lines", count)
            .quantity("line_bytes", line_bytes())
            .attribute("order", "random single cycle over the whole memory")
            .on_pages(page_bytes);
    });
}

const RegisterNodeBenchmark registered({"memory.latency", {"size"}, &run_latency});

}  // namespace
}  // namespace machmeter
