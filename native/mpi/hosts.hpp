// Which ranks share a node and a clock, and whether they have a CPU each.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/cpu_masks.hpp"
#include "core/host/identity.hpp"
#include "core/host/places.hpp"
#include "mpi/session.hpp"

namespace machmeter {

// Set to `each-rank`, every rank's clock counts as one of its own: on one node, where all are the
// same, it shows what synchronization is worth.
inline constexpr const char* clocks_setting = "MACHMETER_CLOCKS";

// The key of every rank, by rank.
inline std::vector<std::uint64_t> keys_of_all(const MpiTeam& team, std::uint64_t mine) {
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(team.size()));
    MPI_Allgather(&mine, 1, MPI_UINT64_T, keys.data(), 1, MPI_UINT64_T, team.group());
    return keys;
}

// The lowest rank of each key, in order of ranks.
inline std::vector<int> first_ranks(const std::vector<std::uint64_t>& keys) {
    std::set<std::uint64_t> seen;
    std::vector<int> firsts;
    for (std::size_t rank = 0; rank < keys.size(); ++rank) {
        if (seen.insert(keys[rank]).second) {
            firsts.push_back(static_cast<int>(rank));
        }
    }
    return firsts;
}

// The lowest rank with this rank's key.
inline int first_like(const std::vector<std::uint64_t>& keys, int rank) {
    const std::uint64_t mine = keys[static_cast<std::size_t>(rank)];
    return static_cast<int>(std::find(keys.begin(), keys.end(), mine) - keys.begin());
}

// A communicator of the ranks that name the same color, in their order; freed with it.
class SplitGroup {
   public:
    SplitGroup(MPI_Comm all, int color) { MPI_Comm_split(all, color, 0, &group_); }
    SplitGroup(const SplitGroup&) = delete;
    SplitGroup& operator=(const SplitGroup&) = delete;
    // Freeing waits for the other ranks, which may wait for this one elsewhere.
    ~SplitGroup() {
        if (std::uncaught_exceptions() == 0) {
            MPI_Comm_free(&group_);
        }
    }

    [[nodiscard]] MPI_Comm get() const { return group_; }

    [[nodiscard]] double sum(double mine) const {
        MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, group_);
        return mine;
    }

   private:
    MPI_Comm group_ = MPI_COMM_NULL;
};

// Where ranks run, as they tell it themselves.
class RankHosts {
   public:
    explicit RankHosts(const MpiTeam& team)
        : hosts_(keys_of_all(team, name_key(host_name()))),
          clocks_(keys_of_all(team, clock_key(team))),
          machine_(team.group(), first_like(keys_of_all(team, machine_key()), team.rank())),
          crowded_(!team.all(has_cpus_enough(machine_))) {}

    // The key of every rank's host, by rank.
    [[nodiscard]] const std::vector<std::uint64_t>& hosts() const { return hosts_; }
    [[nodiscard]] std::size_t nodes() const { return first_ranks(hosts_).size(); }
    [[nodiscard]] const std::vector<std::uint64_t>& clocks() const { return clocks_; }
    // The ranks that share this one's memory and CPUs.
    [[nodiscard]] const SplitGroup& machine() const { return machine_; }
    [[nodiscard]] bool crowded() const { return crowded_; }

   private:
    static std::uint64_t clock_key(const MpiTeam& team) {
        const char* setting = std::getenv(clocks_setting);
        const bool each_rank = setting != nullptr && std::string_view(setting) == "each-rank";
        const std::string source = clock_source();
        return each_rank || source.empty() ? static_cast<std::uint64_t>(team.rank())
                                           : name_key(source);
    }

    static bool has_cpus_enough(const SplitGroup& machine) {
        int ranks = 0;
        MPI_Comm_size(machine.get(), &ranks);
        const CpuMask mine = mask_of(allowed_cpus());
        std::vector<CpuMask> all(static_cast<std::size_t>(ranks));
        MPI_Allgather(mine.data(), sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE,
                      machine.get());
        return masks_suffice(all, mine);
    }

    std::vector<std::uint64_t> hosts_;
    std::vector<std::uint64_t> clocks_;
    SplitGroup machine_;
    bool crowded_;
};

}  // namespace machmeter
