#include "core/host/memory_size.hpp"

#include <fstream>
#include <limits>
#include <sstream>

#include "core/values/parameters.hpp"

namespace machmeter {

double available_memory_bytes() {
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

void require_memory(const std::string& what, double bytes, double available) {
    if (bytes > available) {
        throw UsageError(what + " need " + std::to_string(bytes / 1e9) + " GB of memory, " +
                         std::to_string(available / 1e9) + " GB are available");
    }
}

ProcessMemory process_memory() {
    std::ifstream status("/proc/self/status");
    return read_process_memory(status);
}

ProcessMemory read_process_memory(std::istream& status) {
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

}  // namespace machmeter
