// network.bandwidth: windows of non-blocking messages, one way or both, between rank i of the first
// half of the ranks and rank i of the second, all pairs at once.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/values/choices.hpp"
#include "mpi/benchmark.hpp"
#include "mpi/message_memory.hpp"
#include "network/pairs/mpi_pairs.hpp"
#include "network/points.hpp"
#include "patterns/window.hpp"

namespace machmeter {
namespace {

struct Shape {
    std::size_t bytes;
    std::size_t window;
    bool both_ways;
    bool cold;
};

// What the messages of a launch lie in, and where the visits of cold places have come to.
struct Memory {
    MessageBuffers buffers;
    std::size_t cache_bytes;
    std::size_t cold_end = 0;
};

using Requests = std::vector<MpiTransport::Request>;

Shape shape_of(const Parameters& point) {
    return {point.count("size"), point.count_within("window", 1, most_window),
            chosen<bool>(point, "direction", {{"one-way", false}, {"both-ways", true}}),
            chosen<bool>(point, "buffers", {{"hot", false}, {"cold", true}})};
}

std::size_t buffer_bytes(const Shape& shape, std::size_t cache_bytes) {
    const std::size_t window = window_bytes(shape.bytes, shape.window);
    return shape.cold ? std::max(window, cold_shape(shape.bytes, cache_bytes).pool_bytes())
                      : window;
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

// Of many pairs each sample begins when all ranks have met, so that none has the machine to itself.
template <WindowMessages M>
Samples sample_windows(MpiSession& session, const Shape& shape, M& messages, Requests& requests) {
    if (pair_count(session) == 1) {
        return session.sample(usual_clock_share, [&](std::uint64_t windows) {
            transfer(session, shape.both_ways, messages, requests, windows);
        });
    }
    const Clock& clock = session.own().clock();
    return sample_timed(
        session, usual_clock_share,
        [&](std::uint64_t windows) {
            session.team().meet();
            const std::uint64_t begin = clock.now();
            transfer(session, shape.both_ways, messages, requests, windows);
            return seconds_between(begin, clock.now());
        },
        [] {});
}

Samples sample_hot_or_cold(MpiSession& session, Memory& memory, const Shape& shape,
                           Requests& requests) {
    if (!shape.cold) {
        const Messages messages = reused_window(memory.buffers, shape.bytes, shape.window);
        return sample_windows(session, shape, messages, requests);
    }
    ColdPlaces places(memory.buffers, cold_shape(shape.bytes, memory.cache_bytes), memory.cold_end);
    ColdMessages messages{places, shape.bytes, shape.window};
    Samples taken = sample_windows(session, shape, messages, requests);
    memory.cold_end = places.end();
    return taken;
}

// One window more, every message with bytes and a place of its own.
bool transfer_is_right(MpiSession& session, const Memory& memory, const Shape& shape,
                       Requests& requests) {
    const std::uint64_t seed = session.own().seed();
    const End end = own_end(session);
    const Messages messages = checked_window(memory.buffers, shape.bytes, shape.window);
    prepare_window(memory.buffers, messages,
                   {seed, static_cast<std::uint64_t>(session.team().rank())});
    transfer(session, shape.both_ways, messages, requests, 1);
    const bool receives = shape.both_ways || !end.first;
    return session.team().all(
        !receives || window_is_right(messages, {seed, static_cast<std::uint64_t>(end.peer)}));
}

std::vector<NamedSeries> series_of(std::vector<std::vector<double>> pairs) {
    if (pairs.empty()) {
        return {};
    }
    std::vector<NamedSeries> series{{"seconds", slowest_of(pairs)}};
    if (pairs.size() > 1) {
        append_pairs(series, std::move(pairs));
    }
    return series;
}

std::string buffer_words(const Shape& shape, std::size_t cache_bytes) {
    return shape.cold ? cold_words(cold_shape(shape.bytes, cache_bytes), cache_bytes)
                      : "hot: reused, all messages of a window leave from one place and "
                        "arrive at one";
}

PointResult result_of(const MpiSession& session, const Memory& memory, const Parameters& point,
                      const Samples& taken, bool right) {
    const Shape shape = shape_of(point);
    const std::size_t pairs = pair_count(session);
    const auto messages = static_cast<double>(shape.window * pairs) * (shape.both_ways ? 2 : 1);
    const char* amount = shape.both_ways ? "bytes_both_ways" : "bytes_one_way";
    PointResult result{
        point,
        series_of(gather_pairs(session, taken.seconds)),
        taken.batch,
        right,
        std::to_string(checked_messages(shape.bytes, shape.window)) +
            " messages of a window of each pair arrived with their own bytes and nothing behind "
            "them",
        {{amount, messages * static_cast<double>(shape.bytes)},
         {"messages", messages},
         {"pairs", static_cast<double>(pairs)}},
        {{"event", shape.both_ways
                       ? "one window each way at once and a 4 B token each way to end it"
                       : "one window and the 4 B token that answers it"},
         {"transfer", "MPI_Isend, MPI_Irecv, MPI_Waitall of " + content_words(shape.bytes)},
         {"pairs", pairs == 1 ? "one"
                              : "all ranks meet before each sample, which has so many windows "
                                "that meeting is a twentieth of it where the time limit leaves "
                                "room; the slowest pair sets the time, amounts are those of all "
                                "pairs"},
         {"buffer", buffer_words(shape, memory.cache_bytes)}},
        session.team().smallest(memory.buffers.page_bytes())};
    if (shape.cold) {
        const ColdShape cold = cold_shape(shape.bytes, memory.cache_bytes);
        result.facts.emplace_back("pool_bytes", static_cast<double>(cold.pool_bytes()));
        result.facts.emplace_back("last_cache_bytes", static_cast<double>(memory.cache_bytes));
    }
    return result;
}

PointResult measure(MpiSession& session, Memory& memory, const Parameters& point) {
    const Shape shape = shape_of(point);
    Requests requests;
    requests.reserve(2 * shape.window);
    const Samples taken = sample_hot_or_cold(session, memory, shape, requests);
    const bool right = transfer_is_right(session, memory, shape, requests);
    return result_of(session, memory, point, taken, right);
}

void run_bandwidth(MpiSession& session) {
    const MessageMemory available(session.team());
    const std::size_t cache_bytes = largest_last_cache_bytes(session.team());
    std::size_t most_bytes = 0;
    std::vector<std::string> lacking;
    for (const Parameters& point : session.own().points()) {
        const std::size_t bytes = buffer_bytes(shape_of(point), cache_bytes);
        lacking.push_back(available.why_not(2 * static_cast<double>(bytes)));
        most_bytes = std::max(most_bytes, lacking.back().empty() ? bytes : 0);
    }
    Memory memory{MessageBuffers(most_bytes, session.own().page_bytes()), cache_bytes};
    record_each(session, lacking,
                [&](const Parameters& point) { return measure(session, memory, point); });
}

const RegisterMpiBenchmark registered("network.bandwidth",
                                      {"size", "direction", "window", "buffers"}, ranks_in_pairs,
                                      &run_bandwidth);

}  // namespace
}  // namespace machmeter
