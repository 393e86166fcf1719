// network.availability: how much of a message's time its rank can spend on work, after Doerfler and
// Brightwell (EuroPVM/MPI 2006), on the sending or on the receiving side.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/values/random_bits.hpp"
#include "mpi/runtime.hpp"
#include "network/messages/availability_sampling.hpp"
#include "network/points.hpp"
#include "patterns/message_data.hpp"

namespace machmeter {
namespace {

// The clock's cost is subtracted from every time; where it exceeds this share of a message, the
// rest is no measurement.
constexpr double largest_clock_share = 0.2;

struct Shape {
    std::size_t bytes;
    Side side;
};

Shape shape_of(const Parameters& point) {
    return {point.count("size"),
            point.choice<Side>("side", {{"send", Side::send}, {"receive", Side::receive}})};
}

AvailabilitySeries sample(MpiSession& session, const Shape& shape, const Messages& messages,
                          double base_seconds, std::uint64_t base_steps) {
    const MpiTeam& team = session.team();
    double timed_seconds = 0;
    const auto time = [&](Part part, std::uint64_t steps) {
        const double seconds = time_part(session.transport(), session.end(), session.clock(),
                                         shape.side, messages, part, steps);
        timed_seconds += seconds;
        return std::max(0.0, seconds - session.clock_facts().overhead_seconds);
    };
    const auto goes_on = [&](double timed) {
        return broadcast_decision(team, timed < 2 * session.limits().seconds);
    };
    const std::uint64_t passes =
        broadcast_count(team, availability_passes(base_seconds, session.limits()));
    const std::uint64_t seed =
        mix(session.seed() ^ mix(2 * shape.bytes + (shape.side == Side::send)));
    const CpuWatch watch = session.watch_cpu();
    AvailabilitySeries series = sample_availability(passes, base_steps, seed, time, goes_on);
    session.add_timed(timed_seconds);
    return series;
}

PointResult measure(MpiSession& session, const MessageBuffers& buffers, const Parameters& point) {
    const Shape shape = shape_of(point);
    const Messages messages{buffers.out(), buffers.in(), shape.bytes, 0, 1};
    const MpiTeam& team = session.team();
    const Clock& clock = session.clock();
    const double base = team.broadcast(
        usual_message_seconds(session.transport(), session.end(), clock, shape.side, messages));
    const std::uint64_t steps = broadcast_count(team, work_steps_for(clock, base));
    AvailabilitySeries series = sample(session, shape, messages, base, steps);
    const double clock_share = share_of_clock(session.clock_facts(), base);
    const bool long_enough = team.broadcast(clock_share) <= largest_clock_share;
    const bool arrived =
        team.all(worked_message_is_right(session.transport(), session.end(), clock, shape.side,
                                         messages, buffers.out(), session.seed(), steps));
    return PointResult(point)
        .add_series("total", std::move(series.total))
        .add_series("work", std::move(series.work))
        .add_series("base", std::move(series.base))
        .check(arrived && long_enough,
               long_enough ? "the message arrived with its own bytes and nothing behind them"
                           : "one message is too short for the clock, whose cost is over 20 % of "
                             "it: request larger sizes, such as 16 KiB")
        .quantity("base_work_steps", steps)
        .quantity("bytes", shape.bytes)
        .quantity("clock_seconds", session.clock_facts().overhead_seconds)
        .quantity("clock_share", clock_share)
        .attribute("work", "12 lengths from 0.125 to 4 times the message alone, in random order")
        .attribute("base", "the message alone, from its start to completion on the measured side")
        .attribute("clock", "the cost of one reading is subtracted every time")
        .attribute("transfer", std::string(shape.side == Side::send ? "MPI_Isend" : "MPI_Irecv") +
                                   ", MPI_Waitall of " + content_text(shape.bytes))
        .attribute("progress", session.runtime().progress_text())
        .attribute("other_side",
                   "does no work; starts one token's flight after the measured side and completes "
                   "at once")
        .attribute("buffer", "reused")
        .on_pages(team.smallest(buffers.page_bytes()));
}

void run_availability(MpiSession& session) {
    record_each_message(
        session, [](const Parameters& point) { return shape_of(point).bytes; },
        [&](const MessageBuffers& buffers, const Parameters& point) {
            return measure(session, buffers, point);
        });
}

const RegisterMpiBenchmark registered(
    {"network.availability", {"size", "side"}, &run_availability, two_ranks});

}  // namespace
}  // namespace machmeter
