// The state of a device of NVIDIA's, by its management library.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/api/nvml.hpp"
#include "device/state/device_state.hpp"

namespace machmeter {

inline constexpr const char* nvml_library = "libnvidia-ml.so.1";

// Names of the bits, as of `nvidia-smi --query-gpu=clocks_event_reasons.*`.
inline std::vector<std::string> clock_reasons_of(unsigned long long bits) {
    constexpr const char* names[] = {"gpu_idle",
                                     "applications_clocks_setting",
                                     "sw_power_cap",
                                     "hw_slowdown",
                                     "sync_boost",
                                     "sw_thermal_slowdown",
                                     "hw_thermal_slowdown",
                                     "hw_power_brake_slowdown",
                                     "display_clock_setting"};
    std::vector<std::string> found;
    for (const char* name : names) {
        if ((bits & 1U) != 0) {
            found.emplace_back(name);
        }
        bits >>= 1U;
    }
    if (bits != 0) {
        found.emplace_back("others");
    }
    return found;
}

// Whether it is of the service by which processes share a device (NVIDIA, Multi-Process Service),
// which has a context there while one of them does. processes: the folder of Linux.
inline bool is_sharing_service(unsigned pid, const std::string& processes = "/proc") {
    std::ifstream file(processes + "/" + std::to_string(pid) + "/comm");
    std::string name;  // its first 15 characters
    std::getline(file, name);
    return name == "nvidia-cuda-mps";
}

// How many of the processes that compute on a device are not this one, which does. Their numbers
// are those of the host: in a container this one has another, and is one of several all the same.
// listed: how many there are, of which `pids` may hold some. Nothing where that cannot be said.
inline std::optional<std::uint64_t> others_of(const std::vector<unsigned>& pids, unsigned listed,
                                              unsigned own) {
    const bool known = std::find(pids.begin(), pids.end(), own) != pids.end();
    return known || listed > 1 ? std::optional<std::uint64_t>(listed - 1) : std::nullopt;
}

class NvmlObserver : public DeviceObserver {
   public:
    // Found by its place on the bus, else (empty) by its name `GPU-<uuid>`: numbers of NVML are in
    // an order of their own. Throws NoLibrary, also where that knows no such device.
    NvmlObserver(const std::string& bus, const std::string& name,
                 const std::string& library = nvml_library)
        : functions_(SharedLibrary({library})) {
        nvml::Result error = functions_.initialize();
        if (error == nvml::success) {
            error = bus.empty() ? functions_.by_uuid(name.c_str(), &handle_)
                                : functions_.by_bus(bus.c_str(), &handle_);
        }
        if (error != nvml::success) {
            throw NoLibrary("NVML has no device " + (bus.empty() ? name : bus) + ": error " +
                            std::to_string(error));
        }
    }

    [[nodiscard]] DeviceState observe() const override {
        const nvml::Functions& of = functions_;
        DeviceState found;
        found.sm_clock_hz = hertz(value<unsigned>(of.clock_mhz, nvml::sm_clock));
        found.memory_clock_hz = hertz(value<unsigned>(of.clock_mhz, nvml::memory_clock));
        if (const auto bits = value<unsigned long long>(of.clock_reasons)) {
            found.clock_reasons = clock_reasons_of(*bits);
        }
        found.temperature_celsius = value<unsigned>(of.temperature, nvml::sensor_of_gpu);
        found.power_limit_w = thousandth(value<unsigned>(of.limit_milliwatts));
        found.pcie_generation = value<unsigned>(of.link_generation);
        found.pcie_width = value<unsigned>(of.link_width);
        found.ecc = mode(of.ecc_mode);
        found.mig = mode(of.mig_mode);
        // Of a divided device these are of all parts together.
        if (found.mig != true) {
            found.power_w = thousandth(value<unsigned>(of.power_milliwatts));
            found.energy_joules = thousandth(value<unsigned long long>(of.energy_millijoules));
            found.other_processes = other_processes();
        }
        return found;
    }

   private:
    // Nothing where the library lacks the function, or the device does not support it.
    template <class Value, class Function, class... Which>
    [[nodiscard]] std::optional<Value> value(Function* function, Which... which) const {
        Value found{};
        if (function == nullptr || function(handle_, which..., &found) != nvml::success) {
            return std::nullopt;
        }
        return found;
    }

    template <class Function>
    [[nodiscard]] std::optional<bool> mode(Function* function) const {
        unsigned current = 0;
        unsigned pending = 0;
        if (function == nullptr || function(handle_, &current, &pending) != nvml::success) {
            return std::nullopt;
        }
        return current == nvml::enabled;
    }

    [[nodiscard]] std::optional<std::uint64_t> other_processes() const {
        constexpr unsigned most = 64;
        nvml::Process processes[most];
        unsigned count = most;
        const nvml::Result error =
            functions_.processes != nullptr ? functions_.processes(handle_, &count, processes) : -1;
        std::vector<unsigned> pids;
        if (error == nvml::success) {
            for (const nvml::Process& one : std::span(processes).first(std::min(count, most))) {
                if (is_sharing_service(one.pid)) {
                    --count;
                } else {
                    pids.push_back(one.pid);
                }
            }
        } else if (error != nvml::insufficient_size) {
            return std::nullopt;
        }
        return others_of(pids, count, static_cast<unsigned>(getpid()));
    }

    static std::optional<std::uint64_t> hertz(std::optional<unsigned> megahertz) {
        return megahertz ? std::optional<std::uint64_t>(*megahertz * std::uint64_t{1'000'000})
                         : std::nullopt;
    }

    template <class Value>
    static std::optional<double> thousandth(std::optional<Value> of) {
        return of ? std::optional<double>(static_cast<double>(*of) / 1e3) : std::nullopt;
    }

    nvml::Functions functions_;
    nvml::Handle handle_ = nullptr;
};

}  // namespace machmeter
