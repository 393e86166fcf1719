// network.bandwidth: windows of non-blocking messages between ranks 0 and 1, one way or both.
#include <algorithm>
#include <string>
#include <vector>

#include "machmeter/message_data.hpp"
#include "machmeter/mpi_benchmark.hpp"

namespace machmeter {
namespace {

// Checked messages lie side by side, as many of a window as fit in this.
constexpr std::size_t most_checked_bytes = std::size_t{8} * 1024 * 1024;
constexpr std::uint64_t most_window = 1024;

struct Shape {
    std::size_t bytes;
    std::size_t window;
    bool both_ways;
};

Shape shape_of(const Parameters& point) {
    const std::string& direction = point.text("direction");
    const Shape shape{point.count("size"), point.count("window"), direction == "both-ways"};
    if (direction != "one-way" && direction != "both-ways") {
        throw UsageError("direction: '" + direction + "' is neither one-way nor both-ways");
    }
    if (shape.window == 0 || shape.window > most_window) {
        throw UsageError("window: " + std::to_string(shape.window) + " is not within 1 and " +
                         std::to_string(most_window));
    }
    require_message_size(shape.bytes);
    return shape;
}

std::size_t slot_bytes(const Shape& shape) { return shape.bytes + guard_bytes; }

std::size_t checked_messages(const Shape& shape) {
    const std::size_t fitting = most_checked_bytes / slot_bytes(shape);
    return std::clamp<std::size_t>(fitting, 1, shape.window);
}

std::size_t buffer_bytes(const std::vector<Parameters>& points) {
    std::size_t bytes = 0;
    for (const Parameters& point : points) {
        const Shape shape = shape_of(point);
        bytes = std::max(bytes, checked_messages(shape) * slot_bytes(shape));
    }
    return bytes;
}

using Requests = std::vector<MpiTransport::Request>;

void transfer(MpiSession& session, const Shape& shape, const Messages& messages, Requests& requests,
              std::uint64_t windows) {
    if (shape.both_ways) {
        window_both_ways(session.transport(), session.end(), messages, requests, windows);
    } else {
        window_one_way(session.transport(), session.end(), messages, requests, windows);
    }
}

// One window more, every message with bytes and a place of its own.
bool window_is_right(MpiSession& session, const MessageBuffers& buffers, const Shape& shape,
                     Requests& requests) {
    const std::uint64_t seed = session.own().seed();
    const End end = session.end();
    const auto mine = static_cast<std::uint64_t>(session.team().rank());
    const auto theirs = static_cast<std::uint64_t>(end.peer);
    const std::size_t stride = slot_bytes(shape);
    const std::size_t count = checked_messages(shape);
    for (std::size_t i = 0; i < count; ++i) {
        fill_message(buffers.out() + i * stride, {seed, shape.bytes, mine, i});
        prepare_receive(buffers.in() + i * stride, shape.bytes);
    }
    transfer(session, shape, {buffers.out(), buffers.in(), shape.bytes, stride, count}, requests,
             1);
    bool right = true;
    const bool receives = shape.both_ways || !end.first;
    for (std::size_t i = 0; receives && i < count; ++i) {
        const std::byte* place = buffers.in() + i * stride;
        right = right && message_is_right(place, {seed, shape.bytes, theirs, i}) &&
                guard_is_whole(place, shape.bytes);
    }
    return session.team().all(right);
}

PointResult measure(MpiSession& session, const MessageBuffers& buffers, const Parameters& point) {
    const Shape shape = shape_of(point);
    Requests requests;
    requests.reserve(2 * shape.window);
    const Messages messages{buffers.out(), buffers.in(), shape.bytes, 0, shape.window};
    Samples taken = session.sample(usual_clock_share, [&](std::uint64_t windows) {
        transfer(session, shape, messages, requests, windows);
    });
    const double count = static_cast<double>(shape.window) * (shape.both_ways ? 2 : 1);
    return {point,
            {{"seconds", std::move(taken.seconds)}},
            taken.batch,
            window_is_right(session, buffers, shape, requests),
            std::to_string(checked_messages(shape)) +
                " messages of a window arrived with their own bytes and nothing behind them",
            {{shape.both_ways ? "bytes_both_ways" : "bytes_one_way",
              count * static_cast<double>(shape.bytes)},
             {"messages", count}},
            {{"event", shape.both_ways
                           ? "one window each way at once and a 4 B token each way to end it"
                           : "one window and the 4 B token that answers it"},
             {"transfer", "MPI_Isend, MPI_Irecv, MPI_Waitall of MPI_BYTE"},
             {"buffer", "reused: all messages of a window leave from one place and arrive at one"}},
            session.team().smallest(buffers.page_bytes())};
}

void run_bandwidth(MpiSession& session) {
    const std::vector<Parameters>& points = session.own().points();
    const MessageBuffers buffers(buffer_bytes(points), session.own().page_bytes());
    for (const Parameters& point : points) {
        session.own().record(measure(session, buffers, point));
    }
}

const RegisterMpiBenchmark registered("network.bandwidth", 2, &run_bandwidth);

}  // namespace
}  // namespace machmeter
