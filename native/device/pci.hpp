// What Linux says of a device on the PCI bus.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "device/device.hpp"

namespace machmeter {

// As below /sys/bus/pci/devices.
inline std::string pci_name(unsigned domain, unsigned bus, unsigned device, unsigned function) {
    char name[40];
    std::snprintf(name, sizeof name, "%04x:%02x:%02x.%x", domain, bus, device, function);
    return name;
}

// Sets its NUMA domain, the CPUs beside it, and its link, as far as the folder says. A machine
// without domains says -1: unknown, and not domain 0.
inline void describe_pci(const std::string& folder, DeviceDescription& device) {
    const auto line_of = [&](const char* name) {
        std::ifstream file(folder + "/" + name);
        std::string line;
        std::getline(file, line);
        return line;
    };
    const std::string domain = line_of("numa_node");
    if (!domain.empty() && domain.front() != '-') {
        device.numa = std::strtoull(domain.c_str(), nullptr, 10);
    }
    device.local_cpus = line_of("local_cpulist");
    const std::string width = line_of("current_link_width");
    const std::string speed = line_of("current_link_speed");
    if (!width.empty() && !speed.empty()) {
        device.link = "x" + width + ", " + speed;
    }
}

}  // namespace machmeter
