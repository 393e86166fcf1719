// A chain of places in the memory of a device, one a line, which a single item follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/host/caches.hpp"
#include "device/device.hpp"
#include "device/memory.hpp"
#include "memory/latency/chase.hpp"

namespace machmeter::device_latency {

// Lines of devices that are not the host: of L2 of GPUs (NVIDIA, CUDA C++ Best Practices Guide,
// "coalesced access"; 128 bytes of AMD's CDNA too).
inline constexpr std::size_t usual_line_bytes = 128;

inline std::size_t line_bytes_of(const DeviceDescription& device) {
    return device.is_host ? line_bytes() : usual_line_bytes;
}

class Chain {
   public:
    // lines: at least 2.
    Chain(Device& device, DeviceHandle program, std::size_t lines, std::uint64_t seed,
          std::size_t page_bytes)
        : device_(device),
          stride_(line_bytes_of(device.description()) / sizeof(std::uint64_t)),
          next_(device, lines * line_bytes_of(device.description()), page_bytes),
          at_(device, sizeof(std::uint64_t), page_bytes),
          kernel_(device.kernel(program, "latency_chase")) {
        shuffle_order(order_, lines, seed);
        std::vector<std::uint64_t> places(lines * stride_, 0);
        for (std::size_t i = 0; i < lines; ++i) {
            places[order_[i] * stride_] = order_[i + 1 < lines ? i + 1 : 0] * stride_;
        }
        next_.fill<std::uint64_t>([&](std::size_t i) { return places[i]; });
        const std::uint64_t first = order_.front() * stride_;
        at_.fill<std::uint64_t>([&](std::size_t) { return first; });
    }

    // Follow so many lines from where the last walk ended, and wait.
    void follow(std::uint64_t loads) {
        device_.launch(kernel_, {},
                       {argument(next_.handle()), argument(at_.handle()), argument(loads)});
        device_.finish();
        loads_ += loads;
    }

    // Whether the walk is where the number of its loads leads.
    [[nodiscard]] bool is_where_it_should() const {
        const std::vector<std::uint64_t> found = at_.read<std::uint64_t>();
        return found.front() == order_[loads_ % order_.size()] * stride_;
    }

    [[nodiscard]] std::size_t page_bytes() const { return next_.describe().page_bytes; }

   private:
    Device& device_;
    std::size_t stride_;
    DeviceMemory next_;
    DeviceMemory at_;
    DeviceHandle kernel_;
    std::vector<std::uint32_t> order_;
    std::uint64_t loads_ = 0;
};

}  // namespace machmeter::device_latency
