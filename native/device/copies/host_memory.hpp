// Memory of the host that copies go from and to.
#pragma once

#include <cstddef>
#include <optional>

#include "core/memory/memory.hpp"
#include "device/device.hpp"

namespace machmeter::device_copies {

enum class Kind { pageable, pinned };

class HostMemory {
   public:
    HostMemory(Device& device, Kind kind, std::size_t bytes, std::size_t page_bytes)
        : device_(device) {
        if (kind == Kind::pinned) {
            pinned_ = device.allocate_pinned(bytes);
        } else {
            pages_.emplace(bytes, page_bytes);
        }
    }
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;
    ~HostMemory() {
        if (pinned_ != nullptr) {
            device_.free_pinned(pinned_);
        }
    }

    [[nodiscard]] std::byte* data() const {
        return pages_ ? pages_->as<std::byte>() : static_cast<std::byte*>(pinned_);
    }
    // No page size where the device's library chose the pages.
    [[nodiscard]] MemoryDescription describe() const {
        return pages_ ? pages_->describe() : MemoryDescription{};
    }

   private:
    Device& device_;
    void* pinned_ = nullptr;
    std::optional<Memory> pages_;
};

}  // namespace machmeter::device_copies
