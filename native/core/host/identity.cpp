#include "core/host/identity.hpp"

#include <unistd.h>

#include <fstream>

#include "core/host/places.hpp"
#include "core/values/random_bits.hpp"

namespace machmeter {

std::string kernel_boot() {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    return boot;
}

std::uint64_t name_key(std::string_view name) {
    std::uint64_t key = name.size();
    for (const char character : name) {
        key = mix(key + golden_step + static_cast<unsigned char>(character));
    }
    return key;
}

std::uint64_t machine_key() {
    const std::string boot = kernel_boot();
    return name_key(boot.empty() ? host_name() : boot);
}

std::string clock_source() {
    const std::string boot = kernel_boot();
    if (boot.empty()) {
        return {};
    }
    char time_namespace[64] = {};
    const ssize_t length =
        readlink("/proc/self/ns/time", time_namespace, sizeof time_namespace - 1);
    return host_name() + " " + boot + " " + (length > 0 ? time_namespace : "");
}

}  // namespace machmeter
