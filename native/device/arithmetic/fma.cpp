// device.fma: multiply-adds of all items of a device, operands in registers.
#include <cstdint>
#include <string>
#include <utility>

#include "device/arithmetic/chains.hpp"
#include "device/runtime.hpp"

namespace machmeter {
namespace {

using device_arithmetic::Chains;
using device_arithmetic::Grid;
using device_arithmetic::grid_for;

template <class Real>
PointResult measure(DeviceSession& session, const Parameters& point, const std::string& real) {
    Device& device = session.runtime().device();
    const Grid grid = grid_for(device.description(), real);
    Chains<Real> all(device, grid,
                     device_arithmetic::compile(device, grid, real, kernels::arithmetic),
                     session.page_bytes());
    // So many steps that launching is a small part of a launch.
    constexpr double long_enough = 5e-3;
    const std::uint64_t steps = all.steps_for(session.clock(), long_enough);
    Samples taken = session.sample(session.event([&](std::uint64_t rounds) {
        for (std::uint64_t i = 0; i < rounds; ++i) {
            all.run(steps);
        }
        device.elapsed();
    }));
    const bool right = all.are_right();
    const std::string misplaced = session.runtime().misplaced();
    return PointResult(point)
        .add_samples(std::move(taken))
        .check(right && misplaced.empty(),
               std::string("every chain of the last launch made all its steps") +
                   (right ? "" : ": no") + misplaced)
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
