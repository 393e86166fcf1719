// The driver of NVIDIA's devices, and what it says of them.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "device/api/cuda.hpp"
#include "device/device.hpp"
#include "device/pci.hpp"

namespace machmeter {

inline constexpr const char* cuda_library = "libcuda.so.1";

// Why the driver, which is there, has no device: which of device, permission and library is
// missing. error: of cuInit or of asking for devices, by its name; control: the file by which a
// process reaches the kernel's part of the driver.
inline std::string why_no_cuda(cuda::Result error, const std::string& name,
                               const std::string& control = "/dev/nvidiactl") {
    if (access(control.c_str(), F_OK) != 0) {
        return "no device: there is no " + control +
               ", so the kernel module nvidia is not loaded, or this container was started without "
               "devices";
    }
    if (access(control.c_str(), R_OK | W_OK) != 0) {
        return "no permission: this user may not open " + control;
    }
    if (error == cuda::no_device) {
        const char* allowed = std::getenv("CUDA_VISIBLE_DEVICES");
        return std::string("no device: the driver finds none that this process may use") +
               (allowed != nullptr ? std::string(" (CUDA_VISIBLE_DEVICES=") + allowed + ")" : "");
    }
    return "cuInit failed: " + name + " (" + std::to_string(error) + ")";
}

class CudaDriver {
   public:
    // Code of NVRTC 11.8 runs on drivers for CUDA 11.0 and later (NVIDIA, CUDA Compatibility).
    static constexpr int oldest_version = 11'000;

    // Throws NoLibrary, DeviceError.
    explicit CudaDriver(const std::string& library = cuda_library)
        : functions(SharedLibrary({library})) {
        const cuda::Result error = functions.initialize(0);
        if (error != cuda::success) {
            throw NoDevice(why_no_cuda(error, name_of(error)));
        }
        require(functions.driver_version(&version), "cuDriverGetVersion");
        if (version < oldest_version) {
            throw NoDevice("the driver is too old: it supports " + version_text() +
                           ", and CUDA 11.0 is needed");
        }
        require(functions.device_count(&count), "cuDeviceGetCount");
        if (count == 0) {
            throw NoDevice(why_no_cuda(cuda::no_device, ""));
        }
    }

    void require(cuda::Result error, const std::string& call) const {
        if (error != cuda::success) {
            throw DeviceError(call + " of CUDA failed: " + name_of(error) + " (" +
                              std::to_string(error) + ")");
        }
    }

    [[nodiscard]] cuda::Device device(int number) const {
        cuda::Device found = 0;
        require(functions.device(&found, number), "cuDeviceGet");
        return found;
    }

    [[nodiscard]] DeviceDescription describe(int number) const {
        const cuda::Device device = this->device(number);
        DeviceDescription found;
        found.api = "cuda";
        // As NVIDIA's OpenCL says.
        found.platform = "NVIDIA CUDA";
        found.vendor = "NVIDIA Corporation";
        found.kind = "gpu";
        char name[256] = {};
        require(functions.device_name(name, sizeof name - 1, device), "cuDeviceGetName");
        found.name = name;
        std::ifstream("/sys/module/nvidia/version") >> found.driver;
        found.runtime = version_text();
        cuda::Uuid uuid{};
        require(functions.device_uuid(&uuid, device), "cuDeviceGetUuid");
        for (const unsigned char byte : uuid.bytes) {
            char digits[3];
            std::snprintf(digits, sizeof digits, "%02x", byte);
            found.uuid += digits;
        }
        found.architecture = "sm_" + std::to_string(attribute(device, cuda::capability_major)) +
                             std::to_string(attribute(device, cuda::capability_minor));
        found.units = known(device, cuda::multiprocessors);
        found.clock_hz = known(device, cuda::clock_khz, 1000);
        found.cache_bytes = known(device, cuda::cache_bytes);
        std::size_t memory = 0;
        require(functions.device_memory(&memory, device), "cuDeviceTotalMem");
        found.memory_bytes = memory;
        found.double_precision = true;
        found.ecc = attribute(device, cuda::error_correction) != 0;
        found.bus = pci_name(static_cast<unsigned>(attribute(device, cuda::pci_domain)),
                             static_cast<unsigned>(attribute(device, cuda::pci_bus)),
                             static_cast<unsigned>(attribute(device, cuda::pci_device)), 0);
        describe_pci("/sys/bus/pci/devices/" + found.bus, found);
        return found;
    }

    cuda::Functions functions;
    int version = 0;
    int count = 0;

   private:
    [[nodiscard]] std::string name_of(cuda::Result error) const {
        const char* name = nullptr;
        return functions.error_name(error, &name) == cuda::success && name != nullptr ? name
                                                                                      : "unknown";
    }

    // 12040 is CUDA 12.4.
    [[nodiscard]] std::string version_text() const {
        return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    }

    [[nodiscard]] int attribute(cuda::Device device, int which) const {
        int value = 0;
        require(functions.attribute(&value, which, device),
                "cuDeviceGetAttribute of " + std::to_string(which));
        return value;
    }

    // 0 is no answer.
    [[nodiscard]] std::optional<std::uint64_t> known(cuda::Device device, int which,
                                                     std::uint64_t unit = 1) const {
        const int value = attribute(device, which);
        return value > 0 ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(value) * unit)
                         : std::nullopt;
    }
};

}  // namespace machmeter
