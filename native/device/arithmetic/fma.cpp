// device.fma: multiply-adds of all items of a device, operands in registers.
//
// Each item has eight chains x := x * 1 + 1 of whole numbers: a device that leaves out one step of
// one chain has another sum. The factors are arguments, so that no compiler knows them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "device/kernels/arithmetic.hpp"
#include "device/memory.hpp"
#include "device/runtime.hpp"

namespace machmeter {
namespace {

constexpr std::size_t chains = 8;
// Whole numbers of a float are exact up to 2^24.
constexpr std::uint64_t most_steps = std::uint64_t{1} << 23U;

// lanes: Reals of a Vector, as many as the units of a CPU have for four doubles.
struct Grid {
    std::size_t lanes;
    KernelGrid items;

    [[nodiscard]] std::size_t count() const { return items.groups * items.group_items; }
};

Grid grid_for(const DeviceDescription& device, const std::string& real) {
    const std::size_t units = device.units.value_or(1);
    if (device.is_host) {
        return {real == "double" ? std::size_t{4} : std::size_t{8}, {4 * units, 1}};
    }
    return {1, {32 * units, 256}};
}

DeviceHandle compile(Device& device, const Grid& grid, const std::string& real,
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

    void run(std::uint64_t steps) {
        const Real one = 1;
        device_.launch(
            kernel_, grid_.items,
            {argument(results_.handle()), argument(one), argument(one), argument(steps)});
        device_.finish();
        steps_ = steps;
    }

    // Whether every lane of every chain of the last launch made all its steps.
    [[nodiscard]] bool are_right() const {
        const std::vector<Real> found = results_.template read<Real>();
        for (std::size_t i = 0; i < found.size(); ++i) {
            const std::size_t chain = i / grid_.lanes % chains;
            const std::size_t item = i / grid_.lanes / chains;
            if (found[i] != static_cast<Real>(item % 1021 + chain + steps_)) {
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
    std::uint64_t steps_ = 0;
};

template <class Real>
PointResult measure(DeviceSession& session, const Parameters& point, const std::string& real) {
    Device& device = session.runtime().device();
    const Grid grid = grid_for(device.description(), real);
    Chains<Real> all(device, grid, compile(device, grid, real, kernels::arithmetic),
                     session.page_bytes());
    // So many steps that launching is a small part of a launch.
    constexpr double long_enough = 5e-3;
    std::uint64_t steps = 1024;
    all.run(steps);
    while (steps < most_steps &&
           time_alone(session.clock(), [&] { all.run(steps); }) < long_enough) {
        steps *= 2;
    }
    bool right = true;
    Samples taken = session.sample(session.event([&](std::uint64_t rounds) {
        for (std::uint64_t i = 0; i < rounds; ++i) {
            all.run(steps);
        }
        device.elapsed();
    }));
    right = all.are_right();
    const bool placed = session.runtime().threads_in_place();
    return PointResult(point)
        .add_samples(std::move(taken))
        .check(right && placed,
               std::string("every chain of the last launch made all its steps") +
                   (right ? "" : ": no") +
                   (placed ? "" : "; a thread of the device is not where it was bound"))
        .quantity("flops", all.flops(steps))
        .quantity("steps", steps)
        .attribute("shape", std::to_string(grid.lanes) + " numbers at once, " +
                                std::to_string(grid.items.groups) + " groups of " +
                                std::to_string(grid.items.group_items));
}

void run_fma(DeviceSession& session) {
    session.record_each([&](const Parameters& point) {
        return point.choice<bool>("precision", {{"double", true}, {"single", false}})
                   ? measure<double>(session, point, "double")
                   : measure<float>(session, point, "float");
    });
}

const RegisterDeviceBenchmark registered({"device.fma", {"precision"}, &run_fma});

}  // namespace
}  // namespace machmeter
