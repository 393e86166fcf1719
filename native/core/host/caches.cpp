#include "core/host/caches.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>

namespace machmeter {
namespace {

// The largest number that this file of any cache begins with; 0 without one.
std::size_t largest_of_caches(const std::string& cpu_folder, const char* name) {
    std::size_t largest = 0;
    for (int index = 0;; ++index) {
        std::ifstream file(cpu_folder + "/cache/index" + std::to_string(index) + "/" + name);
        std::size_t value = 0;
        if (!(file >> value)) {
            return largest;
        }
        largest = std::max(largest, value);
    }
}

// What sysfs reports, else what sysconf does, else what is assumed.
std::size_t first_known(std::size_t reported, int name, std::size_t assumed) {
    const auto known = static_cast<std::int64_t>(reported);
    const std::int64_t found = known > 0 || name < 0 ? known : sysconf(name);
    return found > 0 ? static_cast<std::size_t>(found) : assumed;
}

std::string folder_of(int cpu) { return "/sys/devices/system/cpu/cpu" + std::to_string(cpu); }

#ifdef _SC_LEVEL3_CACHE_SIZE
constexpr int last_cache_name = _SC_LEVEL3_CACHE_SIZE;
constexpr int line_name = _SC_LEVEL1_DCACHE_LINESIZE;
#else
constexpr int last_cache_name = -1;
constexpr int line_name = -1;
#endif

std::size_t reported_line_bytes() {
    constexpr std::size_t shortest = 16;
    constexpr std::size_t longest = 1024;
    const std::size_t bytes =
        first_known(longest_line_bytes(folder_of(0)), line_name, assumed_line_bytes);
    const bool plausible = std::has_single_bit(bytes) && bytes >= shortest && bytes <= longest;
    return plausible ? bytes : assumed_line_bytes;
}

}  // namespace

std::size_t largest_cache_bytes(const std::string& cpu_folder) {
    return 1024 * largest_of_caches(cpu_folder, "size");
}

std::size_t longest_line_bytes(const std::string& cpu_folder) {
    return largest_of_caches(cpu_folder, "coherency_line_size");
}

std::size_t last_cache_bytes(int cpu) {
    return first_known(largest_cache_bytes(folder_of(cpu)), last_cache_name, assumed_cache_bytes);
}

std::size_t line_bytes() {
    static const std::size_t bytes = reported_line_bytes();
    return bytes;
}

}  // namespace machmeter
