// What a device is doing, as its system says: read before and after a point, never while samples
// are taken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/values/json.hpp"

namespace machmeter {

// No value: unknown.
struct DeviceState {
    std::optional<std::uint64_t> sm_clock_hz;
    std::optional<std::uint64_t> memory_clock_hz;
    // Why its clock is not higher, by NVIDIA's names.
    std::optional<std::vector<std::string>> clock_reasons;
    std::optional<double> temperature_celsius;
    std::optional<double> power_w;
    std::optional<double> power_limit_w;
    std::optional<std::uint64_t> pcie_generation;
    std::optional<std::uint64_t> pcie_width;
    std::optional<bool> ecc;
    std::optional<bool> mig;
    // That compute on it, without this one.
    std::optional<std::uint64_t> other_processes;
    // Since its driver was loaded; not for the record.
    std::optional<double> energy_joules;

    [[nodiscard]] std::string to_json() const {
        const auto count = [](const std::optional<std::uint64_t>& one) {
            return one ? json::integer(*one) : "null";
        };
        const auto number = [](const std::optional<double>& one) {
            return one ? json::number(*one) : "null";
        };
        const auto yes = [](const std::optional<bool>& one) {
            if (!one) {
                return "null";
            }
            return *one ? "true" : "false";
        };
        return json::Object{}
            .add("sm_clock_hz", count(sm_clock_hz))
            .add("memory_clock_hz", count(memory_clock_hz))
            .add("clock_reasons", clock_reasons ? json::array(*clock_reasons, json::quote) : "null")
            .add("temperature_celsius", number(temperature_celsius))
            .add("power_w", number(power_w))
            .add("power_limit_w", number(power_limit_w))
            .add("pcie_generation", count(pcie_generation))
            .add("pcie_width", count(pcie_width))
            .add("ecc", yes(ecc))
            .add("mig", yes(mig))
            .add("other_processes", count(other_processes))
            .str();
    }
};

class DeviceObserver {
   public:
    DeviceObserver() = default;
    DeviceObserver(const DeviceObserver&) = delete;
    DeviceObserver& operator=(const DeviceObserver&) = delete;
    virtual ~DeviceObserver() = default;

    [[nodiscard]] virtual DeviceState observe() const = 0;
};

// From when it is made until samples of a point were taken: what is checked afterwards leaves the
// device idle.
class StateWatch {
   public:
    // Counters of energy change every 20 to 100 ms (arXiv 2312.02741).
    static constexpr double least_seconds_of_energy = 1;

    // observer: null where nothing can be observed.
    StateWatch(const DeviceObserver* observer, const Clock& clock)
        : observer_(observer), clock_(clock) {
        if (observer_ != nullptr) {
            before_ = observer_->observe();
        }
        begin_ = clock_.now();
    }

    // Samples were taken; the last call counts.
    void end() {
        if (observer_ != nullptr) {
            seconds_ = seconds_between(begin_, clock_.now());
            after_ = observer_->observe();
        }
    }

    // JSON; empty without an observer.
    [[nodiscard]] std::string to_json() {
        if (observer_ == nullptr) {
            return "";
        }
        if (!after_) {
            end();
        }
        std::string joules = "null";
        if (seconds_ >= least_seconds_of_energy && before_.energy_joules && after_->energy_joules) {
            joules = json::number(*after_->energy_joules - *before_.energy_joules);
        }
        return json::Object{}
            .add("seconds", json::number(seconds_))
            .add("energy_joules", joules)
            .add("before", before_.to_json())
            .add("after", after_->to_json())
            .str();
    }

   private:
    const DeviceObserver* observer_;
    Clock clock_;
    DeviceState before_;
    std::uint64_t begin_ = 0;
    double seconds_ = 0;
    std::optional<DeviceState> after_;
};

}  // namespace machmeter
