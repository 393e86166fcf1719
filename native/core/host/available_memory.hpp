// Memory that a benchmark may ask for before the machine runs short.
#pragma once

#include <fstream>
#include <limits>
#include <string>

#include "core/values/parameters.hpp"

namespace machmeter {

// Memory that can be had without swapping, bytes (proc(5), MemAvailable); infinite where the kernel
// does not say.
inline double available_memory_bytes() {
    std::ifstream meminfo("/proc/meminfo");
    std::string name;
    double kibibytes = 0;
    while (meminfo >> name >> kibibytes) {
        if (name == "MemAvailable:") {
            return kibibytes * 1024;
        }
        meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return std::numeric_limits<double>::infinity();
}

// Throws UsageError unless `bytes` fit `available` ones. `what` begins the message: the parameter,
// a colon, and what needs the memory.
inline void require_memory(const std::string& what, double bytes, double available) {
    if (bytes > available) {
        throw UsageError(what + " need " + std::to_string(bytes / 1e9) + " GB of memory, " +
                         std::to_string(available / 1e9) + " GB are available");
    }
}

}  // namespace machmeter
