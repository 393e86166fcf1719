// Lists of CPUs as text, and threads bound to them.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/values/parameters.hpp"

namespace machmeter {

// `0,1,6`; anything else is a UsageError.
inline std::vector<int> parse_cpus(std::string_view text, std::string_view what) {
    constexpr std::uint64_t most = std::uint64_t{1} << 20U;
    std::vector<int> cpus;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::uint64_t cpu = parse_count(text.substr(begin, comma - begin), what);
        if (cpu >= most) {
            throw UsageError(std::string(what) + ": no machine has CPU " + std::to_string(cpu));
        }
        cpus.push_back(static_cast<int>(cpu));
        begin = comma + 1;
    }
    return cpus;
}

// From now on the calling thread runs on these CPUs alone.
inline void bind_thread_to(const std::vector<int>& cpus) {
    const int most = *std::max_element(cpus.begin(), cpus.end()) + 1;
    cpu_set_t* set = CPU_ALLOC(most);
    const std::size_t bytes = CPU_ALLOC_SIZE(most);
    CPU_ZERO_S(bytes, set);
    for (const int cpu : cpus) {
        CPU_SET_S(cpu, bytes, set);
    }
    const int failed = sched_setaffinity(0, bytes, set);
    const int reason = errno;
    CPU_FREE(set);
    if (failed != 0) {
        throw std::runtime_error("cannot bind a progress thread to the CPUs asked for: " +
                                 std::string(std::strerror(reason)));
    }
}

}  // namespace machmeter
