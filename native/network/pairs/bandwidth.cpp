// network.bandwidth: windows of non-blocking messages, one way or both, between rank i of the first
// half of the ranks and rank i of the second, all pairs at once.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpi/runtime.hpp"
#include "network/device_buffers.hpp"
#include "network/pairs/pair_sampling.hpp"
#include "network/points.hpp"
#include "patterns/cold_places.hpp"
#include "patterns/window.hpp"

namespace machmeter {
namespace {

struct Shape {
    std::size_t bytes;
    std::size_t window;
    bool both_ways;
    BufferPlace buffers;

    [[nodiscard]] bool cold() const { return buffers == BufferPlace::cold; }
};

// The memory of the messages of a launch, and how far the cold places have been used. device:
// where a point needs one.
struct MessageMemory {
    MessageBuffers buffers;
    CacheSizes caches;
    std::size_t cold_end = 0;
    std::unique_ptr<DeviceBuffers> device = nullptr;
};

using Requests = std::vector<MpiTransport::Request>;

Shape shape_of(const Parameters& point) {
    return {point.count("size"), point.count_within("window", 1, most_window),
            point.choice<bool>("direction", {{"one-way", false}, {"both-ways", true}}),
            buffer_place(point)};
}

std::size_t buffer_bytes(const Shape& shape, const CacheSizes& caches) {
    const std::size_t window = window_bytes(shape.bytes, shape.window);
    return shape.cold() ? std::max(window, cold_shape(shape.bytes, caches).pool_bytes()) : window;
}

template <WindowMessages M>
void transfer(const MpiSession& session, bool both_ways, M& messages, Requests& requests,
              std::uint64_t windows) {
    const End end = own_end(session);
    if (both_ways) {
        window_both_ways(session.transport(), end, messages, requests, windows);
    } else {
        window_one_way(session.transport(), end, messages, requests, windows);
    }
}

// Of many pairs each sample begins after a barrier of all ranks, so that none has the machine to
// itself.
template <WindowMessages M>
Samples sample_windows(MpiSession& session, const Shape& shape, M& messages, Requests& requests) {
    auto windows = session.event([&](std::uint64_t count) {
        transfer(session, shape.both_ways, messages, requests, count);
    });
    if (pair_count(session) == 1) {
        return session.sample(windows);
    }
    return sample_timed(
        session, usual_clock_share,
        [&](std::uint64_t count) {
            session.team().barrier();
            return windows(count);
        },
        [] {});
}

Samples sample_hot_or_cold(MpiSession& session, MessageMemory& memory, const Shape& shape,
                           Requests& requests) {
    if (!shape.cold()) {
        const Messages messages = shape.buffers == BufferPlace::device
                                      ? reused_window(*memory.device, shape.bytes, shape.window)
                                      : reused_window(memory.buffers, shape.bytes, shape.window);
        return sample_windows(session, shape, messages, requests);
    }
    ColdPlaces places(memory.buffers, cold_shape(shape.bytes, memory.caches), memory.cold_end);
    ColdMessages messages{places, shape.bytes, shape.window};
    Samples taken = sample_windows(session, shape, messages, requests);
    memory.cold_end = places.end();
    return taken;
}

// One more window, every message with its own bytes and place.
bool transfer_is_right(MpiSession& session, const MessageMemory& memory, const Shape& shape,
                       Requests& requests) {
    const std::uint64_t seed = session.seed();
    const End end = own_end(session);
    const bool on_device = shape.buffers == BufferPlace::device;
    const MessageBuffers& seen = on_device ? memory.device->staged() : memory.buffers;
    const Messages messages = checked_window(seen, shape.bytes, shape.window);
    prepare_window(seen, messages, {seed, static_cast<std::uint64_t>(session.team().rank())});
    if (on_device) {
        const Messages moved = checked_window(*memory.device, shape.bytes, shape.window);
        memory.device->upload();
        transfer(session, shape.both_ways, moved, requests, 1);
        memory.device->download();
    } else {
        transfer(session, shape.both_ways, messages, requests, 1);
    }
    const bool receives = shape.both_ways || !end.first;
    return session.team().all(
        !receives || window_is_right(messages, {seed, static_cast<std::uint64_t>(end.peer)}));
}

std::vector<NamedSeries> series_of(std::vector<std::vector<double>> pairs) {
    if (pairs.empty()) {
        return {};
    }
    std::vector<NamedSeries> series{{"seconds", mean_of(pairs)}};
    if (pairs.size() > 1) {
        series.emplace_back("slowest", slowest_of(pairs));
        append_pairs(series, std::move(pairs));
    }
    return series;
}

void describe(PointResult& result, const MessageMemory& memory, const Shape& shape,
              std::size_t pairs) {
    const std::size_t messages = shape.window * pairs * (shape.both_ways ? 2 : 1);
    result.quantity(shape.both_ways ? "bytes_both_ways" : "bytes_one_way", messages * shape.bytes)
        .quantity("messages", messages)
        .quantity("pairs", pairs);
    result
        .attribute("event", shape.both_ways
                                ? "one window each way at once and a 4 B token each way to end it"
                                : "one window and the 4 B token that replies to it")
        .attribute("transfer", "MPI_Isend, MPI_Irecv, MPI_Waitall of " + content_text(shape.bytes))
        .attribute("pairs", pairs == 1
                                ? "one"
                                : "a barrier of all ranks before each sample, which has so many "
                                  "windows that the barrier is a twentieth of it where the time "
                                  "limit allows; the time is the mean over pairs, amounts are "
                                  "of all pairs");
    if (shape.cold()) {
        const ColdShape cold = cold_shape(shape.bytes, memory.caches);
        result.attribute("buffer", cold_text(cold, memory.caches));
        result.quantity("pool_bytes", cold.pool_bytes());
        result.quantity("last_cache_bytes", memory.caches.last_bytes);
    } else {
        const std::string reused =
            "reused, all messages of a window are sent from one place and received at one";
        result.attribute("buffer", shape.buffers == BufferPlace::device
                                       ? reused + ", " + memory.device->to_text()
                                       : "hot: " + reused);
    }
}

PointResult measure(MpiSession& session, MessageMemory& memory, const Parameters& point) {
    const Shape shape = shape_of(point);
    Requests requests;
    requests.reserve(2 * shape.window);
    const Samples taken = sample_hot_or_cold(session, memory, shape, requests);
    const bool right = transfer_is_right(session, memory, shape, requests);
    PointResult result(point);
    result.add_samples(series_of(gather_pairs(session, taken.seconds)), taken.batch);
    result.check(right, std::to_string(checked_messages(shape.bytes, shape.window)) +
                            " messages of a window of each pair arrived with their own bytes and "
                            "nothing behind them");
    describe(result, memory, shape, pair_count(session));
    result.page_bytes =
        session.team().smallest(shape.buffers == BufferPlace::device ? memory.device->page_bytes()
                                                                     : memory.buffers.page_bytes());
    return result;
}

void run_bandwidth(MpiSession& session) {
    const NodeMemory available(session.team());
    const CacheSizes caches = common_caches(session.team());
    const std::string no_devices = why_no_devices(session.team(), session.points());
    MostBytes most;
    std::vector<std::string> lacking;
    for (const Parameters& point : session.points()) {
        const Shape shape = shape_of(point);
        const std::size_t bytes = buffer_bytes(shape, caches);
        const bool refused = shape.buffers == BufferPlace::device && !no_devices.empty();
        lacking.push_back(refused ? no_devices : available.why_not(2 * static_cast<double>(bytes)));
        if (lacking.back().empty()) {
            most.add(shape.buffers, bytes);
        }
    }
    MessageMemory memory{MessageBuffers(most.host, session.page_bytes()), caches};
    if (most.device) {
        memory.device =
            std::make_unique<DeviceBuffers>(session.team(), *most.device, session.page_bytes());
    }
    record_each(session, lacking,
                [&](const Parameters& point) { return measure(session, memory, point); });
}

const RegisterMpiBenchmark registered({"network.bandwidth",
                                       {"size", "direction", "window", "buffers"},
                                       &run_bandwidth,
                                       ranks_in_pairs});

}  // namespace
}  // namespace machmeter
