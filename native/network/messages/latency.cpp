// network.latency: one message at a time, or one each way at once, between ranks 0 and 1, by every
// call that MPI has for it, from contiguous or scattered memory.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/datatype.hpp"
#include "mpi/memory.hpp"
#include "mpi/runtime.hpp"
#include "network/device_buffers.hpp"
#include "network/messages/ways.hpp"
#include "network/points.hpp"
#include "patterns/cold_places.hpp"
#include "patterns/message_layout.hpp"

namespace machmeter {
namespace {

// Stricter than usual: for the smallest messages 5 % of a round trip would be a visible bias.
constexpr double clock_share = 0.01;

enum class Way : std::uint8_t { blocking, nonblocking, persistent, partitioned, matched_probe };

struct Shape {
    std::size_t bytes;
    bool ping_ping;
    Way way;
    DataLayout layout;
    BufferPlace buffers;

    [[nodiscard]] bool cold() const { return buffers == BufferPlace::cold; }

    // Its requests are made once and keep their places.
    [[nodiscard]] bool bound() const { return way == Way::persistent || way == Way::partitioned; }

    // One element of a derived datatype; else a count of MPI_BYTE.
    [[nodiscard]] bool typed() const {
        const bool counted = bytes <= most_int || MPI_VERSION >= 4 || way == Way::partitioned;
        return bytes > 0 && (layout != DataLayout::contiguous || !counted);
    }

