// shmem.transfer: puts and gets by processing element 0 in the memory of 1, until complete.
#include <string>
#include <utility>

#include "patterns/one_sided.hpp"
#include "shmem/runtime.hpp"

namespace machmeter {
namespace {

RmaShape shape_of(const Parameters& point) {
    constexpr std::uint64_t most_outstanding = 4096;
    const std::uint64_t bytes = point.count("size");
    const std::uint64_t outstanding = point.count_within("outstanding", 1, most_outstanding);
    const auto operation = point.choice<RmaOperation>(
        "operation", {{"put", RmaOperation::put}, {"get", RmaOperation::get}});
    if (bytes == 0) {
        throw UsageError("size: an operation moves at least 1 byte");
    }
    return {operation, bytes, outstanding, places_for(bytes, outstanding)};
}

double symmetric_bytes(const Parameters& point, int /*size*/) {
    return static_cast<double>(shape_of(point).extent() + guard_bytes);
}

// Memory of processing element 1, accessed by blocking or by non-blocking calls.
class Peer {
   public:
    Peer(std::byte* memory, bool nonblocking) : memory_(memory), nonblocking_(nonblocking) {}

    void put(const std::byte* out, std::size_t at, std::size_t bytes) const {
        if (nonblocking_) {
            shmem_putmem_nbi(memory_ + at, out, bytes, 1);
        } else {
            shmem_putmem(memory_ + at, out, bytes, 1);
        }
    }

    void get(std::byte* in, std::size_t at, std::size_t bytes) const {
        if (nonblocking_) {
            shmem_getmem_nbi(in, memory_ + at, bytes, 1);
        } else {
            shmem_getmem(in, memory_ + at, bytes, 1);
        }
    }

    // OpenSHMEM has no accumulate.
    static void accumulate(const std::byte*, std::size_t, std::size_t) {}
    static void get_accumulate(const std::byte*, std::byte*, std::size_t, std::size_t) {}

   private:
    std::byte* memory_;
    bool nonblocking_;
};

std::string transfer_text(const RmaShape& shape) {
    const std::string call = shape.operation == RmaOperation::put ? "shmem_putmem" : "shmem_getmem";
    return call + (shape.count > 1 ? "_nbi" : "") + ", then shmem_quiet";
}

PointResult measure(ShmemSession& session, const Parameters& point) {
    const RmaShape shape = shape_of(point);
    const ShmemTeam& team = session.team();
    const SymmetricArray<std::byte> window(shape.extent() + guard_bytes);
    if (!team.all(window.made())) {
        return not_measured(point, heap_text(symmetric_bytes(point, team.size())));
    }
    const MessageBuffers buffers(team.is_root() ? shape.extent() : sizeof(std::int64_t),
                                 session.page_bytes());
    Peer peer(window.data(), shape.count > 1);
    // The other end only waits, inside the library, for the next collective call.
    const auto transfer = [&](std::uint64_t rounds) {
        for (std::uint64_t round = 0; team.is_root() && round < rounds; ++round) {
            begin_operations(peer, shape, buffers.out(), buffers.in());
            shmem_quiet();
        }
    };
    Samples taken = session.sample(session.event(transfer));
    const RmaCheck check(shape, session.seed());
    if (team.is_root()) {
        check.fill_out(buffers.out());
        prepare_receive(buffers.in(), shape.extent());
    } else {
        check.fill_window(window.data());
    }
    ShmemTeam::barrier();
    transfer(1);
    ShmemTeam::barrier();
    const bool right = team.all(team.is_root() ? check.fetched_is_right(buffers.in())
                                               : check.window_is_right(window.data()));
    return PointResult(point)
        .add_samples(std::move(taken))
        .check(right,
               "the operations of one event left their own bytes at both ranks and nothing "
               "behind them")
        .quantity("operations", shape.count)
        .quantity("bytes_one_way", shape.bytes * shape.count)
        .quantity("places", shape.places)
        .attribute("event", "all operations, started one after another, until complete")
        .attribute("transfer", transfer_text(shape))
        .attribute("target", "processing element 1 waits inside the library for the next barrier")
        .attribute("buffer", "reused: every operation of an event has its own place, up to 64 MiB")
        .on_pages(team.smallest(buffers.page_bytes()));
}

void run_transfer(ShmemSession& session) {
    session.record_each([&](const Parameters& point) { return measure(session, point); });
}

const RegisterShmemBenchmark registered({"shmem.transfer",
                                         {"operation", "size", "outstanding"},
                                         &run_transfer,
                                         two_ranks,
                                         {&symmetric_bytes}});

}  // namespace
}  // namespace machmeter
