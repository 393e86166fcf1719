// What a record says of each host of a launch, once: its kernel, its CPUs, its memory, its settings
// and its network devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace machmeter {

// The same for ranks that have one host name and one kernel.
std::uint64_t host_key();

// JSON of this host; null for what it does not say. root: the folder that holds `proc` and `sys`.
std::string describe_host(const std::string& root = "");

// JSON of all hosts of a team, at its root: each by its lowest rank.
template <class T>
std::string describe_hosts(const T& team) {
    const std::vector<std::uint64_t> keys = team.gather_everywhere(host_key());
    const auto first = std::find(keys.begin(), keys.end(), host_key()) - keys.begin();
    return team.join(first == team.rank() ? describe_host() : "");
}

}  // namespace machmeter
