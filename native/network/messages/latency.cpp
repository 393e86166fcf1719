// network.latency: one message at a time, or one each way at once, between ranks 0 and 1, by every
// way that MPI has to move it, from wherever its bytes lie.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/values/choices.hpp"
#include "mpi/benchmark.hpp"
#include "mpi/message_memory.hpp"
#include "network/messages/ways.hpp"
#include "network/points.hpp"
#include "patterns/cold_places.hpp"
#include "patterns/message_layout.hpp"

namespace machmeter {
namespace {

// Stricter than usual: at the fastest sizes 5 % of a round trip would be a bias worth seeing.
constexpr double clock_share = 0.01;

enum class Way : std::uint8_t { blocking, nonblocking, persistent, partitioned, matched_probe };

struct Shape {
    std::size_t bytes;
    bool ping_ping;
    Way way;
    DataLayout layout;
    bool cold;

    // The requests are made once, for one place each.
    [[nodiscard]] bool bound() const { return way == Way::persistent || way == Way::partitioned; }

    // The message is one element of a datatype of its own; else so many MPI_BYTE.
    [[nodiscard]] bool typed() const {
        const bool counted = bytes <= most_int || MPI_VERSION >= 4 || way == Way::partitioned;
        return bytes > 0 && (layout != DataLayout::contiguous || !counted);
    }

