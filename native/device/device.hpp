// A device that runs kernels over memory: what benchmarks need of any of them, whatever its
// vendor and its API.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/values/json.hpp"

namespace machmeter {

// A call of the device's API failed; the message says which, and how.
class DeviceError : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

// What would measure it has no such device, or lacks what every launch on it needs.
class NoDevice : public DeviceError {
   public:
    using DeviceError::DeviceError;
};

// Memory of a device could not be had.
class NoRoomOnDevice : public DeviceError {
   public:
    using DeviceError::DeviceError;
};

// What a device says of itself, and the system of it. Empty text and no value: unknown.
struct DeviceDescription {
    std::string api;
    std::string platform;
    std::string name;
    std::string kind;  // cpu, gpu or accelerator
    std::string vendor;
    std::string driver;
    std::string runtime;
    std::string compiler;
    std::string architecture;
    std::string uuid;
    std::string bus;  // of PCI, as Linux names it
    std::optional<std::uint64_t> units;
    std::optional<std::uint64_t> observed_units;  // on which a kernel ran
    std::optional<std::uint64_t> clock_hz;
    std::optional<std::uint64_t> memory_bytes;
    std::optional<std::uint64_t> cache_bytes;
    std::optional<bool> double_precision;
    std::optional<bool> ecc;
    std::optional<bool> mig;  // whether it is divided
    std::optional<std::uint64_t> numa;
    std::string local_cpus;
    std::string link;
    std::optional<double> power_limit_w;
    // Its processors are those of the host, and so is its memory.
    bool is_host = false;
    // Doubles of a vector that its units take at once.
    std::uint64_t native_doubles = 1;

    [[nodiscard]] std::string to_json() const {
        const auto text = [](const std::string& one) {
            return one.empty() ? "null" : json::quote(one);
        };
        const auto count = [](const std::optional<std::uint64_t>& one) {
            return one ? json::integer(*one) : "null";
        };
        const auto yes = [](const std::optional<bool>& one) {
            if (!one) {
                return "null";
            }
            return *one ? "true" : "false";
        };
        return json::Object{}
            .add("api", text(api))
            .add("platform", text(platform))
            .add("name", text(name))
            .add("kind", text(kind))
            .add("vendor", text(vendor))
            .add("driver", text(driver))
            .add("runtime", text(runtime))
            .add("compiler", text(compiler))
            .add("architecture", text(architecture))
            .add("uuid", text(uuid))
            .add("bus", text(bus))
            .add("units", count(units))
            .add("observed_units", count(observed_units))
            .add("clock_hz", count(clock_hz))
            .add("memory_bytes", count(memory_bytes))
            .add("cache_bytes", count(cache_bytes))
            .add("double_precision", yes(double_precision))
            .add("ecc", yes(ecc))
            .add("mig", yes(mig))
            .add("numa", count(numa))
            .add("local_cpus", text(local_cpus))
            .add("link", text(link))
            .add("power_limit_w", power_limit_w ? json::number(*power_limit_w) : "null")
            .str();
    }
};

// As NVIDIA's tools name a device; uuid: 32 hexadecimal digits; kind: `MIG` for a part of one.
inline std::string gpu_name_of(const std::string& uuid, const std::string& kind = "GPU") {
    return uuid.size() != 32
               ? uuid
               : kind + '-' + uuid.substr(0, 8) + '-' + uuid.substr(8, 4) + '-' +
                     uuid.substr(12, 4) + '-' + uuid.substr(16, 4) + '-' + uuid.substr(20);
}

// Of a buffer, a program or a kernel: 8 bytes in every API, as kernels take a buffer.
using DeviceHandle = std::uintptr_t;

// An argument of a kernel: its bytes, 4 or 8.
struct KernelArgument {
    const void* data;
    std::size_t bytes;
};

template <class Value>
KernelArgument argument(const Value& value) {
    static_assert(sizeof(Value) == 4 || sizeof(Value) == 8);
    return {&value, sizeof(Value)};
}

struct KernelGrid {
    std::size_t groups = 1;
    std::size_t group_items = 1;
};

// All of it throws DeviceError. Kernels run one after another; `upload`, `download` and `finish`
// wait, nothing else does.
class Device {
   public:
    Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    virtual ~Device() = default;

    [[nodiscard]] virtual const DeviceDescription& description() const = 0;

    // host: memory that serves as the buffer, where the device is the host; null: its own. Throws
    // NoRoomOnDevice.
    virtual DeviceHandle allocate(std::size_t bytes, void* host) = 0;
    virtual void free(DeviceHandle buffer) noexcept = 0;
    // Memory of the host that the device reads and writes itself, where it can: pinned.
    virtual void* allocate_pinned(std::size_t bytes) = 0;
    virtual void free_pinned(void* memory) noexcept = 0;
    // at: where in the buffer, bytes.
    virtual void upload(DeviceHandle to, const void* from, std::size_t bytes,
                        std::size_t at = 0) = 0;
    virtual void download(void* to, DeviceHandle from, std::size_t bytes, std::size_t at = 0) = 0;
    // These begin at once, beside kernels and, in a queue of its own each, beside each other.
    virtual void start_upload(DeviceHandle to, const void* from, std::size_t bytes) = 0;
    virtual void start_download(void* to, DeviceHandle from, std::size_t bytes) = 0;

    // A program of kernels in the language of all devices (device/kernels); definitions:
    // `NAME=VALUE`. An error has the words of the compiler.
    DeviceHandle compile(const std::string& text, const std::vector<std::string>& definitions) {
        const auto begin = std::chrono::steady_clock::now();
        const DeviceHandle program = compiled(text, definitions);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
        compile_seconds_ += spent.count();
        return program;
    }
    // In all calls of it. Some implementations compile once more for a grid, when it is launched.
    [[nodiscard]] double compile_seconds() const { return compile_seconds_; }
    virtual DeviceHandle kernel(DeviceHandle program, const std::string& name) = 0;
    virtual void launch(DeviceHandle kernel, KernelGrid grid,
                        const std::vector<KernelArgument>& arguments) = 0;
    // Kernels and copies.
    virtual void finish() = 0;

    // Whether `elapsed` is to know the times of kernels from now on, where that takes time of
    // theirs.
    virtual void keep_times(bool /*keep*/) {}
    // Seconds, by its own clock, in the kernels that were launched since the last call, all of
    // which have ended; 0 where it does not say of one of them.
    virtual double elapsed() = 0;
    // Seconds, by its own clock, from the launches of the kernels that `elapsed` spoke of last
    // until they started; 0 where it does not say.
    [[nodiscard]] virtual double queued() const { return 0; }

   private:
    virtual DeviceHandle compiled(const std::string& text,
                                  const std::vector<std::string>& definitions) = 0;

    double compile_seconds_ = 0;
};

}  // namespace machmeter
