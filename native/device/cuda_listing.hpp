// The devices that CUDA has, each named by what no other device has: `cuda:GPU-<uuid>`, or
// `cuda:MIG-<uuid>` for a part of a divided one. Their
// numbers are in no order that other programs have.
#pragma once

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/host/places.hpp"
#include "device/cuda_device.hpp"
#include "device/own_process.hpp"
#include "device/state/observers.hpp"

namespace machmeter {

inline constexpr const char* cuda_name = "cuda:";
inline constexpr const char* nvrtc_variable = "MACHMETER_NVRTC";

// Nothing where there is no driver.
inline std::vector<ListedDevice> list_cuda_devices(const std::string& library = cuda_library) {
    return list_in_own_process(library, [&] {
        std::vector<std::pair<std::string, DeviceDescription>> found;
        try {
            const CudaDriver driver(library);
            for (int i = 0; i < driver.count; ++i) {
                DeviceDescription one = driver.describe(i);
                if (const auto by = observer_of(one.vendor, one.bus, gpu_name_of(one.uuid))) {
                    one.mig = by->observe().mig;
                }
                const char* kind = one.mig == true ? "MIG" : "GPU";
                found.emplace_back(cuda_name + gpu_name_of(one.uuid, kind), std::move(one));
            }
        } catch (const NoLibrary& error) {
            const std::string absent = library + ": cannot open shared object";
            if (std::string(error.what()).find(absent) == std::string::npos) {
                throw;
            }
        }
        return found;
    });
}

// The number of the device with that uuid; nothing where this process may use no such device.
inline std::optional<int> cuda_number_of(const CudaDriver& driver, const std::string& uuid) {
    std::string digits = uuid.substr(uuid.starts_with("GPU-") || uuid.starts_with("MIG-") ? 4 : 0);
    std::erase(digits, '-');
    for (int i = 0; i < driver.count; ++i) {
        if (driver.describe(i).uuid == digits) {
            return i;
        }
    }
    return std::nullopt;
}

// Of such names those of devices of this node, as far as one can say: all but those of CUDA that it
// lacks.
inline std::vector<std::string> names_here(std::vector<std::string> names,
                                           const std::string& library = cuda_library) {
    const auto is_elsewhere = [&](const std::string& name) {
        try {
            return name.starts_with(cuda_name) &&
                   !cuda_number_of(CudaDriver(library), name.substr(name.find(':') + 1));
        } catch (const NoLibrary&) {
            return true;
        } catch (const NoDevice&) {
            return true;
        }
    };
    std::erase_if(names, is_elsewhere);
    return names;
}

// uuid: as in the list, or its digits alone; compiles: whether kernels, too. Throws NoLibrary,
// DeviceError.
inline std::unique_ptr<Device> open_cuda_device(const std::string& uuid,
                                                const std::string& library = cuda_library,
                                                bool compiles = true) {
    const CudaDriver driver(library);
    const std::optional<int> number = cuda_number_of(driver, uuid);
    if (!number) {
        throw NoDevice("none of the " + std::to_string(driver.count) +
                       " devices of CUDA that this process may use on " + host_name() +
                       " has that identifier");
    }
    const char* nvrtc = compiles ? std::getenv(nvrtc_variable) : "";
    if (compiles && (nvrtc == nullptr || *nvrtc == '\0')) {
        throw NoDevice(std::string(nvrtc_variable) +
                       " names no file of NVRTC, which compiles kernels");
    }
    return std::make_unique<CudaDevice>(driver, *number, nvrtc);
}

}  // namespace machmeter
