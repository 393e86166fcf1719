// Chains of multiply-adds on a device, operands in registers.
//
// Each item has eight chains x := x * 1 + 1 of whole numbers: a device that leaves out one step of
// one chain has another sum. The factors are arguments, so that no compiler knows them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/clock/clock.hpp"
#include "device/kernels/arithmetic.hpp"
#include "device/memory.hpp"

namespace machmeter::device_arithmetic {

inline constexpr std::size_t chains = 8;
// That a kernel makes at once.
inline constexpr std::uint64_t steps_together = 8;
// Whole numbers of a float are exact up to 2^24.
inline constexpr std::uint64_t most_steps = std::uint64_t{1} << 23U;

// lanes: Reals of a Vector, as many as the units take at once; OpenCL has no vector of more
// than 16.
struct Grid {
    std::size_t lanes;
    KernelGrid items;

    [[nodiscard]] std::size_t count() const { return items.groups * items.group_items; }
};

inline Grid grid_for(const DeviceDescription& device, const std::string& real) {
    const std::size_t units = device.units.value_or(1);
    if (device.is_host) {
        const auto doubles = std::min<std::size_t>(device.native_doubles, 8);
        return {real == "double" ? doubles : 2 * doubles, {4 * units, 1}};
    }
    return {1, {32 * units, 256}};
}

inline DeviceHandle compile(Device& device, const Grid& grid, const std::string& real,
                            const std::string& text) {
    const std::string vector = grid.lanes == 1 ? real : real + std::to_string(grid.lanes);
    return device.compile(text,
                          {"Real=" + real, "Vector=" + vector, "LANES=1",
                           "GROUP_ITEMS=" + std::to_string(grid.items.group_items), "STRETCHES=1"});
}

template <class Real>
class Chains {
   public:
    Chains(Device& device, const Grid& grid, DeviceHandle program, std::size_t page_bytes)
        : device_(device),
          grid_(grid),
          results_(device, grid.count() * chains * grid.lanes * sizeof(Real), page_bytes),
          kernel_(device.kernel(program, "arithmetic_fma")) {
        results_.template fill<Real>([](std::size_t) { return Real{-1}; });
    }

    // steps: a multiple of `steps_together`. Each launch begins with other numbers, so that one
    // that did nothing has the wrong ones.
    void start(std::uint64_t steps) {
        const Real one = 1;
        first_ = first_ % 1024 + 1;
        const Real first = static_cast<Real>(first_);
        device_.launch(kernel_, grid_.items,
                       {argument(results_.handle()), argument(first), argument(one), argument(one),
                        argument(steps)});
        steps_ = steps;
    }

    // Until all have made so many steps.
    void run(std::uint64_t steps) {
        start(steps);
        device_.finish();
    }

    // Steps of a launch that takes about so long, a power of two, 1024 at least; all were run.
    std::uint64_t steps_for(const Clock& clock, double seconds) {
        std::uint64_t steps = 1024;
        run(steps);
        while (steps < most_steps && time_alone(clock, [&] { run(steps); }) < seconds) {
            steps *= 2;
        }
        return steps;
    }

    // Whether every lane of every chain of the last launch made all its steps.
    [[nodiscard]] bool are_right() const {
        const std::vector<Real> found = results_.template read<Real>();
        for (std::size_t i = 0; i < found.size(); ++i) {
            const std::size_t chain = i / grid_.lanes % chains;
            const std::size_t item = i / grid_.lanes / chains;
            if (found[i] != static_cast<Real>(item % 1021 + chain + first_ + steps_)) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] double flops(std::uint64_t steps) const {
        return 2.0 * static_cast<double>(grid_.count() * chains * grid_.lanes) *
               static_cast<double>(steps);
    }

   private:
    Device& device_;
    Grid grid_;
    DeviceMemory results_;
    DeviceHandle kernel_;
    std::uint64_t first_ = 0;
    std::uint64_t steps_ = 0;
};

}  // namespace machmeter::device_arithmetic
