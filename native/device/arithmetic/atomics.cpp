// device.atomics: increments of counters in the memory of a device by all of its items at once.
//
// Each step of all items together counts in one bin after another, so that every bin has the same
// number at the end; an increment that is lost is missing there.
#include "device/kernels/atomics.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "device/memory.hpp"
#include "device/runtime.hpp"

namespace machmeter {
namespace {

using Count = std::uint32_t;

class Bins {
   public:
    // bins: a power of two.
    Bins(Device& device, KernelGrid grid, DeviceHandle program, std::uint64_t bins,
         std::size_t page_bytes)
        : device_(device),
          grid_(grid),
          items_(grid.groups * grid.group_items),
          last_(bins - 1),
          multiple_(bins / std::gcd(bins, items_)),
          counts_(device, bins * sizeof(Count), page_bytes),
          kernel_(device.kernel(program, "atomics_count")) {
        counts_.fill<Count>([](std::size_t) { return Count{0}; });
    }

    // So many steps of every item, a multiple of `multiple()`.
    void run(std::uint64_t steps) {
        device_.launch(
            kernel_, grid_,
            {argument(counts_.handle()), argument(last_), argument(items_), argument(steps)});
        device_.finish();
        steps_ += steps;
    }

    // Steps after which every bin was counted in as often as every other one.
    [[nodiscard]] std::uint64_t multiple() const { return multiple_; }
    [[nodiscard]] std::uint64_t increments(std::uint64_t steps) const { return items_ * steps; }

    // Whether no increment was lost, and none came twice.
    [[nodiscard]] bool are_right() const {
        // Counts wrap as those of the device do.
        const Count each = static_cast<Count>(steps_ * items_ / (last_ + 1));
        const std::vector<Count> found = counts_.read<Count>();
        return std::all_of(found.begin(), found.end(), [&](Count one) { return one == each; });
    }

   private:
    Device& device_;
    KernelGrid grid_;
    std::uint64_t items_;
    std::uint64_t last_;
    std::uint64_t multiple_;
    DeviceMemory counts_;
    DeviceHandle kernel_;
    std::uint64_t steps_ = 0;
};

KernelGrid grid_for(const DeviceDescription& device) {
    const std::size_t units = device.units.value_or(1);
    return device.is_host ? KernelGrid{4 * units, 1} : KernelGrid{32 * units, 256};
}

DeviceHandle compile(Device& device, KernelGrid grid, const std::string& text) {
    return device.compile(
        text, {"LANES=1", "GROUP_ITEMS=" + std::to_string(grid.group_items), "STRETCHES=1"});
}

PointResult measure(DeviceSession& session, DeviceHandle program, const Parameters& point) {
    Device& device = session.runtime().device();
    const std::uint64_t bins = point.count_within("bins", 1, std::uint64_t{1} << 30U);
    if ((bins & (bins - 1)) != 0) {
        throw UsageError("bins=" + std::to_string(bins) + " is not a power of two");
    }
    Bins all(device, grid_for(device.description()), program, bins, session.page_bytes());
    // So many steps that launching is a small part of a launch.
    constexpr double long_enough = 5e-3;
    constexpr std::uint64_t most_steps = std::uint64_t{1} << 30U;
    std::uint64_t steps = all.multiple();
    all.run(steps);
    while (steps < most_steps &&
           time_alone(session.clock(), [&] { all.run(steps); }) < long_enough) {
        steps *= 2;
    }
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
               std::string("every counter has as many increments as were made") +
                   (right ? "" : ": no") + misplaced)
        .quantity("increments", all.increments(steps));
}

void run_atomics(DeviceSession& session) {
    Device& device = session.runtime().device();
    const DeviceHandle program = compile(device, grid_for(device.description()), kernels::atomics);
    session.record_each([&](const Parameters& point) { return measure(session, program, point); });
}

const RegisterDeviceBenchmark registered({"device.atomics", {"bins"}, &run_atomics});

}  // namespace
}  // namespace machmeter
