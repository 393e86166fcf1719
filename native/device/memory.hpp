// Memory of a device, as core/memory/memory.hpp has it for the host.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/memory/memory.hpp"
#include "device/device.hpp"

namespace machmeter {

class DeviceMemory {
   public:
    // Where the device is the host, on pages of this size, which are used in place and untouched at
    // first; else as the device has it. Throws DeviceError, std::runtime_error.
    DeviceMemory(Device& device, std::size_t bytes, std::size_t page_bytes)
        : device_(device), bytes_(bytes) {
        if (device.description().is_host) {
            pages_.emplace(bytes, page_bytes);
        }
        handle_ = device.allocate(bytes, pages_ ? pages_->as<void>() : nullptr);
    }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
    ~DeviceMemory() { device_.free(handle_); }

    // As kernels take it.
    [[nodiscard]] const DeviceHandle& handle() const { return handle_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    // As other libraries take it; null where the API has none.
    [[nodiscard]] std::byte* address() const {
        if (pages_) {
            return pages_->as<std::byte>();
        }
        const bool is_pointer = device_.description().api == "cuda";
        return is_pointer ? reinterpret_cast<std::byte*>(handle_) : nullptr;
    }

    // Element i becomes `value(i)`.
    template <class T, class Value>
    void fill(Value&& value) const {
        std::vector<T> elements(bytes_ / sizeof(T));
        for (std::size_t i = 0; i < elements.size(); ++i) {
            elements[i] = value(i);
        }
        device_.upload(handle_, elements.data(), bytes_);
    }

    template <class T>
    [[nodiscard]] std::vector<T> read() const {
        std::vector<T> elements(bytes_ / sizeof(T));
        device_.download(elements.data(), handle_, bytes_);
        return elements;
    }

    // After the first touch of all of it; no page size where the device has its own memory.
    [[nodiscard]] MemoryDescription describe() const {
        return pages_ ? pages_->describe() : MemoryDescription{};
    }

   private:
    Device& device_;
    std::size_t bytes_;
    std::optional<Memory> pages_;
    DeviceHandle handle_ = 0;
};

}  // namespace machmeter
