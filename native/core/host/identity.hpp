// Which machine and which clock a process has: processes with the same clock source read the same
// CLOCK_MONOTONIC.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace machmeter {

std::uint64_t name_key(std::string_view name);

// The same for processes that share the memory and the CPUs of a machine, whatever the name of
// their host.
std::uint64_t machine_key();

// The boot of the kernel (random(4)), the same in all its namespaces; empty where not reported.
std::string kernel_boot();

// Host, boot of its kernel and time namespace (random(4), time_namespaces(7)); empty where the
// kernel does not report its boot.
std::string clock_source();

}  // namespace machmeter
