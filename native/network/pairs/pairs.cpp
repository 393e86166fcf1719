// network.pairs: ping-pong of all pairs at the same time, rank i of the first half with rank i of
// the second.
#include <string>
#include <utility>
#include <vector>

#include "mpi/runtime.hpp"
#include "network/pairs/pair_sampling.hpp"
#include "network/points.hpp"

namespace machmeter {
namespace {

// Stricter than usual: for the smallest messages 5 % of a round trip would be a visible bias.
constexpr double clock_share = 0.01;

struct Shape {
    std::size_t bytes;
    bool barrier;
};

Shape shape_of(const Parameters& point) {
    return {point.count("size"),
            point.choice<bool>("definition", {{"classic", false}, {"barrier", true}})};
}

// Seconds of `rounds` round trips. With a barrier each is timed by itself and begins after a
// barrier of all ranks.
double time_rounds(MpiSession& session, const MessageBuffers& buffers, const Shape& shape,
                   std::uint64_t rounds) {
    const Clock& clock = session.clock();
    const End end = own_end(session);
    if (!shape.barrier) {
        const std::uint64_t begin = clock.now();
        ping_pong(session.transport(), end, buffers.out(), buffers.in(), shape.bytes, rounds);
        return seconds_between(begin, clock.now());
    }
    double seconds = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        session.team().barrier();
        const std::uint64_t begin = clock.now();
        ping_pong(session.transport(), end, buffers.out(), buffers.in(), shape.bytes, 1);
        seconds += seconds_between(begin, clock.now());
    }
    return seconds;
}

// One more round trip of every pair, with known bytes.
bool exchange_is_right(MpiSession& session, const MessageBuffers& buffers, std::size_t bytes) {
    const std::uint64_t seed = session.seed();
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
    return PointResult(point)
        .add_samples(series_of(gather_pairs(session, taken.seconds)), taken.batch)
        .check(exchange_is_right(session, buffers, shape.bytes),
               "every rank received its peer's bytes and nothing behind them")
        .quantity("bytes", shape.bytes)
        .quantity("pairs", pair_count(session))
        .attribute("event", "half a round trip; the batch counts round trips")
        .attribute("definition",
                   shape.barrier ? "barrier: a barrier of all ranks before every round trip, "
                                   "each timed by itself, the clock's own cost included"
                                 : "classic: back-to-back round trips, a batch under one timer; "
                                   "pairs do not wait for each other")
        .attribute("transfer", "MPI_Send, MPI_Recv of " + content_text(shape.bytes))
        .attribute("buffer", "hot: reused, one to send, one to receive, touched by their rank")
        .on_pages(session.team().smallest(buffers.page_bytes()));
}

void run_pairs(MpiSession& session) {
    record_each_message(
        session, [](const Parameters& point) { return shape_of(point).bytes; },
        [&](const MessageBuffers& buffers, const Parameters& point) {
            return measure(session, buffers, point);
        });
}

const RegisterMpiBenchmark registered(
    {"network.pairs", {"size", "definition"}, &run_pairs, ranks_in_pairs});

}  // namespace
}  // namespace machmeter
