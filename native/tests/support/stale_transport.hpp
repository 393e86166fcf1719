// Ranks whose messages stop to carry anything new: a halo that is not exchanged.
#pragma once

#include <omp.h>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "tests/support/thread_ranks.hpp"

namespace machmeter::test {

// Its messages stop to carry anything new.
class StaleTransport : public ThreadTransport {
   public:
    using ThreadTransport::ThreadTransport;
    explicit StaleTransport(const ThreadTransport& like) : ThreadTransport(like) {}

    Request start_send(int peer, const std::byte* data, std::size_t bytes) {
        std::vector<std::byte>& last = last_[{peer, bytes}];
        if (!stale || last.empty()) {
            last.assign(data, data + bytes);
        }
        return ThreadTransport::start_send(peer, last.data(), bytes);
    }

    static inline thread_local bool stale = false;

   private:
    std::map<std::pair<int, std::size_t>, std::vector<std::byte>> last_;
};

using StaleRanks = proxies::Ranks<StaleTransport, ThreadTeam>;

// `body(ranks)` on so many ranks of one thread.
template <class Body>
void on_stale_ranks(int count, Body&& body) {
    Wires sums;
    on_ranks(count, [&](int rank, ThreadTransport& transport) {
        omp_set_num_threads(1);
        StaleTransport::stale = false;
        const ThreadTeam team(sums, rank, count);
        StaleRanks ranks(StaleTransport(transport), team);
        body(ranks);
    });
}

}  // namespace machmeter::test
