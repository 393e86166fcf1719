// Who says what a device is doing.
#pragma once

#include <memory>
#include <string>

#include "core/libraries/shared_library.hpp"
#include "device/state/amd_observer.hpp"
#include "device/state/device_state.hpp"
#include "device/state/nvml_observer.hpp"

namespace machmeter {

// Of a device of that vendor; bus, name: as of NvmlObserver. Null where nobody does.
inline std::unique_ptr<DeviceObserver> observer_of(const std::string& vendor,
                                                   const std::string& bus,
                                                   const std::string& name) {
    if (vendor.find("NVIDIA") != std::string::npos) {
        try {
            return std::make_unique<NvmlObserver>(bus, name);
        } catch (const NoLibrary&) {
            return nullptr;
        }
    }
    if (bus.empty()) {
        return nullptr;
    }
    auto by_files = std::make_unique<AmdObserver>("/sys/bus/pci/devices/" + bus);
    return by_files->readable() ? std::move(by_files) : nullptr;
}

}  // namespace machmeter
