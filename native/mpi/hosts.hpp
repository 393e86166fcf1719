// Which ranks share a node and a clock, and whether they have a CPU each.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/cpu_sets.hpp"
#include "core/host/identity.hpp"
#include "core/host/places.hpp"
#include "mpi/team.hpp"

namespace machmeter {

// Set to `each-rank`, every rank counts as having its own clock: on one node, where all share
// one, it shows how well synchronization works.
inline constexpr const char* clocks_setting = "MACHMETER_CLOCKS";

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

// Where ranks run, as they report it themselves.
class RankHosts {
   public:
    explicit RankHosts(const MpiTeam& team)
        : hosts_(team.gather_everywhere(name_key(host_name()))),
          clocks_(team.gather_everywhere(clock_key(team))),
          group_(OwnCommunicator::split(
              team.group(), first_like(team.gather_everywhere(machine_key()), team.rank()))),
          machine_(group_.get()),
          crowded_(!team.all(has_cpus_enough(machine_))) {}

    // A key of every rank's host, by rank.
    [[nodiscard]] const std::vector<std::uint64_t>& hosts() const { return hosts_; }
    [[nodiscard]] std::size_t nodes() const { return first_ranks(hosts_).size(); }
    [[nodiscard]] const std::vector<std::uint64_t>& clocks() const { return clocks_; }
    // The ranks that share this one's memory and CPUs.
    [[nodiscard]] const MpiTeam& machine() const { return machine_; }
    // More ranks than CPUs on some machine.
    [[nodiscard]] bool crowded() const { return crowded_; }

   private:
    static std::uint64_t clock_key(const MpiTeam& team) {
        const char* setting = std::getenv(clocks_setting);
        const bool each_rank = setting != nullptr && std::string_view(setting) == "each-rank";
        const std::string source = clock_source();
        return each_rank || source.empty() ? static_cast<std::uint64_t>(team.rank())
                                           : name_key(source);
    }

    static bool has_cpus_enough(const MpiTeam& machine) {
        const CpuMask mine = mask_of(allowed_cpus());
        std::vector<CpuMask> all(static_cast<std::size_t>(machine.size()));
        MPI_Allgather(mine.data(), sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE,
                      machine.group());
        return masks_suffice(all, mine);
    }

    std::vector<std::uint64_t> hosts_;
    std::vector<std::uint64_t> clocks_;
    OwnCommunicator group_;
    MpiTeam machine_;
    bool crowded_;
};

}  // namespace machmeter
