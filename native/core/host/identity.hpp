// Which clock a process reads: processes with the same source read the same CLOCK_MONOTONIC.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "core/host/places.hpp"
#include "core/values/random_bits.hpp"

namespace machmeter {

inline std::uint64_t name_key(std::string_view name) {
    std::uint64_t key = name.size();
    for (const char character : name) {
        key = mix(key + golden_step + static_cast<unsigned char>(character));
    }
    return key;
}

// The start of the kernel that a process runs under (random(4)), the same in all its namespaces.
// Empty where the kernel does not tell.
inline std::string kernel_start() {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    return boot;
}

// The same for processes that share the memory and the CPUs of a machine, whatever their host is
// called where they run.
inline std::uint64_t machine_key() {
    const std::string boot = kernel_start();
    return name_key(boot.empty() ? host_name() : boot);
}

// Host, start of its kernel and time namespace (random(4), time_namespaces(7)). Empty where the
// kernel does not tell when it started.
inline std::string clock_source() {
    const std::string boot = kernel_start();
    if (boot.empty()) {
        return {};
    }
    char time_namespace[64] = {};
    const ssize_t length =
        readlink("/proc/self/ns/time", time_namespace, sizeof time_namespace - 1);
    return host_name() + " " + boot + " " + (length > 0 ? time_namespace : "");
}

}  // namespace machmeter
