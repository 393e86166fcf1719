// A device as the runtime of a program: one process of the host, and the device that
// MACHMETER_DEVICE names.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/openmp/library_threads.hpp"
#include "core/session/benchmark.hpp"
#include "core/session/session.hpp"
#include "core/session/team.hpp"
#include "device/device.hpp"
#include "device/listing.hpp"
#include "device/state/device_state.hpp"
#include "device/state/observers.hpp"
#include "device/units.hpp"

namespace machmeter {

class DeviceRuntime {
   public:
    static constexpr const char* program = "machmeter-device";
    using Team = SingleTeam;
    using Session = BasicSession<DeviceRuntime>;
    struct Needs {};

    // Without the variable: the first that there is. Threads that a device starts on CPUs of the
    // host are bound as those of the layout are.
    void start(const Needs& /*needs*/, const Arguments& /*arguments*/, int& /*count*/,
               char**& /*words*/) {
        const bool bound = omp_get_proc_bind() != omp_proc_bind_false;
        const std::vector<Cpus> cpus = bound ? cpus_of_team() : std::vector<Cpus>{};
        const std::vector<int> before = threads_of_process();
        {
            std::optional<OnAll> on_all;
            if (bound) {
                on_all.emplace(cpus);
            }
            const char* name = std::getenv(device_variable);
            device_ = open_device(name != nullptr && *name != '\0' ? name : "0");
        }
        const std::vector<int> after = threads_of_process();
        std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                            std::back_inserter(started_));
        if (bound && device_->description().is_host) {
            placed_ = PlacedThreads(started_, cpus);
        }
        const DeviceDescription& opened = device_->description();
        observer_ = observer_of(opened.vendor, opened.bus, gpu_name_of(opened.uuid));
    }

    [[nodiscard]] Device& device() const { return *device_; }
    // That its library started in this process.
    [[nodiscard]] std::size_t threads() const { return started_.size(); }
    // Empty while they are where they were bound; else the words of it, to end a sentence with.
    [[nodiscard]] std::string misplaced() const {
        return placed_.hold() ? "" : "; a thread of the device is not where it was bound";
    }
    // For the header of the record.
    [[nodiscard]] std::string described_device() const {
        DeviceDescription described = device_->description();
        if (observer_ != nullptr) {
            const DeviceState state = observer_->observe();
            described.mig = state.mig;
            described.power_limit_w = state.power_limit_w;
        }
        if (described.api == "cuda") {
            described.observed_units = observed_units(*device_);
        }
        return described.to_json();
    }
    // Around a point: from its begin until its samples were taken.
    void begin_watch(const Clock& clock) { watch_.emplace(observer_.get(), clock); }
    void end_watch() {
        if (watch_) {
            watch_->end();
        }
    }
    // What it saw.
    [[nodiscard]] std::string watched() { return watch_ ? watch_->to_json() : ""; }
    // Why a point is not measured, and the others are.
    using NoRoom = NoRoomOnDevice;
    [[nodiscard]] double compile_seconds() const { return device_->compile_seconds(); }

    [[nodiscard]] const Team& team() const { return team_; }
    static std::string linked_library() { return ""; }
    static std::string transport() { return "{}"; }
    static void start_progress() {}
    static std::string observe_progress() { return ""; }
    static void require(const Benchmark<DeviceRuntime>& /*benchmark*/) {}
    static void finish() {}
    static void abandon(int /*code*/) {}

   private:
    Team team_;
    std::unique_ptr<Device> device_;
    std::unique_ptr<DeviceObserver> observer_;
    std::optional<StateWatch> watch_;
    std::vector<int> started_;
    PlacedThreads placed_;
};

using DeviceSession = DeviceRuntime::Session;
using RegisterDeviceBenchmark = RegisterBenchmark<DeviceRuntime>;

}  // namespace machmeter
