// network.latency: ping-pong of blocking sends and receives between ranks 0 and 1.
#include <algorithm>

#include "machmeter/message_data.hpp"
#include "machmeter/mpi_benchmark.hpp"

namespace machmeter {
namespace {

// Stricter than usual: at the fastest sizes 5 % of a round trip would be a bias worth seeing.
constexpr double clock_share = 0.01;

std::size_t largest_size(const std::vector<Parameters>& points) {
    std::size_t largest = 0;
    for (const Parameters& point : points) {
        largest = std::max<std::size_t>(largest, point.count("size"));
    }
    require_message_size(largest);
    return largest;
}

// One more round trip with known bytes, after the timed ones and over the same buffers.
bool exchange_is_right(MpiSession& session, const MessageBuffers& buffers, std::size_t bytes) {
    const std::uint64_t seed = session.own().seed();
    const End end = session.end();
    const auto mine = static_cast<std::uint64_t>(session.team().rank());
    fill_message(buffers.out(), {seed, bytes, mine, 0});
    prepare_receive(buffers.in(), bytes);
    ping_pong(session.transport(), end, buffers.out(), buffers.in(), bytes, 1);
    const auto theirs = static_cast<std::uint64_t>(end.peer);
    return session.team().all(message_is_right(buffers.in(), {seed, bytes, theirs, 0}) &&
                              guard_is_whole(buffers.in(), bytes));
}

PointResult measure(MpiSession& session, const MessageBuffers& buffers, const Parameters& point) {
    const std::size_t bytes = point.count("size");
    Samples taken = session.sample(clock_share, [&](std::uint64_t rounds) {
        ping_pong(session.transport(), session.end(), buffers.out(), buffers.in(), bytes, rounds);
    });
    for (double& seconds : taken.seconds) {
        seconds /= 2;
    }
    return {point,
            {{"seconds", std::move(taken.seconds)}},
            taken.batch,
            exchange_is_right(session, buffers, bytes),
            "both ranks received the other's bytes and nothing behind them",
            {{"bytes", static_cast<double>(bytes)}},
            {{"event", "half a round trip; a batch is counted in round trips"},
             {"transfer", "MPI_Send, MPI_Recv of MPI_BYTE"},
             {"buffer", "reused: one to send, one to receive, touched by their rank"}},
            session.team().smallest(buffers.page_bytes())};
}

void run_latency(MpiSession& session) {
    const std::vector<Parameters>& points = session.own().points();
    const MessageBuffers buffers(largest_size(points), session.own().page_bytes());
    for (const Parameters& point : points) {
        session.own().record(measure(session, buffers, point));
    }
}

const RegisterMpiBenchmark registered("network.latency", 2, &run_latency);

}  // namespace
}  // namespace machmeter
