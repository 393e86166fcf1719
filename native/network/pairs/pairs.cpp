// network.pairs: ping-pong of all pairs at the same time, rank i of the first half with rank i of
// the second.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/values/choices.hpp"
#include "mpi/benchmark.hpp"
#include "mpi/message_memory.hpp"
#include "network/pairs/mpi_pairs.hpp"
#include "network/points.hpp"

namespace machmeter {
namespace {

// Stricter than usual: at the fastest sizes 5 % of a round trip would be a bias worth seeing.
constexpr double clock_share = 0.01;

struct Shape {
    std::size_t bytes;
    bool barrier;
};

Shape shape_of(const Parameters& point) {
    return {point.count("size"),
            chosen<bool>(point, "definition", {{"classic", false}, {"barrier", true}})};
}

// Seconds of `rounds` round trips. With a barrier each is timed by itself, and begins when all
// ranks have met.
double time_rounds(MpiSession& session, const MessageBuffers& buffers, const Shape& shape,
                   std::uint64_t rounds) {
    const Clock& clock = session.own().clock();
    const End end = own_end(session);
    if (!shape.barrier) {
        const std::uint64_t begin = clock.now();
        ping_pong(session.transport(), end, buffers.out(), buffers.in(), shape.bytes, rounds);
        return seconds_between(begin, clock.now());
    }
    double seconds = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        session.team().meet();
        const std::uint64_t begin = clock.now();
        ping_pong(session.transport(), end, buffers.out(), buffers.in(), shape.bytes, 1);
        seconds += seconds_between(begin, clock.now());
    }
    return seconds;
}

// One round trip more of every pair, with known bytes.
bool exchange_is_right(MpiSession& session, const MessageBuffers& buffers, std::size_t bytes) {
    const std::uint64_t seed = session.own().seed();
    const int rank = session.team().rank();
    const End end = own_end(session);
    fill_message(buffers.out(), {seed, bytes, static_cast<std::uint64_t>(rank), 0});
    prepare_receive(buffers.in(), bytes);
    ping_pong(session.transport(), end, buffers.out(), buffers.in(), bytes, 1);
    const MessageName theirs{seed, bytes, static_cast<std::uint64_t>(end.peer), 0};
    return session.team().all(message_is_right(buffers.in(), theirs) &&
                              guard_is_whole(buffers.in(), bytes));
}

std::vector<NamedSeries> series_of(std::vector<std::vector<double>> pairs) {
    if (pairs.empty()) {
        return {};
    }
    std::vector<NamedSeries> series{{"slowest", slowest_of(pairs)}, {"mean", mean_of(pairs)}};
    append_pairs(series, std::move(pairs));
    return series;
}

PointResult measure(MpiSession& session, const MessageBuffers& buffers, const Parameters& point) {
    const Shape shape = shape_of(point);
    Samples taken = sample_timed(
        session, clock_share,
        [&](std::uint64_t rounds) { return time_rounds(session, buffers, shape, rounds); }, [] {});
    for (double& seconds : taken.seconds) {
        seconds /= 2;
    }
    const bool right = exchange_is_right(session, buffers, shape.bytes);
    return {point,
            series_of(gather_pairs(session, taken.seconds)),
            taken.batch,
            right,
            "all ranks received their peer's bytes and nothing behind them",
            {{"bytes", static_cast<double>(shape.bytes)},
             {"pairs", static_cast<double>(pair_count(session))}},
            {{"event", "half a round trip; a batch is counted in round trips"},
             {"definition", shape.barrier
                                ? "barrier: all ranks meet before every round trip, which is "
                                  "timed by itself, the clock's own cost within it"
                                : "classic: round trips follow each other, all of a batch under "
                                  "one timer; pairs do not wait for each other"},
             {"transfer", "MPI_Send, MPI_Recv of " + content_words(shape.bytes)},
             {"buffer", "hot: reused, one to send, one to receive, touched by their rank"}},
            session.team().smallest(buffers.page_bytes())};
}

void run_pairs(MpiSession& session) {
    record_each_message(
        session, [](const Parameters& point) { return shape_of(point).bytes; },
        [&](const MessageBuffers& buffers, const Parameters& point) {
            return measure(session, buffers, point);
        });
}

const RegisterMpiBenchmark registered("network.pairs", {"size", "definition"}, ranks_in_pairs,
                                      &run_pairs);

}  // namespace
}  // namespace machmeter
