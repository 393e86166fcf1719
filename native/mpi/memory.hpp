// Memory for the buffers of all ranks of a node, and the caches that all ranks agree on.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/host/caches.hpp"
#include "core/host/identity.hpp"
#include "core/host/memory_size.hpp"
#include "mpi/team.hpp"
#include "patterns/cold_places.hpp"

namespace machmeter {

class NodeMemory {
   public:
    // All ranks make it together, before their buffers.
    explicit NodeMemory(const MpiTeam& team) : team_(team) {
        const std::vector<std::uint64_t> machines = team.gather_everywhere(machine_key());
        ranks_here_ = std::count(machines.begin(), machines.end(), machine_key());
    }

    // Why not every rank can have so many bytes; empty where it can. A collective call.
    [[nodiscard]] std::string why_not(double bytes_per_rank) const {
        constexpr double share_for_buffers = 0.8;
        if (team_.all(bytes_per_rank * static_cast<double>(ranks_here_) <=
                      share_for_buffers * available_)) {
            return "";
        }
        return "the buffers need " + std::to_string(bytes_per_rank / 1e9) +
               " GB of memory on each of " + std::to_string(ranks_here_) + " ranks of a node, " +
               std::to_string(available_ / 1e9) + " GB are available: request smaller sizes";
    }

   private:
    MpiTeam team_;
    double available_ = available_memory_bytes();
    std::ptrdiff_t ranks_here_ = 1;
};

// The largest of all ranks, so that all use the same places.
inline CacheSizes common_caches(const MpiTeam& team) {
    return {team.largest(std::uint64_t{last_cache_bytes(std::max(sched_getcpu(), 0))}),
            team.largest(std::uint64_t{line_bytes()})};
}

}  // namespace machmeter