    // Parts of a partitioned message: 8, or as many as divide its bytes.
    [[nodiscard]] std::size_t partitions() const {
        constexpr std::size_t most = 8;
        return typed() || bytes == 0 ? 1 : std::gcd(bytes, most);
    }
};

Shape shape_of(const Parameters& point) {
    return {point.count("size"),
            chosen<bool>(point, "pattern", {{"ping-pong", false}, {"ping-ping", true}}),
            chosen<Way>(point, "way",
                        {{"blocking", Way::blocking},
                         {"nonblocking", Way::nonblocking},
                         {"persistent", Way::persistent},
                         {"partitioned", Way::partitioned},
                         {"matched-probe", Way::matched_probe}}),
            chosen<DataLayout>(point, "data",
                               {{"contiguous", DataLayout::contiguous},
                                {"vector", DataLayout::vector},
                                {"indexed", DataLayout::indexed}}),
            chosen<bool>(point, "buffers", {{"hot", false}, {"cold", true}})};
}

// What the messages of a launch lie in, and where the visits of cold places have come to.
struct Memory {
    MessageBuffers buffers;
    std::size_t cache_bytes;
    std::size_t cold_end = 0;
};

ColdShape cold_places(const Shape& shape, std::size_t cache_bytes) {
    return cold_shape(extent_of(shape.layout, shape.bytes), cache_bytes);
}

// Bytes that a point needs to send from, and as many to receive into.
std::size_t buffer_bytes(const Shape& shape, std::size_t cache_bytes) {
    return shape.cold ? cold_places(shape, cache_bytes).pool_bytes()
                      : extent_of(shape.layout, shape.bytes);
}

// The list of an indexed datatype: an int and an address a block, here and once more in MPI.
double memory_bytes(const Shape& shape, std::size_t cache_bytes) {
    constexpr double list_entry_bytes = 24;
    const bool listed = shape.layout == DataLayout::indexed;
    return 2 * static_cast<double>(buffer_bytes(shape, cache_bytes)) +
           (listed ? list_entry_bytes * static_cast<double>(block_count(shape.layout, shape.bytes))
                   : 0);
}

// What is lacking for a point, and what to do; empty where nothing is. All ranks ask together.
std::string why_not(const Shape& shape, const MessageMemory& memory, std::size_t cache_bytes) {
    if (shape.bound() && shape.cold) {
        return "persistent and partitioned messages are bound to their buffers: ask for "
               "buffers=hot";
    }
    if (shape.way == Way::partitioned && MACHMETER_HAS_PARTITIONED == 0) {
        return "this MPI has no partitioned communication (MPI 4.0, chapter 4): use MPICH 4 or "
               "Open MPI 5 or later";
    }
    const std::string one_type = why_not_one_type(shape.layout, shape.bytes);
    return one_type.empty() ? memory.why_not(memory_bytes(shape, cache_bytes)) : one_type;
}

std::string transfer_words(const Shape& shape) {
    const char* large = MPI_VERSION >= 4 && !shape.typed() && shape.bytes > most_int ? "_c" : "";
    const auto both = [&](const char* one, const std::string& other) {
        return std::string(one) + large + ", " + other;
    };
    const std::string what =
        shape.typed() ? " of one element of a derived datatype" : " of MPI_BYTE";
    const std::string end = large + what;
    switch (shape.way) {
        case Way::blocking:
            return shape.ping_ping ? "MPI_Sendrecv" + end : both("MPI_Send", "MPI_Recv" + end);
        case Way::nonblocking:
            return both("MPI_Isend", "MPI_Irecv" + end) +
                   (shape.ping_ping ? ", receive first; MPI_Waitall" : ", each with its MPI_Wait");
        case Way::persistent:
            return both("MPI_Send_init", "MPI_Recv_init" + end) +
                   (shape.ping_ping ? ", once; MPI_Startall, MPI_Waitall"
                                    : ", once; MPI_Start, MPI_Wait");
        case Way::partitioned:
            return "MPI_Psend_init, MPI_Precv_init" + what + ", once; MPI_Start, MPI_Pready of " +
                   std::to_string(shape.partitions()) + " partitions in order, MPI_Wait of all";
        case Way::matched_probe:
            return both(shape.ping_ping ? "MPI_Isend" : "MPI_Send",
                        "MPI_Mprobe and MPI_Mrecv" + end);
    }
    return "";
}

template <MessageWay W, MessagePlaces P>
void exchange(const Shape& shape, bool first, W& way, P& places, std::uint64_t rounds) {
    if (shape.ping_ping) {
        ping_ping(way, places, rounds);
    } else {
        ping_pong(way, first, places, rounds);
    }
}

// One round more with known bytes, after the timed ones and over the same buffers.
template <MessageWay W>
bool exchange_is_right(MpiSession& session, const Shape& shape, W& way, const OnePlace& place) {
    const std::uint64_t seed = session.own().seed();
    const End end = session.end();
    const auto mine = static_cast<std::uint64_t>(session.team().rank());
    const auto theirs = static_cast<std::uint64_t>(end.peer);
    fill_laid_out(place.out, shape.layout, {seed, shape.bytes, mine, 0});
    prepare_receive(place.in, extent_of(shape.layout, shape.bytes));
    exchange(shape, end.first, way, place, 1);
    return session.team().all(
        laid_out_is_right(place.in, shape.layout, {seed, shape.bytes, theirs, 0}));
}

template <MessageWay W, MessagePlaces P>
PointResult measure_by(MpiSession& session, const Parameters& point, const Shape& shape, W&& way,
                       P& places) {
    const bool first = session.end().first;
    Samples taken = session.sample(
        clock_share, [&](std::uint64_t rounds) { exchange(shape, first, way, places, rounds); });
    for (double& seconds : taken.seconds) {
        seconds /= shape.ping_ping ? 1 : 2;
    }
    std::byte* const out = places.next_out();
    const OnePlace last{out, places.next_in()};
    return {point,
            {{"seconds", std::move(taken.seconds)}},
            taken.batch,
            exchange_is_right(session, shape, way, last),
            "both ranks received the other's bytes, and nothing behind or between them",
            {{"bytes", static_cast<double>(shape.bytes)}},
            {{"event", shape.ping_ping
                           ? "one message each way at once; a batch is counted in such exchanges"
                           : "half a round trip; a batch is counted in round trips"},
             {"transfer", transfer_words(shape)},
             {"data", layout_words(shape.layout)}}};
}

// Calls `use(route)` with a route that counts the message's elements as they have to be counted.
template <class Use>
PointResult with_route(MpiSession& session, const Shape& shape, MPI_Datatype type, Use&& use) {
    const std::size_t elements = shape.typed() ? 1 : shape.bytes;
    const int peer = session.end().peer;
    const MPI_Comm group = session.team().group();
#if MPI_VERSION >= 4
    if (elements > most_int) {
        return use(MessageRoute<MPI_Count>{type, static_cast<MPI_Count>(elements), peer, group});
    }
#endif
    return use(MessageRoute<int>{type, static_cast<int>(elements), peer, group});
}

template <MessagePlaces P>
PointResult measure_free(MpiSession& session, const Parameters& point, const Shape& shape,
                         MPI_Datatype type, P& places) {
    return with_route(session, shape, type, [&]<class Count>(const MessageRoute<Count>& route) {
        if (shape.way == Way::nonblocking) {
            return measure_by(session, point, shape, NonblockingWay<Count>(route), places);
        }
        if (shape.way == Way::matched_probe) {
            return measure_by(session, point, shape, MatchedProbeWay<Count>(route), places);
        }
        return measure_by(session, point, shape, BlockingWay<Count>(route), places);
    });
}

// By requests that are made once and keep their places.
PointResult measure_bound(MpiSession& session, const Parameters& point, const Shape& shape,
                          MPI_Datatype type, OnePlace place) {
#if MACHMETER_HAS_PARTITIONED
    if (shape.way == Way::partitioned) {
        const std::size_t elements = shape.typed() ? 1 : shape.bytes;
        const std::size_t parts = shape.partitions();
        const MessageRoute<MPI_Count> part{type, static_cast<MPI_Count>(elements / parts),
                                           session.end().peer, session.team().group()};
        return measure_by(session, point, shape,
                          PartitionedWay(part, static_cast<int>(parts), place), place);
    }
#endif
    return with_route(session, shape, type, [&]<class Count>(const MessageRoute<Count>& route) {
        return measure_by(session, point, shape, PersistentWay<Count>(route, place), place);
    });
}

PointResult measure_hot(MpiSession& session, const Memory& memory, const Parameters& point,
                        const Shape& shape, MPI_Datatype type) {
    OnePlace place{memory.buffers.out(), memory.buffers.in()};
    PointResult result = shape.bound() ? measure_bound(session, point, shape, type, place)
                                       : measure_free(session, point, shape, type, place);
    result.words.emplace_back("buffer",
                              "hot: reused, one to send, one to receive, touched by their rank");
    return result;
}

PointResult measure_cold(MpiSession& session, Memory& memory, const Parameters& point,
                         const Shape& shape, MPI_Datatype type) {
    const ColdShape cold = cold_places(shape, memory.cache_bytes);
    ColdPlaces places(memory.buffers, cold, memory.cold_end);
    PointResult result = measure_free(session, point, shape, type, places);
    memory.cold_end = places.end();
    result.words.emplace_back("buffer", cold_words(cold, memory.cache_bytes));
    result.facts.emplace_back("pool_bytes", static_cast<double>(cold.pool_bytes()));
    result.facts.emplace_back("last_cache_bytes", static_cast<double>(memory.cache_bytes));
    return result;
}

PointResult measure(MpiSession& session, Memory& memory, const Parameters& point,
                    const Shape& shape) {
    std::optional<CommittedType> derived;
    if (shape.typed()) {
        derived.emplace(message_type(shape.layout, shape.bytes));
    }
    const MPI_Datatype type = derived ? derived->get() : MPI_BYTE;
    PointResult result = shape.cold ? measure_cold(session, memory, point, shape, type)
                                    : measure_hot(session, memory, point, shape, type);
    result.page_bytes = session.team().smallest(memory.buffers.page_bytes());
    return result;
}

void run_latency(MpiSession& session) {
    const MessageMemory available(session.team());
    const std::size_t cache_bytes = largest_last_cache_bytes(session.team());
    std::vector<std::string> lacking;
    std::size_t most_bytes = 0;
    for (const Parameters& point : session.own().points()) {
        const Shape shape = shape_of(point);
        lacking.push_back(why_not(shape, available, cache_bytes));
        most_bytes =
            std::max(most_bytes, lacking.back().empty() ? buffer_bytes(shape, cache_bytes) : 0);
    }
    Memory memory{MessageBuffers(most_bytes, session.own().page_bytes()), cache_bytes};
    record_each(session, lacking, [&](const Parameters& point) {
        return measure(session, memory, point, shape_of(point));
    });
}

const RegisterMpiBenchmark registered("network.latency",
                                      {"size", "pattern", "way", "data", "buffers"}, two_ranks,
                                      &run_latency);

}  // namespace
}  // namespace machmeter
