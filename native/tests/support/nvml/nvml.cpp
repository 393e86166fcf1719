// Stands in for NVIDIA's management library, for the device of the stand-in of CUDA. As many
// drivers do, it lacks some functions.
#include "device/api/nvml.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace {

using machmeter::nvml::Result;

constexpr Result not_supported = 3;
constexpr Result not_found = 6;

int device = 0;

// STAND_IN_NVML_<name>; else the value.
unsigned setting(const char* name, unsigned otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : otherwise;
}

Result found_by(bool right, int** handle) {
    *handle = &device;
    return right ? machmeter::nvml::success : not_found;
}

Result given(const int* handle, unsigned value, unsigned* to) {
    *to = value;
    return handle == &device ? machmeter::nvml::success : not_found;
}

}  // namespace

extern "C" {

Result nvmlInit_v2() { return machmeter::nvml::success; }

Result nvmlDeviceGetHandleByPciBusId_v2(const char* bus, int** handle) {
    return found_by(std::strcmp(bus, "0000:c1:00.0") == 0, handle);
}

Result nvmlDeviceGetHandleByUUID(const char* uuid, int** handle) {
    return found_by(std::strcmp(uuid, "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf") == 0, handle);
}

Result nvmlDeviceGetClockInfo(int* handle, int which, unsigned* mhz) {
    return given(handle, which == machmeter::nvml::sm_clock ? 1'755 : 2'619, mhz);
}

// STAND_IN_NVML_REASONS: bits.
Result nvmlDeviceGetCurrentClocksThrottleReasons(int* handle, unsigned long long* bits) {
    *bits = setting("STAND_IN_NVML_REASONS", 4);
    return handle == &device ? machmeter::nvml::success : not_found;
}

Result nvmlDeviceGetTemperature(int* handle, int /*sensor*/, unsigned* celsius) {
    return given(handle, 41, celsius);
}

Result nvmlDeviceGetPowerUsage(int* handle, unsigned* milliwatts) {
    return given(handle, 120'500, milliwatts);
}

Result nvmlDeviceGetEnforcedPowerLimit(int* handle, unsigned* milliwatts) {
    return given(handle, 700'000, milliwatts);
}

// 50 J more with every look.
Result nvmlDeviceGetTotalEnergyConsumption(int* handle, unsigned long long* millijoules) {
    static unsigned long long so_far = 0;
    *millijoules = so_far += 50'000;
    return handle == &device ? machmeter::nvml::success : not_found;
}

Result nvmlDeviceGetCurrPcieLinkGeneration(int* handle, unsigned* generation) {
    return given(handle, 5, generation);
}

Result nvmlDeviceGetEccMode(int* /*handle*/, unsigned* /*current*/, unsigned* /*pending*/) {
    return not_supported;
}

// STAND_IN_NVML_MIG: 1 where it is divided.
Result nvmlDeviceGetMigMode(int* handle, unsigned* current, unsigned* pending) {
    *pending = 1;
    return given(handle, setting("STAND_IN_NVML_MIG", 0), current);
}

// STAND_IN_NVML_OTHERS: how many processes there are beside this one; STAND_IN_NVML_BESIDE: the
// number of another one.
Result nvmlDeviceGetComputeRunningProcesses_v2(int* handle, unsigned* count,
                                               machmeter::nvml::Process* processes) {
    const unsigned beside = setting("STAND_IN_NVML_BESIDE", 0);
    const unsigned listed = (beside != 0 ? 2 : 1) + setting("STAND_IN_NVML_OTHERS", 0);
    const bool fits = listed <= *count;
    for (unsigned i = 0; fits && i < listed; ++i) {
        processes[i] = {static_cast<unsigned>(getpid()) + i, 0, {0, 0}};
    }
    if (beside != 0 && fits) {
        processes[listed - 1].pid = beside;
    }
    const Result known = given(handle, listed, count);
    return fits ? known : machmeter::nvml::insufficient_size;
}
}
