// Where the threads of many ranks on several hosts are, and their noise, in a few bytes each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/host/places.hpp"
#include "core/openmp/teams.hpp"
#include "core/record/header.hpp"
#include "core/record/hosts.hpp"
#include "core/record/noise.hpp"
#include "core/values/json.hpp"

namespace machmeter {

// What one rank gives: of each thread the CPUs that it is allowed and the one that it is on, with
// spaces between, `-` for one that its team lacks; and its quanta, as `packed_quanta` has them.
// None holds a comma.
struct PackedRank {
    std::string allowed;
    std::string on;
    std::string quanta;
};

PackedRank pack(const std::vector<std::optional<ThreadPlace>>& places, const Noise& noise);

// The same of all ranks in their order, with commas between. keys: the host of each; names: JSON
// texts of their names, each by its lowest rank.
std::string packed_json(const std::vector<std::uint64_t>& keys, const std::string& names,
                        const PackedRank& joined, int quanta);

// Whether a list of all threads would be long, and nobody asks for one rank: on one host the CPUs
// of ranks are compared with what was busy there.
bool are_packed(const std::vector<std::uint64_t>& keys, int threads_per_rank);

// Of all ranks of a team at its root, without progress threads.
template <class T>
Observed observe_ranks(const Clock& clock, const T& team) {
    const std::vector<std::uint64_t> keys = team.gather_everywhere(host_key());
    if (!team.all(are_packed(keys, requested_teams().threads()))) {
        const Observed mine = observe(clock, team.rank(), team.size());
        return {team.join(mine.places), team.join(mine.noise)};
    }
    const int quanta = quanta_for(team.size() * requested_teams().threads());
    const std::vector<std::optional<ThreadPlace>> places = observe_places(team.rank());
    Noise noise = observe_noise(clock, quanta);
    const PackedRank mine = pack(places, noise);
    noise.cpus.clear();
    noise.quanta_seconds.clear();
    const auto first = std::find(keys.begin(), keys.end(), host_key()) - keys.begin();
    const bool lowest = first == team.rank();
    const std::string names = team.join(lowest ? json::quote(noise.host) : "");
    const std::string noises = team.join(lowest ? noise.to_json() : "");
    const PackedRank all = {team.join(mine.allowed), team.join(mine.on), team.join(mine.quanta)};
    return {{}, noises, {}, team.is_root() ? packed_json(keys, names, all, quanta) : ""};
}

}  // namespace machmeter
