// The state of a device of AMD's, by the files of its driver (Linux, "AMDGPU driver", sysfs).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "device/state/device_state.hpp"

namespace machmeter {

class AmdObserver : public DeviceObserver {
   public:
    // folder: of the device on the PCI bus, as below /sys/bus/pci/devices.
    explicit AmdObserver(std::filesystem::path folder) : folder_(std::move(folder)) {
        std::error_code none;
        for (const auto& one : std::filesystem::directory_iterator(folder_ / "hwmon", none)) {
            sensors_ = one.path();
        }
    }

    // Whether it is one of theirs.
    [[nodiscard]] bool readable() const { return !line_of(folder_ / "pp_dpm_sclk").empty(); }

    [[nodiscard]] DeviceState observe() const override {
        DeviceState found;
        found.sm_clock_hz = clock_of("pp_dpm_sclk");
        found.memory_clock_hz = clock_of("pp_dpm_mclk");
        found.temperature_celsius = sensor("temp1_input", 1e-3);
        found.power_w = sensor("power1_average", 1e-6);
        if (!found.power_w) {
            found.power_w = sensor("power1_input", 1e-6);
        }
        found.power_limit_w = sensor("power1_cap", 1e-6);
        const double speed = number_of(folder_ / "current_link_speed").value_or(0);
        // 2.5, 5, 8, 16, 32 and 64 GT/s.
        if (speed >= 2.5) {
            found.pcie_generation = static_cast<std::uint64_t>(std::lround(std::log2(speed)));
        }
        if (const auto width = number_of(folder_ / "current_link_width"); width && *width > 0) {
            found.pcie_width = static_cast<std::uint64_t>(*width);
        }
        return found;
    }

   private:
    static std::string line_of(const std::filesystem::path& path) {
        std::ifstream file(path);
        std::string line;
        std::getline(file, line);
        return line;
    }

    static std::optional<double> number_of(const std::filesystem::path& path) {
        const std::string line = line_of(path);
        char* end = nullptr;
        const double value = std::strtod(line.c_str(), &end);
        return end == line.c_str() ? std::nullopt : std::optional<double>(value);
    }

    [[nodiscard]] std::optional<double> sensor(const char* name, double unit) const {
        const std::optional<double> value =
            sensors_.empty() ? std::nullopt : number_of(sensors_ / name);
        return value ? std::optional<double>(*value * unit) : std::nullopt;
    }

    // Lines such as `1: 1700Mhz *`: the star is at the clock that it has.
    [[nodiscard]] std::optional<std::uint64_t> clock_of(const char* name) const {
        std::ifstream file(folder_ / name);
        for (std::string line; std::getline(file, line);) {
            const std::size_t at = line.find(": ");
            if (line.ends_with('*') && at != std::string::npos) {
                return std::strtoull(line.c_str() + at + 2, nullptr, 10) * 1'000'000;
            }
        }
        return std::nullopt;
    }

    std::filesystem::path folder_;
    std::filesystem::path sensors_;
};

}  // namespace machmeter
