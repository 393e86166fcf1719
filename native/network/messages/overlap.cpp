// network.overlap: how much of a non-blocking message hides behind work, on one side of it.
//
// Each sample times three parts on rank 0, back to back in rotating order: communication (start,
// complete), work (a fixed number of steps), total (start, work, complete). They give both overlaps
// in use: of the work (Austin, CUG 2013) and of the communication (OSU, IMB).
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mpi/runtime.hpp"
#include "network/messages/worked_message.hpp"
#include "network/points.hpp"
#include "patterns/message_data.hpp"

namespace machmeter {
namespace {

struct Shape {
    std::size_t bytes;
    Side side;
    double work_share;
};

// Seconds of every sample, by part.
class Series {
   public:
    std::vector<double>& of(Part part) { return seconds_[static_cast<std::size_t>(part)]; }

   private:
    std::array<std::vector<double>, parts.size()> seconds_;
};

Shape shape_of(const Parameters& point) {
    return {point.count("size"),
            point.choice<Side>("side", {{"send", Side::send}, {"receive", Side::receive}}),
            static_cast<double>(point.count("work_percent")) / 100};
}

// Ends early, by the root's decision, when the parts take twice their time.
Series sample_parts(MpiSession& session, const Shape& shape, const Messages& messages,
                    std::uint64_t steps, std::uint64_t samples) {
    constexpr std::uint64_t samples_between_decisions = 24;
    const CpuWatch watch = session.watch_cpu();
    const SamplingLimits& limits = session.limits();
    Series series;
    double timed = 0;
    for (std::uint64_t i = 0; i < samples; ++i) {
        if (i >= limits.least && i % samples_between_decisions == 0 &&
            broadcast_decision(session.team(), timed > 2 * limits.seconds)) {
            break;
        }
        for (std::size_t turn = 0; turn < parts.size(); ++turn) {
            const Part part = parts[(i + turn) % parts.size()];
            const double seconds = time_part(session.transport(), session.end(), session.clock(),
                                             shape.side, messages, part, steps);
            series.of(part).push_back(seconds);
            timed += seconds;
        }
    }
    session.add_timed(timed);
    return series;
}

PointResult measure(MpiSession& session, const MessageBuffers& buffers, const Parameters& point) {
    const Shape shape = shape_of(point);
    const Messages messages{buffers.out(), buffers.in(), shape.bytes, 0, 1};
    const MpiTeam& team = session.team();
    const Clock& clock = session.clock();
    const double communication = team.broadcast(
        usual_message_seconds(session.transport(), session.end(), clock, shape.side, messages));
    const double work_seconds = communication * shape.work_share;
    const std::uint64_t steps = broadcast_count(team, work_steps_for(clock, work_seconds));
    // The total is at worst the sum of the other two parts.
    const std::uint64_t samples = broadcast_count(
        team, samples_that_fit(2 * (communication + work_seconds), session.limits()));
    Series series = sample_parts(session, shape, messages, steps, samples);
    // A part is one message: several in a row would hide behind each other, so that no batch can
    // make the clock's share smaller.
    const double clock_share = share_of_clock(session.clock_facts(), communication);
    const bool long_enough = clock_share <= usual_clock_share;
    const bool arrived =
        team.all(worked_message_is_right(session.transport(), session.end(), clock, shape.side,
                                         messages, buffers.out(), session.seed(), steps));
    return PointResult(point)
        .add_series("total", std::move(series.of(Part::total)))
        .add_series("work", std::move(series.of(Part::work)))
        .add_series("communication", std::move(series.of(Part::communication)))
        .check(arrived && long_enough,
               long_enough ? "the message arrived with its own bytes and nothing behind them"
                           : "one message is too short for the clock, whose cost is over 5 % of "
                             "it: request larger sizes, such as 16 KiB")
        .quantity("work_steps", steps)
        .quantity("bytes", shape.bytes)
        .quantity("clock_share", clock_share)
        .attribute("communication",
                   "from its start to completion on the measured side, which may precede arrival "
                   "on the other")
        .attribute("transfer", std::string(shape.side == Side::send ? "MPI_Isend" : "MPI_Irecv") +
                                   ", MPI_Waitall of " + content_text(shape.bytes))
        .attribute("progress", session.runtime().progress_text())
        .attribute("other_side",
                   "starts one token's flight after the measured side and completes at once")
        .attribute("buffer", "reused")
        .on_pages(team.smallest(buffers.page_bytes()));
}

void run_overlap(MpiSession& session) {
    record_each_message(
        session, [](const Parameters& point) { return shape_of(point).bytes; },
        [&](const MessageBuffers& buffers, const Parameters& point) {
            return measure(session, buffers, point);
        });
}

const RegisterMpiBenchmark registered(
    {"network.overlap", {"size", "side", "work_percent"}, &run_overlap, two_ranks});

}  // namespace
}  // namespace machmeter
