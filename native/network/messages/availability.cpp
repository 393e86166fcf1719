// network.availability: how much of a message's time its rank can spend on work, after Doerfler and
// Brightwell (EuroPVM/MPI 2006), on the side that sends or on the side that receives.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/values/choices.hpp"
#include "core/values/random_bits.hpp"
#include "mpi/benchmark.hpp"
#include "mpi/message_memory.hpp"
#include "network/messages/availability_sampling.hpp"
#include "network/points.hpp"
#include "patterns/message_data.hpp"

namespace machmeter {
namespace {

// The clock's own cost is taken off every time; where it is more than this of a message, what is
// left is no measurement.
constexpr double largest_clock_share = 0.2;

struct Shape {
    std::size_t bytes;
    Side side;
};

Shape shape_of(const Parameters& point) {
    return {point.count("size"),
            chosen<Side>(point, "side", {{"send", Side::send}, {"receive", Side::receive}})};
}

AvailabilitySeries sample(MpiSession& session, const Shape& shape, const Messages& messages,
                          double base_seconds, std::uint64_t base_steps) {
    Session& own = session.own();
    const MpiTeam& team = session.team();
    double timed_seconds = 0;
    const auto time = [&](Part part, std::uint64_t steps) {
        const double seconds = time_part(session.transport(), session.end(), own.clock(),
                                         shape.side, messages, part, steps);
        timed_seconds += seconds;
        return std::max(0.0, seconds - own.clock_facts().overhead_seconds);
    };
    const auto goes_on = [&](double timed) {
        return team.share(timed < 2 * own.limits().seconds ? 1 : 0) != 0;
    };
    const auto passes = static_cast<std::uint64_t>(
        team.share(static_cast<double>(availability_passes(base_seconds, own.limits()))));
    const std::uint64_t seed = mix(own.seed() ^ mix(2 * shape.bytes + (shape.side == Side::send)));
    AvailabilitySeries series = sample_availability(passes, base_steps, seed, time, goes_on);
    own.add_timed(timed_seconds);
    return series;
}

PointResult measure(MpiSession& session, const MessageBuffers& buffers, const Parameters& point) {
    const Shape shape = shape_of(point);
    const Messages messages{buffers.out(), buffers.in(), shape.bytes, 0, 1};
    const MpiTeam& team = session.team();
    const Clock& clock = session.own().clock();
    const ClockFacts& facts = session.own().clock_facts();
    const double base = team.share(
        usual_message_seconds(session.transport(), session.end(), clock, shape.side, messages));
    const auto steps =
        static_cast<std::uint64_t>(team.share(static_cast<double>(work_steps_for(clock, base))));
    AvailabilitySeries series = sample(session, shape, messages, base, steps);
    const double clock_share = share_of_clock(facts, base);
    const bool long_enough = team.share(clock_share) <= largest_clock_share;
    const bool arrived =
        team.all(worked_message_is_right(session.transport(), session.end(), clock, shape.side,
                                         messages, buffers.out(), session.own().seed(), steps));
    return {point,
            {{"total", std::move(series.total)},
             {"work", std::move(series.work)},
             {"base", std::move(series.base)}},
            1,
            arrived && long_enough,
            long_enough ? "the message arrived with its own bytes and nothing behind them"
                        : "one message is too short for the clock, over 20 % of it is the clock's "
                          "own: ask for larger sizes, such as 16 KiB",
            {{"base_work_steps", static_cast<double>(steps)},
             {"bytes", static_cast<double>(shape.bytes)},
             {"clock_seconds", facts.overhead_seconds},
             {"clock_share", clock_share}},
            {{"work", "12 lengths from 0.125 to 4 times the message alone, in random order"},
             {"base", "the message alone, from its start to completion on the measured side"},
             {"clock", "what one reading of it costs is taken off every time"},
             {"transfer", std::string(shape.side == Side::send ? "MPI_Isend" : "MPI_Irecv") +
                              ", MPI_Waitall of " + content_words(shape.bytes)},
             {"progress", session.progress()},
             {"other_side",
              "does no work; starts a token's flight after the measured side and completes at "
              "once"},
             {"buffer", "reused"}},
            team.smallest(buffers.page_bytes())};
}

void run_availability(MpiSession& session) {
    record_each_message(
        session, [](const Parameters& point) { return shape_of(point).bytes; },
        [&](const MessageBuffers& buffers, const Parameters& point) {
            return measure(session, buffers, point);
        });
}

const RegisterMpiBenchmark registered("network.availability", {"size", "side"}, two_ranks,
                                      &run_availability);

}  // namespace
}  // namespace machmeter
