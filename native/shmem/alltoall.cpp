// shmem.alltoall: every processing element has a block for each one; the slowest sets the time.
#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "core/host/places.hpp"
#include "patterns/message_data.hpp"
#include "shmem/rounds.hpp"
#include "shmem/runtime.hpp"

namespace machmeter {
namespace {

constexpr std::size_t element_bytes = 8;

std::size_t block_bytes(const Parameters& point) {
    const std::uint64_t bytes = point.count("size");
    if (bytes == 0 || bytes % element_bytes != 0) {
        throw UsageError("size: " + std::to_string(bytes) + " is not a positive multiple of 8");
    }
    return bytes;
}

double symmetric_bytes(const Parameters& point, int size) {
    return 2 * (static_cast<double>(block_bytes(point)) * size + guard_bytes);
}

// Blocks to send and to receive, and the synchronization arrays of the library. Two of these take
// turns: who begins an operation has seen all others begin the previous one, and so leave the one
// before that.
class Blocks {
   public:
    Blocks(std::size_t bytes, int size)
        : bytes_(bytes),
          size_(size),
          out_(extent() + guard_bytes),
          in_(extent() + guard_bytes),
          turns_(2 * turn_length) {
        if (turns_.made()) {
            std::fill_n(turns_.data(), 2 * turn_length, SHMEM_SYNC_VALUE);
        }
        shmem_barrier_all();
    }

    [[nodiscard]] bool made() const { return out_.made() && in_.made() && turns_.made(); }

    void exchange() {
        shmem_alltoall64(in_.data(), out_.data(), bytes_ / element_bytes, 0, 0, size_,
                         turns_.data() + turn_ * turn_length);
        turn_ = 1 - turn_;
    }

    // Known data; the next exchange must bring every block to its place.
    void fill(std::uint64_t seed, int rank) {
        prepare_receive(in_.data(), extent());
        for (int peer = 0; peer < size_; ++peer) {
            fill_message(out_.data() + at(peer), name(seed, rank, peer));
        }
    }

    [[nodiscard]] bool are_right(std::uint64_t seed, int rank) const {
        bool right = guard_is_whole(in_.data(), extent());
        for (int peer = 0; peer < size_; ++peer) {
            right = right && message_is_right(in_.data() + at(peer), name(seed, peer, rank));
        }
        return right;
    }

   private:
    static constexpr std::size_t turn_length = SHMEM_ALLTOALL_SYNC_SIZE;

    [[nodiscard]] std::size_t extent() const { return bytes_ * static_cast<std::size_t>(size_); }
    [[nodiscard]] std::size_t at(int peer) const { return bytes_ * static_cast<std::size_t>(peer); }
    [[nodiscard]] MessageName name(std::uint64_t seed, int from, int to) const {
        return {seed, bytes_, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)};
    }

    std::size_t bytes_;
    int size_;
    SymmetricArray<std::byte> out_;
    SymmetricArray<std::byte> in_;
    SymmetricArray<long> turns_;
    std::size_t turn_ = 0;
};

// Blocks that the processing elements of one node have for others, mean of the nodes.
struct BlocksPerNode {
    double within = 0;
    double between = 0;
    bool several_nodes = false;
};

// At the root.
BlocksPerNode blocks_per_node(const ShmemTeam& team) {
    std::istringstream names(team.join(host_name()));
    std::map<std::string, double> elements;
    for (std::string host; std::getline(names, host, ',');) {
        elements[host] += 1;
    }
    BlocksPerNode blocks;
    blocks.several_nodes = elements.size() > 1;
    for (const auto& [host, count] : elements) {
        blocks.within += count * (count - 1) / static_cast<double>(elements.size());
        blocks.between += count * (team.size() - count) / static_cast<double>(elements.size());
    }
    return blocks;
}

PointResult measure(ShmemSession& session, const Parameters& point) {
    const std::size_t bytes = block_bytes(point);
    const ShmemTeam& team = session.team();
    Blocks blocks(bytes, team.size());
    if (!team.all(blocks.made())) {
        return not_measured(point, heap_text(symmetric_bytes(point, team.size())));
    }
    Samples taken = sample_slowest(team, session.clock_facts(), session.limits(),
                                   session.event([&](std::uint64_t exchanges) {
                                       for (std::uint64_t i = 0; i < exchanges; ++i) {
                                           blocks.exchange();
                                       }
                                   }));
    session.add_timed(taken.timed_seconds);
    ShmemTeam::barrier();
    blocks.fill(session.seed(), team.rank());
    ShmemTeam::barrier();
    blocks.exchange();
    ShmemTeam::barrier();
    const bool right = team.all(blocks.are_right(session.seed(), team.rank()));
    const BlocksPerNode sent = blocks_per_node(team);
    PointResult result(point);
    result.add_samples(std::move(taken));
    result.check(right,
                 "every processing element got the block that each had for it and nothing behind");
    const auto block = static_cast<double>(bytes);
    result.quantity("bytes_per_node", (sent.several_nodes ? sent.between : sent.within) * block)
        .quantity("intra_node_bytes", sent.within * block)
        .quantity("bytes", block * (team.size() - 1));
    result
        .attribute("event",
                   "one operation, begun after shmem_barrier_all, until the slowest one left it")
        .attribute("transfer", "shmem_alltoall64 of all processing elements")
        .attribute("injection", sent.several_nodes
                                    ? "bytes that the processing elements of one node send to "
                                      "those of other nodes, mean of the nodes"
                                    : "bytes that the processing elements of the only node send to "
                                      "one another, without own copies");
    return result;
}

void run_alltoall(ShmemSession& session) {
    session.record_each([&](const Parameters& point) { return measure(session, point); });
}

const RegisterShmemBenchmark registered(
    {"shmem.alltoall", {"size"}, &run_alltoall, any_ranks, {&symmetric_bytes}});

}  // namespace
}  // namespace machmeter
