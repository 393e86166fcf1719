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

#include "machmeter/message_data.hpp"
#include "machmeter/mpi_benchmark.hpp"
#include "machmeter/work.hpp"

namespace machmeter {
namespace {

enum class Part : std::uint8_t { communication, work, total };
constexpr std::array<Part, 3> parts{Part::communication, Part::work, Part::total};

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
    const std::string& side = point.text("side");
    if (side != "send" && side != "receive") {
        throw UsageError("side: '" + side + "' is neither send nor receive");
    }
    require_message_size(point.count("size"));
    return {point.count("size"), side == "send" ? Side::send : Side::receive,
            static_cast<double>(point.count("work_percent")) / 100};
}

Messages one_message(const MessageBuffers& buffers, const Shape& shape) {
    return {buffers.out(), buffers.in(), shape.bytes, 0, 1};
}

// One part on both ranks; rank 0's time is the measurement.
double time_part(MpiSession& session, const Shape& shape, const Messages& messages, Part part,
                 std::uint64_t steps) {
    const Clock& clock = session.own().clock();
    meet(session.transport(), session.end());
    const std::uint64_t begin = clock.now();
    if (part == Part::work) {
        if (session.team().leads()) {
            work(begin, steps);
        }
    } else {
        message_over_work(session.transport(), session.end(), shape.side, messages, [&] {
            if (part == Part::total) {
                work(begin, steps);
            }
        });
    }
    return seconds_between(begin, clock.now());
}

double communication_seconds(MpiSession& session, const Shape& shape, const Messages& messages) {
    constexpr int trials = 9;
    std::array<double, trials> seconds{};
    for (double& trial : seconds) {
        trial = time_part(session, shape, messages, Part::communication, 0);
    }
    std::nth_element(seconds.begin(), seconds.begin() + trials / 2, seconds.end());
    return session.team().share(seconds[trials / 2]);
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
            const double seconds = time_part(session, shape, messages, part, steps);
            series.of(part).push_back(seconds);
            timed += seconds;
        }
    }
    session.own().add_timed(timed);
    return series;
}

// One message more with known bytes, under work as in the timed ones.
bool message_arrived_right(MpiSession& session, const MessageBuffers& buffers, const Shape& shape,
                           std::uint64_t steps) {
    const bool sends = (shape.side == Side::send) == session.end().first;
    const std::uint64_t sender = shape.side == Side::send ? 0 : 1;
    const MessageName name{session.own().seed(), shape.bytes, sender, 0};
    fill_message(buffers.out(), name);
    prepare_receive(buffers.in(), shape.bytes);
    time_part(session, shape, one_message(buffers, shape), Part::total, steps);
    return session.team().all(sends || (message_is_right(buffers.in(), name) &&
                                        guard_is_whole(buffers.in(), shape.bytes)));
}

PointResult measure(MpiSession& session, const MessageBuffers& buffers, const Parameters& point) {
    const Shape shape = shape_of(point);
    const Messages messages = one_message(buffers, shape);
    const MpiTeam& team = session.team();
    const double communication = communication_seconds(session, shape, messages);
    const double work_seconds = communication * shape.work_share;
    const auto steps = static_cast<std::uint64_t>(
        team.share(static_cast<double>(work_steps_for(session.own().clock(), work_seconds))));
    // Three parts, of which the total is at worst the sum of the other two.
    const SamplingPlan plan = plan_sampling(2 * (communication + work_seconds),
                                            session.own().clock_facts(), session.own().limits());
    const auto samples = static_cast<std::uint64_t>(team.share(static_cast<double>(plan.samples)));
    Series series = sample_parts(session, shape, messages, steps, samples);
    // A part is one message: of several in a row each would hide behind the others, so that no
    // batch can make the clock's share smaller.
    const double clock_share = share_of_clock(session.own().clock_facts(), communication);
    const bool long_enough = clock_share <= usual_clock_share;
    const bool arrived = message_arrived_right(session, buffers, shape, steps);
    return {
        point,
        {{"total", std::move(series.of(Part::total))},
         {"work", std::move(series.of(Part::work))},
         {"communication", std::move(series.of(Part::communication))}},
        1,
        arrived && long_enough,
        long_enough ? "the message arrived with its own bytes and nothing behind them"
                    : "one message is too short for the clock, over 5 % of it is the clock's own: "
                      "ask for larger sizes, such as 16 KiB",
        {{"work_steps", static_cast<double>(steps)},
         {"bytes", static_cast<double>(shape.bytes)},
         {"clock_share", clock_share}},
        {{"communication",
          "from its start to completion on the measured side, which may be "
          "before arrival on the other"},
         {"transfer", shape.side == Side::send ? "MPI_Isend, MPI_Waitall of MPI_BYTE"
                                               : "MPI_Irecv, MPI_Waitall of MPI_BYTE"},
         {"progress", "no call of MPI during work"},
         {"other_side", "starts a token's flight after the measured side and completes at once"},
         {"buffer", "reused"}},
        team.smallest(buffers.page_bytes())};
}

void run_overlap(MpiSession& session) {
    const std::vector<Parameters>& points = session.own().points();
    std::size_t largest = 0;
    for (const Parameters& point : points) {
        largest = std::max(largest, shape_of(point).bytes);
    }
    const MessageBuffers buffers(largest, session.own().page_bytes());
    for (const Parameters& point : points) {
        session.own().record(measure(session, buffers, point));
    }
}

const RegisterMpiBenchmark registered("network.overlap", 2, &run_overlap);

}  // namespace
}  // namespace machmeter
