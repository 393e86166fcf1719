// memory.latency: time of one load whose address the load before it brought (pointer chase).
//
// An event is one load; every sample goes on where the last one stopped, so that in a large buffer
// it meets the lines that were unused for longest.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/session/node_benchmark.hpp"
#include "memory/latency/chase.hpp"

namespace machmeter {
namespace {

Samples chase(Session& session, Line* first, std::size_t lines) {
    Line* line = first;
    const auto loads = [&](std::uint64_t count) { line = follow(line, count); };
    loads(std::min<std::uint64_t>(lines, loads_for_average));
    const double load_seconds = calibrate_event(session.clock(), session.clock_facts(), loads);
    const Samples taken = take_samples(
        session.clock(), plan_chase(load_seconds, lines, session.clock_facts(), session.limits()),
        loads);
    session.add_timed(taken.timed_seconds);
    return taken;
}

void run_latency(Session& session) {
    std::size_t most_lines = 0;
    for (const Parameters& point : session.points()) {
        most_lines = std::max(most_lines, lines_of(point));
    }
    const PageBuffer buffer(most_lines * line_bytes, session.page_bytes());
    Line* lines = buffer.as<Line>();
    for (std::size_t i = 0; i < buffer.bytes() / line_bytes; ++i) {
        lines[i].next = lines;
    }
    const std::size_t page_bytes = buffer.obtained_page_bytes();
    std::vector<std::uint32_t> order;
    for (const Parameters& point : session.points()) {
        const std::size_t count = lines_of(point);
        shuffle_order(order, count, session.seed() + count);
        const Samples taken = chase(session, link_and_warm(lines, order), count);
        session.record({point,
                        {{"seconds", taken.seconds}},
                        taken.batch,
                        is_single_cycle(lines, count),
                        "the chain returns to its first line after exactly " +
                            std::to_string(count) + " lines",
                        {{"lines", static_cast<double>(count)},
                         {"line_bytes", static_cast<double>(line_bytes)}},
                        {{"order", "random single cycle over the whole buffer"}},
                        page_bytes});
    }
}

const RegisterNodeBenchmark registered("memory.latency", {"size"}, &run_latency);

}  // namespace
}  // namespace machmeter
