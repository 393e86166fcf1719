// Ranks of a proxy as threads: messages, sums and gathers between them, without MPI.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "proxies/common/ranks.hpp"
#include "tests/support/thread_transport.hpp"

namespace machmeter::test {

// Sums and gathers by way of rank 0, in order of ranks, over wires of their own.
class ThreadTeam {
   public:
    ThreadTeam(Wires& wires, int rank, int size) : wires_(&wires), rank_(rank), size_(size) {}

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }

    void sum(std::span<double> values) const {
        auto* const bytes = reinterpret_cast<std::byte*>(values.data());
        if (rank_ != 0) {
            wires_->put(rank_, 0, {bytes, bytes + values.size_bytes()});
            const std::vector<std::byte> total = wires_->take(0, rank_);
            std::memcpy(bytes, total.data(), total.size());
            return;
        }
        for (int other = 1; other < size_; ++other) {
            const std::vector<std::byte> message = wires_->take(other, 0);
            const auto* const theirs = reinterpret_cast<const double*>(message.data());
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] += theirs[i];
            }
        }
        for (int other = 1; other < size_; ++other) {
            wires_->put(0, other, {bytes, bytes + values.size_bytes()});
        }
    }

    void gather_everywhere(std::span<const std::uint64_t> mine,
                           std::vector<std::uint64_t>& all) const {
        const auto bytes = std::as_bytes(mine);
        if (rank_ != 0) {
            wires_->put(rank_, 0, {bytes.begin(), bytes.end()});
            const std::vector<std::byte> every = wires_->take(0, rank_);
            all.resize(every.size() / sizeof(std::uint64_t));
            std::copy(every.begin(), every.end(), std::as_writable_bytes(std::span(all)).begin());
            return;
        }
        std::vector<std::byte> every(bytes.begin(), bytes.end());
        for (int other = 1; other < size_; ++other) {
            const std::vector<std::byte> message = wires_->take(other, 0);
            every.insert(every.end(), message.begin(), message.end());
        }
        for (int other = 1; other < size_; ++other) {
            wires_->put(0, other, every);
        }
        all.resize(every.size() / sizeof(std::uint64_t));
        std::copy(every.begin(), every.end(), std::as_writable_bytes(std::span(all)).begin());
    }

   private:
    Wires* wires_;
    int rank_;
    int size_;
};

using ThreadRanks = proxies::Ranks<ThreadTransport, ThreadTeam>;

// `body(ranks)` on so many ranks at once, each with a team of so many threads.
template <class Body>
void on_proxy_ranks(int count, int threads, Body&& body) {
    Wires sums;
    on_ranks(count, [&](int rank, ThreadTransport& transport) {
        omp_set_num_threads(threads);
        const ThreadTeam team(sums, rank, count);
        ThreadRanks ranks(transport, team);
        body(ranks);
    });
}

}  // namespace machmeter::test
