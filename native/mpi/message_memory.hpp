// What the buffers of a team need to know: memory for all ranks on a node, and their last cache.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/host/available_memory.hpp"
#include "core/host/identity.hpp"
#include "mpi/hosts.hpp"
#include "mpi/session.hpp"
#include "patterns/cold_places.hpp"

namespace machmeter {

class MessageMemory {
   public:
    // All ranks make it together, before their buffers.
    explicit MessageMemory(const MpiTeam& team) : team_(team) {
        const std::vector<std::uint64_t> machines = keys_of_all(team, machine_key());
        ranks_here_ = std::count(machines.begin(), machines.end(), machine_key());
    }

    // Why not every rank can have so many bytes; empty where it can. All ranks ask the same
    // together.
    [[nodiscard]] std::string why_not(double bytes_per_rank) const {
        constexpr double share_for_buffers = 0.8;
        if (team_.all(bytes_per_rank * static_cast<double>(ranks_here_) <=
                      share_for_buffers * available_)) {
            return "";
        }
        return "the buffers need " + std::to_string(bytes_per_rank / 1e9) +
               " GB of memory on each of " + std::to_string(ranks_here_) + " ranks of a node, " +
               std::to_string(available_ / 1e9) + " GB are available: ask for smaller sizes";
    }

   private:
    MpiTeam team_;
    double available_ = available_memory_bytes();
    std::ptrdiff_t ranks_here_ = 1;
};

// The last cache of any rank's CPU: the largest, so that all ranks use the same places.
inline std::size_t largest_last_cache_bytes(const MpiTeam& team) {
    std::uint64_t bytes = last_cache_bytes(std::max(sched_getcpu(), 0));
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_UINT64_T, MPI_MAX, team.group());
    return bytes;
}

}  // namespace machmeter