    // Parts of a partitioned message: 8, or fewer that divide its bytes.
    [[nodiscard]] std::size_t partitions() const {
        constexpr std::size_t most = 8;
        return typed() || bytes == 0 ? 1 : std::gcd(bytes, most);
    }
};

Shape shape_of(const Parameters& point) {
    return {point.count("size"),
            point.choice<bool>("pattern", {{"ping-pong", false}, {"ping-ping", true}}),
            point.choice<Way>("way", {{"blocking", Way::blocking},
                                      {"nonblocking", Way::nonblocking},
                                      {"persistent", Way::persistent},
                                      {"partitioned", Way::partitioned},
                                      {"matched-probe", Way::matched_probe}}),
            point.choice<DataLayout>("data", {{"contiguous", DataLayout::contiguous},
                                              {"vector", DataLayout::vector},
                                              {"indexed", DataLayout::indexed}}),
            buffer_place(point)};
}

// The memory of the messages of a launch, and how far the cold places have been used. device:
// where a point needs one.
struct MessageMemory {
    MessageBuffers buffers;
    CacheSizes caches;
    std::size_t cold_end = 0;
    std::unique_ptr<DeviceBuffers> device = nullptr;
};

ColdShape cold_places(const Shape& shape, const CacheSizes& caches) {
    return cold_shape(extent_of(shape.layout, shape.bytes), caches);
}

// Bytes that a point needs to send from, and as many to receive into.
std::size_t buffer_bytes(const Shape& shape, const CacheSizes& caches) {
    return shape.cold() ? cold_places(shape, caches).pool_bytes()
                        : extent_of(shape.layout, shape.bytes);
}

// An indexed datatype lists an int and an address a block, here and once more in MPI.
double memory_bytes(const Shape& shape, const CacheSizes& caches) {
    constexpr double list_entry_bytes = 24;
    const bool listed = shape.layout == DataLayout::indexed;
    return 2 * static_cast<double>(buffer_bytes(shape, caches)) +
           (listed ? list_entry_bytes * static_cast<double>(block_count(shape.layout, shape.bytes))
                   : 0);
}

// What a point lacks, and what to do; empty if nothing. A collective call.
std::string why_not(const Shape& shape, const NodeMemory& memory, const CacheSizes& caches) {
    if (shape.bound() && shape.cold()) {
        return "persistent and partitioned messages are bound to their buffers: request "
               "buffers=hot";
    }
    if (shape.way == Way::partitioned && MACHMETER_HAS_PARTITIONED == 0) {
        return "this MPI has no partitioned communication (MPI 4.0, chapter 4): use MPICH 4 or "
               "Open MPI 5 or later";
    }
    const std::string one_type = why_not_one_type(shape.layout, shape.bytes);
    return one_type.empty() ? memory.why_not(memory_bytes(shape, caches)) : one_type;
}

std::string transfer_text(const Shape& shape) {
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

// One more round with known bytes over the same buffers. device: has them, where it is not null.
template <MessageWay W>
bool exchange_is_right(MpiSession& session, const Shape& shape, W& way, const OnePlace& place,
                       const DeviceBuffers* device) {
    const OnePlace seen =
        device != nullptr ? OnePlace{device->staged().out(), device->staged().in()} : place;
    const std::uint64_t seed = session.seed();
    const End end = session.end();
    const auto mine = static_cast<std::uint64_t>(session.team().rank());
    const auto theirs = static_cast<std::uint64_t>(end.peer);
    fill_laid_out(seen.out, shape.layout, {seed, shape.bytes, mine, 0});
    prepare_receive(seen.in, extent_of(shape.layout, shape.bytes));
    if (device != nullptr) {
        device->upload();
    }
    exchange(shape, end.first, way, place, 1);
    if (device != nullptr) {
        device->download();
    }
    return session.team().all(
        laid_out_is_right(seen.in, shape.layout, {seed, shape.bytes, theirs, 0}));
}

template <MessageWay W, MessagePlaces P>
PointResult measure_by(MpiSession& session, const Parameters& point, const Shape& shape, W&& way,
                       P& places, const DeviceBuffers* device) {
    const bool first = session.end().first;
    Samples taken = session.sample(
        session.event([&](std::uint64_t rounds) { exchange(shape, first, way, places, rounds); }),
        clock_share);
    for (double& seconds : taken.seconds) {
        seconds /= shape.ping_ping ? 1 : 2;
    }
    std::byte* const out = places.next_out();
    const OnePlace last{out, places.next_in()};
    return PointResult(point)
        .add_samples(std::move(taken))
        .check(exchange_is_right(session, shape, way, last, device),
               "both ranks received the other's bytes, and nothing behind or between them")
        .quantity("bytes", shape.bytes)
        .attribute("event", shape.ping_ping
                                ? "one message each way at once; the batch counts exchanges"
                                : "half a round trip; the batch counts round trips")
        .attribute("transfer", transfer_text(shape))
        .attribute("data", layout_text(shape.layout));
}

// Calls `use(route)` with a route whose count fits the message's elements.
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
                         MPI_Datatype type, P& places, const DeviceBuffers* device) {
    return with_route(session, shape, type, [&]<class Count>(const MessageRoute<Count>& route) {
        if (shape.way == Way::nonblocking) {
            return measure_by(session, point, shape, NonblockingWay<Count>(route), places, device);
        }
        if (shape.way == Way::matched_probe) {
            return measure_by(session, point, shape, MatchedProbeWay<Count>(route), places, device);
        }
        return measure_by(session, point, shape, BlockingWay<Count>(route), places, device);
    });
}

PointResult measure_bound(MpiSession& session, const Parameters& point, const Shape& shape,
                          MPI_Datatype type, OnePlace place, const DeviceBuffers* device) {
#if MACHMETER_HAS_PARTITIONED
    if (shape.way == Way::partitioned) {
        const std::size_t elements = shape.typed() ? 1 : shape.bytes;
        const std::size_t parts = shape.partitions();
        const MessageRoute<MPI_Count> part{type, static_cast<MPI_Count>(elements / parts),
                                           session.end().peer, session.team().group()};
        return measure_by(session, point, shape,
                          PartitionedWay(part, static_cast<int>(parts), place), place, device);
    }
#endif
    return with_route(session, shape, type, [&]<class Count>(const MessageRoute<Count>& route) {
        return measure_by(session, point, shape, PersistentWay<Count>(route, place), place, device);
    });
}

PointResult measure_hot(MpiSession& session, const MessageMemory& memory, const Parameters& point,
                        const Shape& shape, MPI_Datatype type) {
    const DeviceBuffers* const device =
        shape.buffers == BufferPlace::device ? memory.device.get() : nullptr;
    OnePlace place = device != nullptr ? OnePlace{device->out(), device->in()}
                                       : OnePlace{memory.buffers.out(), memory.buffers.in()};
    PointResult result = shape.bound() ? measure_bound(session, point, shape, type, place, device)
                                       : measure_free(session, point, shape, type, place, device);
    result.attribute("buffer", device != nullptr
                                   ? "reused, one to send, one to receive, " + device->to_text()
                                   : "hot: reused, one to send, one to receive, "
                                     "touched by their rank");
    return result;
}

PointResult measure_cold(MpiSession& session, MessageMemory& memory, const Parameters& point,
                         const Shape& shape, MPI_Datatype type) {
    const ColdShape cold = cold_places(shape, memory.caches);
    ColdPlaces places(memory.buffers, cold, memory.cold_end);
    PointResult result = measure_free(session, point, shape, type, places, nullptr);
    memory.cold_end = places.end();
    result.attribute("buffer", cold_text(cold, memory.caches));
    result.quantity("pool_bytes", cold.pool_bytes());
    result.quantity("last_cache_bytes", memory.caches.last_bytes);
    return result;
}

PointResult measure(MpiSession& session, MessageMemory& memory, const Parameters& point) {
    const Shape shape = shape_of(point);
    std::optional<CommittedType> derived;
    if (shape.typed()) {
        derived.emplace(message_type(shape.layout, shape.bytes));
    }
    const MPI_Datatype type = derived ? derived->get() : MPI_BYTE;
    PointResult result = shape.cold() ? measure_cold(session, memory, point, shape, type)
                                      : measure_hot(session, memory, point, shape, type);
    result.page_bytes =
        session.team().smallest(shape.buffers == BufferPlace::device ? memory.device->page_bytes()
                                                                     : memory.buffers.page_bytes());
    return result;
}

void run_latency(MpiSession& session) {
    const NodeMemory available(session.team());
    const CacheSizes caches = common_caches(session.team());
    const std::string no_devices = why_no_devices(session.team(), session.points());
    std::vector<std::string> lacking;
    MostBytes most;
    for (const Parameters& point : session.points()) {
        const Shape shape = shape_of(point);
        const bool refused = shape.buffers == BufferPlace::device && !no_devices.empty();
        lacking.push_back(refused ? no_devices : why_not(shape, available, caches));
        if (lacking.back().empty()) {
            most.add(shape.buffers, buffer_bytes(shape, caches));
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

const RegisterMpiBenchmark registered(
    {"network.latency", {"size", "pattern", "way", "data", "buffers"}, &run_latency, two_ranks});

}  // namespace
}  // namespace machmeter
