// device.copy: copies of a block between the memory of the host and that of a device, one after
// another, each until the host may use what was copied.
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "device/copies/host_memory.hpp"
#include "device/memory.hpp"
#include "device/runtime.hpp"

namespace machmeter {
namespace {

using device_copies::HostMemory;
using device_copies::Kind;

enum class Direction { to_device, from_device };

constexpr std::size_t stamp_bytes = sizeof(std::uint64_t);

std::byte content(std::size_t i) { return static_cast<std::byte>((i * 37 + 11) % 251); }

// Copies of one block; every one has a stamp of its own at its begin, which is looked for
// afterwards.
class Copies {
   public:
    Copies(const Clock& clock, Device& device, Direction direction, const HostMemory& host,
           std::size_t bytes, std::size_t page_bytes)
        : clock_(clock),
          device_(device),
          direction_(direction),
          host_(host.data()),
          bytes_(bytes),
          buffer_(device, bytes, page_bytes) {
        // Where copies go to has nothing of theirs before.
        std::memset(host_, 0, bytes_);
        if (direction_ == Direction::to_device) {
            device_.upload(buffer_.handle(), host_, bytes_);
            for (std::size_t i = 0; i < bytes_; ++i) {
                host_[i] = content(i);
            }
        } else {
            std::vector<std::byte> made(bytes_);
            for (std::size_t i = 0; i < bytes_; ++i) {
                made[i] = content(i);
            }
            device_.upload(buffer_.handle(), made.data(), bytes_);
        }
    }

    // Seconds of the copies alone.
    double operator()(std::uint64_t rounds) {
        double seconds = 0;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            ++stamp_;
            seconds += direction_ == Direction::to_device ? to_device() : from_device();
        }
        return seconds;
    }

    // Whether every copy had its stamp, and the last one all the rest.
    [[nodiscard]] bool are_right() const {
        std::vector<std::byte> found(bytes_);
        if (direction_ == Direction::to_device) {
            device_.download(found.data(), buffer_.handle(), bytes_);
        } else {
            std::memcpy(found.data(), host_, bytes_);
        }
        for (std::size_t i = stamp_bytes; i < bytes_; ++i) {
            if (found[i] != content(i)) {
                return false;
            }
        }
        return stamps_ == stamp_;
    }

   private:
    double to_device() {
        std::memcpy(host_, &stamp_, stamp_bytes);
        const double seconds =
            time_alone(clock_, [&] { device_.upload(buffer_.handle(), host_, bytes_); });
        std::uint64_t found = 0;
        device_.download(&found, buffer_.handle(), stamp_bytes);
        stamps_ += found == stamp_ ? 1 : 0;
        return seconds;
    }

    double from_device() {
        device_.upload(buffer_.handle(), &stamp_, stamp_bytes);
        const double seconds =
            time_alone(clock_, [&] { device_.download(host_, buffer_.handle(), bytes_); });
        stamps_ += std::memcmp(host_, &stamp_, stamp_bytes) == 0 ? 1 : 0;
        return seconds;
    }

    Clock clock_;
    Device& device_;
    Direction direction_;
    std::byte* host_;
    std::size_t bytes_;
    DeviceMemory buffer_;
    std::uint64_t stamp_ = 0;
    std::uint64_t stamps_ = 0;
};

PointResult measure(DeviceSession& session, const Parameters& point) {
    Device& device = session.runtime().device();
    const auto direction = point.choice<Direction>(
        "way", {{"to-device", Direction::to_device}, {"from-device", Direction::from_device}});
    const auto kind =
        point.choice<Kind>("host_memory", {{"pageable", Kind::pageable}, {"pinned", Kind::pinned}});
    const std::uint64_t bytes = point.count_within("size", stamp_bytes, std::uint64_t{1} << 40U);
    const HostMemory host(device, kind, bytes, session.page_bytes());
    Copies copies(session.clock(), device, direction, host, bytes, session.page_bytes());
    Samples taken = session.sample(copies);
    const bool right = copies.are_right();
    const bool placed = session.runtime().threads_in_place();
    PointResult result(point);
    result.add_samples(std::move(taken))
        .check(right && placed,
               std::string("every copy had its stamp, and the last one all bytes") +
                   (right ? "" : ": no") +
                   (placed ? "" : "; a thread of the device is not where it was bound"))
        .quantity("bytes", bytes);
    result.page_bytes = host.describe().page_bytes;
    return result;
}

void run_copy(DeviceSession& session) {
    session.record_each([&](const Parameters& point) { return measure(session, point); });
}

const RegisterDeviceBenchmark registered({"device.copy",
                                          {"way", "host_memory", "size"},
                                          &run_copy});

}  // namespace
}  // namespace machmeter
