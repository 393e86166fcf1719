// A block of the host's memory and one of a device that is copied to it, or from it; every copy has
// a stamp of its own at its begin and at its end, which are looked for afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "device/copies/host_memory.hpp"
#include "device/memory.hpp"

namespace machmeter::device_copies {

enum class Direction { to_device, from_device };

inline constexpr std::size_t stamp_bytes = sizeof(std::uint64_t);

inline std::byte content(std::size_t i) { return static_cast<std::byte>((i * 37 + 11) % 251); }

class Block {
   public:
    Block(Device& device, Direction direction, Kind kind, std::size_t bytes, std::size_t page_bytes)
        : device_(device),
          direction_(direction),
          bytes_(bytes),
          last_(bytes < 2 * stamp_bytes ? 0 : bytes - stamp_bytes),
          host_(device, kind, bytes, page_bytes),
          buffer_(device, bytes, page_bytes) {
        std::vector<std::byte> made(bytes_);
        for (std::size_t i = 0; i < bytes_; ++i) {
            made[i] = content(i);
        }
        // Where copies go to has nothing of theirs before.
        std::memset(host_.data(), 0, bytes_);
        if (direction_ == Direction::to_device) {
            device_.upload(buffer_.handle(), host_.data(), bytes_);
            std::memcpy(host_.data(), made.data(), bytes_);
        } else {
            device_.upload(buffer_.handle(), made.data(), bytes_);
        }
    }

    // Puts a stamp where the next copy comes from.
    void stamp() {
        ++stamp_;
        for (const std::size_t at : {std::size_t{0}, last_}) {
            if (direction_ == Direction::to_device) {
                std::memcpy(host_.data() + at, &stamp_, stamp_bytes);
            } else {
                device_.upload(buffer_.handle(), &stamp_, stamp_bytes, at);
            }
        }
    }

    // Until it has arrived.
    void copy() {
        if (direction_ == Direction::to_device) {
            device_.upload(buffer_.handle(), host_.data(), bytes_);
        } else {
            device_.download(host_.data(), buffer_.handle(), bytes_);
        }
    }

    // To arrive before the device has finished.
    void start() {
        if (direction_ == Direction::to_device) {
            device_.start_upload(buffer_.handle(), host_.data(), bytes_);
        } else {
            device_.start_download(host_.data(), buffer_.handle(), bytes_);
        }
    }

    // Looks for the stamps where the copy went to.
    void look() {
        std::uint64_t found[2];
        if (direction_ == Direction::to_device) {
            device_.download(&found[0], buffer_.handle(), stamp_bytes);
            device_.download(&found[1], buffer_.handle(), stamp_bytes, last_);
        } else {
            std::memcpy(&found[0], host_.data(), stamp_bytes);
            std::memcpy(&found[1], host_.data() + last_, stamp_bytes);
        }
        found_ += found[0] == stamp_ && found[1] == stamp_ ? 1 : 0;
    }

    // Whether every copy had its stamp, and the last one all the rest.
    [[nodiscard]] bool is_right() const {
        std::vector<std::byte> there(bytes_);
        if (direction_ == Direction::to_device) {
            device_.download(there.data(), buffer_.handle(), bytes_);
        } else {
            std::memcpy(there.data(), host_.data(), bytes_);
        }
        for (std::size_t i = stamp_bytes; i < (last_ > 0 ? last_ : bytes_); ++i) {
            if (there[i] != content(i)) {
                return false;
            }
        }
        return found_ == stamp_;
    }

    // Of the pages of the host.
    [[nodiscard]] MemoryDescription describe() const { return host_.describe(); }

   private:
    Device& device_;
    Direction direction_;
    std::size_t bytes_;
    // Where the second stamp is; in a block too small for two the first one.
    std::size_t last_;
    HostMemory host_;
    DeviceMemory buffer_;
    std::uint64_t stamp_ = 0;
    std::uint64_t found_ = 0;
};

}  // namespace machmeter::device_copies
