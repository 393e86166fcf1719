// The caches of a CPU as sysfs reports them (Documentation/ABI/testing/sysfs-devices-system-cpu),
// else the C library.
#pragma once

#include <cstddef>
#include <string>

namespace machmeter {

// Used where neither reports it.
inline constexpr std::size_t assumed_cache_bytes = std::size_t{64} << 20U;
inline constexpr std::size_t assumed_line_bytes = 64;

// Of the caches in the folder of one CPU: the largest size and the longest line; 0 where unknown.
std::size_t largest_cache_bytes(const std::string& cpu_folder);
std::size_t longest_line_bytes(const std::string& cpu_folder);

std::size_t last_cache_bytes(int cpu);

// Bytes of a cache line of this machine: a power of two, read once.
std::size_t line_bytes();

}  // namespace machmeter
