// What is used of NVIDIA's management library, declared by hand (NVIDIA, NVML API Reference). Most
// devices and drivers know less than all of it: what a library lacks is null here.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/libraries/shared_library.hpp"

namespace machmeter::nvml {

using Handle = struct DeviceOfNvml*;
using Result = int;

inline constexpr Result success = 0;
inline constexpr Result insufficient_size = 7;

inline constexpr int sm_clock = 1;
inline constexpr int memory_clock = 2;
inline constexpr int sensor_of_gpu = 0;
inline constexpr unsigned enabled = 1;

// nvmlProcessInfo_t, in which the instances of a divided device came with the second version.
struct Process {
    unsigned pid;
    std::uint64_t memory_bytes;
    unsigned instances[2];
};

struct Functions {
    // Throws NoLibrary.
    explicit Functions(const SharedLibrary& library) {
        library.load(initialize, "nvmlInit_v2");
        library.load(by_bus, "nvmlDeviceGetHandleByPciBusId_v2");
        library.load(by_uuid, "nvmlDeviceGetHandleByUUID");
        const auto seek = [&](auto*& function, const char* name) {
            void* const found = function == nullptr ? library.find(name) : nullptr;
            if (found != nullptr) {
                function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
            }
        };
        seek(clock_mhz, "nvmlDeviceGetClockInfo");
        seek(clock_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
        seek(clock_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");  // until driver 535
        seek(temperature, "nvmlDeviceGetTemperature");
        seek(power_milliwatts, "nvmlDeviceGetPowerUsage");
        seek(limit_milliwatts, "nvmlDeviceGetEnforcedPowerLimit");
        seek(energy_millijoules, "nvmlDeviceGetTotalEnergyConsumption");
        seek(link_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
        seek(link_width, "nvmlDeviceGetCurrPcieLinkWidth");
        seek(ecc_mode, "nvmlDeviceGetEccMode");
        seek(mig_mode, "nvmlDeviceGetMigMode");
        // Of the third version some drivers (535.43 to 535.86) have a longer Process.
        seek(processes, "nvmlDeviceGetComputeRunningProcesses_v2");
    }

    Result (*initialize)() = nullptr;
    Result (*by_bus)(const char*, Handle*) = nullptr;
    Result (*by_uuid)(const char*, Handle*) = nullptr;
    Result (*clock_mhz)(Handle, int which, unsigned*) = nullptr;
    Result (*clock_reasons)(Handle, unsigned long long*) = nullptr;
    Result (*temperature)(Handle, int sensor, unsigned*) = nullptr;
    Result (*power_milliwatts)(Handle, unsigned*) = nullptr;
    Result (*limit_milliwatts)(Handle, unsigned*) = nullptr;
    Result (*energy_millijoules)(Handle, unsigned long long*) = nullptr;
    Result (*link_generation)(Handle, unsigned*) = nullptr;
    Result (*link_width)(Handle, unsigned*) = nullptr;
    Result (*ecc_mode)(Handle, unsigned* current, unsigned* pending) = nullptr;
    Result (*mig_mode)(Handle, unsigned* current, unsigned* pending) = nullptr;
    Result (*processes)(Handle, unsigned* count, Process*) = nullptr;
};

}  // namespace machmeter::nvml
