// device.copy: copies of a block between the memory of the host and that of a device, one after
// another, each until the host may use what was copied; or of two blocks, one each way at once.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "core/clock/clock.hpp"
#include "device/copies/block.hpp"
#include "device/runtime.hpp"

namespace machmeter {
namespace {

using device_copies::Block;
using device_copies::Direction;
using device_copies::Kind;

enum class Way { to_device, from_device, both };

class Copies {
   public:
    Copies(const Clock& clock, Device& device, Way way, Kind kind, std::size_t bytes,
           std::size_t page_bytes)
        : clock_(clock), device_(device) {
        if (way != Way::from_device) {
            blocks_.emplace_back(device, Direction::to_device, kind, bytes, page_bytes);
        }
        if (way != Way::to_device) {
            blocks_.emplace_back(device, Direction::from_device, kind, bytes, page_bytes);
        }
    }

    // Seconds of the copies alone.
    double operator()(std::uint64_t rounds) {
        double seconds = 0;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            for (Block& one : blocks_) {
                one.stamp();
            }
            seconds += time_alone(clock_, [&] { copy(); });
            for (Block& one : blocks_) {
                one.look();
            }
        }
        return seconds;
    }

    [[nodiscard]] bool are_right() const {
        return std::all_of(blocks_.begin(), blocks_.end(),
                           [](const Block& one) { return one.is_right(); });
    }

    // Of the pages of the host.
    [[nodiscard]] MemoryDescription describe() const { return blocks_.front().describe(); }

   private:
    void copy() {
        if (blocks_.size() == 1) {
            blocks_.front().copy();
            return;
        }
        for (Block& one : blocks_) {
            one.start();
        }
        device_.finish();
    }

    Clock clock_;
    Device& device_;
    std::deque<Block> blocks_;
};

PointResult measure(DeviceSession& session, const Parameters& point) {
    Device& device = session.runtime().device();
    const auto way = point.choice<Way>(
        "way",
        {{"to-device", Way::to_device}, {"from-device", Way::from_device}, {"both", Way::both}});
    const auto kind =
        point.choice<Kind>("host_memory", {{"pageable", Kind::pageable}, {"pinned", Kind::pinned}});
    const std::uint64_t bytes =
        point.count_within("size", device_copies::stamp_bytes, std::uint64_t{1} << 40U);
    Copies copies(session.clock(), device, way, kind, bytes, session.page_bytes());
    Samples taken = session.sample(copies);
    const bool right = copies.are_right();
    const std::string misplaced = session.runtime().misplaced();
    PointResult result(point);
    result.add_samples(std::move(taken))
        .check(right && misplaced.empty(),
               std::string("every copy had its stamp, and the last one all bytes") +
                   (right ? "" : ": no") + misplaced)
        .quantity("bytes", bytes);
    result.page_bytes = copies.describe().page_bytes;
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
