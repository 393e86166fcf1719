// How much memory the machine has left, and how much this process holds (proc(5)).
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace machmeter {

// Bytes that can be had without swapping (MemAvailable); infinite where the kernel reports none.
double available_memory_bytes();

// Throws UsageError unless `bytes` fit into `available`. `what` begins the message: the parameter,
// a colon, and what needs the memory.
void require_memory(const std::string& what, double bytes, double available);

// Bytes of this process: all that is resident, and how much of it is shared (VmRSS, RssShmem).
struct ProcessMemory {
    std::uint64_t resident = 0;
    std::uint64_t shared = 0;
};

ProcessMemory process_memory();
ProcessMemory read_process_memory(std::istream& status);

}  // namespace machmeter
