// shmem.transfer: puts and gets by processing element 0 in the memory of 1, until they are
// complete.
#include <string>
#include <utility>

#include "core/record/not_measured.hpp"
#include "patterns/one_sided.hpp"
#include "shmem/benchmark.hpp"

namespace machmeter {
namespace {

RmaShape shape_of(const Parameters& point) {
    constexpr std::uint64_t most_outstanding = 4096;
    const std::uint64_t bytes = point.count("size");
    const std::uint64_t outstanding = point.count_within("outstanding", 1, most_outstanding);
    const RmaOperation operation = rma_operation_of(point.text("operation"));
    if (bytes == 0) {
        throw UsageError("size: an operation moves at least 1 byte");
    }
    if (operation != RmaOperation::put && operation != RmaOperation::get) {
        throw UsageError("operation: '" + point.text("operation") + "' is neither put nor get");
    }
    return {operation, bytes, outstanding, places_for(bytes, outstanding)};
}

double symmetric_bytes(const Parameters& point, int /*size*/) {
    return static_cast<double>(shape_of(point).extent() + guard_bytes);
}

// Memory of processing element 1, reached by blocking calls or by those that only begin.
class Peer {
   public:
    Peer(std::byte* memory, bool begins) : memory_(memory), begins_(begins) {}

    void put(const std::byte* out, std::size_t at, std::size_t bytes) const {
        if (begins_) {
            shmem_putmem_nbi(memory_ + at, out, bytes, 1);
        } else {
            shmem_putmem(memory_ + at, out, bytes, 1);
        }
    }

    void get(std::byte* in, std::size_t at, std::size_t bytes) const {
        if (begins_) {
            shmem_getmem_nbi(in, memory_ + at, bytes, 1);
        } else {
            shmem_getmem(in, memory_ + at, bytes, 1);
        }
    }

    // What an accumulate would be, OpenSHMEM has not.
    static void accumulate(const std::byte*, std::size_t, std::size_t) {}
    static void get_accumulate(const std::byte*, std::byte*, std::size_t, std::size_t) {}

   private:
    std::byte* memory_;
    bool begins_;
};

std::string transfer_words(const RmaShape& shape) {
    const std::string call = shape.operation == RmaOperation::put ? "shmem_putmem" : "shmem_getmem";
    return call + (shape.count > 1 ? "_nbi" : "") + ", then shmem_quiet";
}

PointResult measure(ShmemSession& session, const Parameters& point) {
    const RmaShape shape = shape_of(point);
    const ShmemTeam& team = session.team();
    const SymmetricArray<std::byte> window(shape.extent() + guard_bytes);
    if (!team.all(window.made())) {
        return not_measured(point, no_room_words(symmetric_bytes(point, team.size())));
    }
    const MessageBuffers buffers(team.leads() ? shape.extent() : sizeof(std::int64_t),
                                 session.own().page_bytes());
    Peer peer(window.data(), shape.count > 1);
    // The other end only waits, inside the library, for the next thing that both do.
    const auto transfer = [&](std::uint64_t rounds) {
        for (std::uint64_t round = 0; team.leads() && round < rounds; ++round) {
            begin_operations(peer, shape, buffers.out(), buffers.in());
            shmem_quiet();
        }
    };
    Samples taken = session.sample(usual_clock_share, transfer);
    const RmaCheck check(shape, session.own().seed());
    if (team.leads()) {
        check.fill_out(buffers.out());
        prepare_receive(buffers.in(), shape.extent());
    } else {
        check.fill_window(window.data());
    }
    ShmemTeam::meet();
    transfer(1);
    ShmemTeam::meet();
    const bool right = team.all(team.leads() ? check.fetched_is_right(buffers.in())
                                             : check.window_is_right(window.data()));
    const double bytes = static_cast<double>(shape.bytes) * static_cast<double>(shape.count);
    return {
        point,
        {{"seconds", std::move(taken.seconds)}},
        taken.batch,
        right,
        "the operations of one event left their own bytes on both sides and nothing behind them",
        {{"operations", static_cast<double>(shape.count)},
         {"bytes_one_way", bytes},
         {"places", static_cast<double>(shape.places)}},
        {{"event", "all operations, begun one after another, until they are complete"},
         {"transfer", transfer_words(shape)},
         {"target", "processing element 1 waits inside the library for the next barrier"},
         {"buffer", "reused: every operation of an event has its own place, up to 64 MiB"}},
        static_cast<std::uint64_t>(team.smallest(static_cast<double>(buffers.page_bytes())))};
}

void run_transfer(ShmemSession& session) {
    for (const Parameters& point : session.own().points()) {
        session.begin(point);
        session.own().record(measure(session, point));
    }
}

const RegisterShmemBenchmark registered({"shmem.transfer",
                                         {"operation", "size", "outstanding"},
                                         2,
                                         2,
                                         &run_transfer,
                                         &symmetric_bytes});

}  // namespace
}  // namespace machmeter
