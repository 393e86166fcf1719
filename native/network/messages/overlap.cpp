// network.overlap: how much of a non-blocking message hides behind work, on one side of it.
//
// Each sample times three things on rank 0, right after one another and in turning order:
// communication (start, complete), work (a fixed number of steps), total (start, work, complete).
// From them come both shares in use: of the work that is hidden (Austin, CUG 2013) and of the
// communication that is hidden (OSU, IMB).
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/values/choices.hpp"
#include "mpi/benchmark.hpp"
#include "mpi/message_memory.hpp"
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
            chosen<Side>(point, "side", {{"send", Side::send}, {"receive", Side::receive}}),
            static_cast<double>(point.count("work_percent")) / 100};
}

Messages one_message(const MessageBuffers& buffers, const Shape& shape) {
    return {buffers.out(), buffers.in(), shape.bytes, 0, 1};
}

// Three parts take as long as that, of which the total is at worst the sum of the other two.
double samples_that_fit(double parts_seconds, const SamplingLimits& limits) {
    return std::clamp(limits.seconds / parts_seconds, static_cast<double>(limits.least),
                      static_cast<double>(limits.most));
}

// Ends early, by rank 0's word, when the parts take twice their time.
Series sample_parts(MpiSession& session, const Shape& shape, const Messages& messages,
                    std::uint64_t steps, std::uint64_t samples) {
    constexpr std::uint64_t samples_between_words = 24;
    const SamplingLimits& limits = session.own().limits();
    Series series;
    double timed = 0;
    for (std::uint64_t i = 0; i < samples; ++i) {
        if (i >= limits.least && i % samples_between_words == 0 &&
            session.team().share(timed > 2 * limits.seconds ? 1 : 0) != 0) {
            break;
        }
        for (std::size_t turn = 0; turn < parts.size(); ++turn) {
            const Part part = parts[(i + turn) % parts.size()];
            const double seconds =
                time_part(session.transport(), session.end(), session.own().clock(), shape.side,
                          messages, part, steps);
            series.of(part).push_back(seconds);
            timed += seconds;
        }
    }
    session.own().add_timed(timed);
    return series;
}

PointResult measure(MpiSession& session, const MessageBuffers& buffers, const Parameters& point) {
    const Shape shape = shape_of(point);
    const Messages messages = one_message(buffers, shape);
    const MpiTeam& team = session.team();
    const Clock& clock = session.own().clock();
    const double communication = team.share(
        usual_message_seconds(session.transport(), session.end(), clock, shape.side, messages));
    const double work_seconds = communication * shape.work_share;
    const auto steps = static_cast<std::uint64_t>(
        team.share(static_cast<double>(work_steps_for(clock, work_seconds))));
    const auto samples = static_cast<std::uint64_t>(
        team.share(samples_that_fit(2 * (communication + work_seconds), session.own().limits())));
    Series series = sample_parts(session, shape, messages, steps, samples);
    // A part is one message: of several in a row each would hide behind the others, so that no
    // batch can make the clock's share smaller.
    const double clock_share = share_of_clock(session.own().clock_facts(), communication);
    const bool long_enough = clock_share <= usual_clock_share;
    const bool arrived =
        team.all(worked_message_is_right(session.transport(), session.end(), clock, shape.side,
                                         messages, buffers.out(), session.own().seed(), steps));
    return {
        point,
        {{"total", std::move(series.of(Part::total))},
         {"work", std::move(series.of(Part::work))},
         {"communication", std::move(series.of(Part::communication))}},
        1,
        arrived && long_enough,
        long_enough ? "the message arrived with its own bytes and nothing behind them"
                    : "one message is too short for the clock, over 5 % of it is the clock's "
                      "own: ask for larger sizes, such as 16 KiB",
        {{"work_steps", static_cast<double>(steps)},
         {"bytes", static_cast<double>(shape.bytes)},
         {"clock_share", clock_share}},
        {{"communication",
          "from its start to completion on the measured side, which may be before arrival on "
          "the other"},
         {"transfer", std::string(shape.side == Side::send ? "MPI_Isend" : "MPI_Irecv") +
                          ", MPI_Waitall of " + content_words(shape.bytes)},
         {"progress", session.progress()},
         {"other_side", "starts a token's flight after the measured side and completes at once"},
         {"buffer", "reused"}},
        team.smallest(buffers.page_bytes())};
}

void run_overlap(MpiSession& session) {
    record_each_message(
        session, [](const Parameters& point) { return shape_of(point).bytes; },
        [&](const MessageBuffers& buffers, const Parameters& point) {
            return measure(session, buffers, point);
        });
}

const RegisterMpiBenchmark registered("network.overlap", {"size", "side", "work_percent"},
                                      two_ranks, &run_overlap);

}  // namespace
}  // namespace machmeter
