// A team smaller than the one asked for is an error, not a slower measurement.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace machmeter {

// Throws std::runtime_error unless the team had as many threads as asked.
inline void require_team(std::size_t threads, std::size_t asked) {
    if (threads != asked) {
        throw std::runtime_error("the team has " + std::to_string(threads) + " threads of " +
                                 std::to_string(asked) +
                                 ": unset OMP_DYNAMIC and OMP_THREAD_LIMIT");
    }
}

}  // namespace machmeter
