// What this process holds in memory, as the kernel counts it (proc(5), /proc/self/status).
#pragma once

#include <cstdint>
#include <fstream>
#include <istream>
#include <sstream>
#include <string>

namespace machmeter {

// Bytes: all that is resident, and how much of it is shared memory (VmRSS, RssShmem).
struct ProcessMemory {
    std::uint64_t resident = 0;
    std::uint64_t shared = 0;
};

inline ProcessMemory read_process_memory(std::istream& status) {
    ProcessMemory memory;
    for (std::string line; std::getline(status, line);) {
        std::istringstream words(line);
        std::string name;
        std::uint64_t kibibytes = 0;
        if (!(words >> name >> kibibytes)) {
            continue;
        }
        if (name == "VmRSS:") {
            memory.resident = kibibytes * 1024;
        } else if (name == "RssShmem:") {
            memory.shared = kibibytes * 1024;
        }
    }
    return memory;
}

inline ProcessMemory process_memory() {
    std::ifstream status("/proc/self/status");
    return read_process_memory(status);
}

}  // namespace machmeter
