// device.overlap: a copy beside a kernel that computes in registers and takes about as long:
// each alone, and both at once until both have finished.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "device/arithmetic/chains.hpp"
#include "device/copies/block.hpp"
#include "device/runtime.hpp"

namespace machmeter {
namespace {

using device_arithmetic::Chains;
using device_copies::Block;
using device_copies::Direction;
using device_copies::Kind;
using Kernel = Chains<double>;

// What is timed in turn, the mean round of each sample.
struct Seconds {
    std::vector<double> together;
    std::vector<double> kernel;
    std::vector<double> copy;
};

class Rounds {
   public:
    Rounds(const Clock& clock, Device& device, Kernel& kernel, Block& block, std::uint64_t steps)
        : clock_(clock), device_(device), kernel_(kernel), block_(block), steps_(steps) {}

    double operator()(std::uint64_t rounds) {
        double together = 0;
        double kernel = 0;
        double copy = 0;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            kernel += time_alone(clock_, [&] { kernel_.run(steps_); });
            copy += copied([&] { block_.start(); });
            together += copied([&] {
                kernel_.start(steps_);
                block_.start();
            });
        }
        device_.elapsed();
        const auto mean = [&](double all) { return all / static_cast<double>(rounds); };
        seconds.together.push_back(mean(together));
        seconds.kernel.push_back(mean(kernel));
        seconds.copy.push_back(mean(copy));
        return together + kernel + copy;
    }

    // The latest so many.
    void keep(std::size_t samples) {
        for (std::vector<double>* one : {&seconds.together, &seconds.kernel, &seconds.copy}) {
            one->erase(one->begin(), one->end() - static_cast<std::ptrdiff_t>(samples));
        }
    }

    Seconds seconds;

   private:
    template <class Start>
    double copied(Start&& start) {
        block_.stamp();
        const double taken = time_alone(clock_, [&] {
            start();
            device_.finish();
        });
        block_.look();
        return taken;
    }

    Clock clock_;
    Device& device_;
    Kernel& kernel_;
    Block& block_;
    std::uint64_t steps_;
};

// Of a kernel about as long as a copy: between half and all of its time, and 2^23 steps at most.
std::uint64_t steps_for(const Clock& clock, Device& device, Kernel& kernel, Block& block) {
    constexpr int tries = 3;
    double copy = 0;
    for (int i = 0; i < tries; ++i) {
        block.stamp();
        copy = time_alone(clock, [&] {
            block.start();
            device.finish();
        });
        block.look();
    }
    const std::uint64_t longer = kernel.steps_for(clock, copy);
    const double taken = time_alone(clock, [&] { kernel.run(longer); });
    device.elapsed();
    constexpr std::uint64_t together = device_arithmetic::steps_together;
    const double fitting = static_cast<double>(longer / together) * std::min(1.0, copy / taken);
    return together * std::max<std::uint64_t>(1, static_cast<std::uint64_t>(fitting));
}

PointResult measure(DeviceSession& session, DeviceHandle program, const Parameters& point) {
    Device& device = session.runtime().device();
    const auto direction = point.choice<Direction>(
        "way", {{"to-device", Direction::to_device}, {"from-device", Direction::from_device}});
    const std::uint64_t bytes =
        point.count_within("size", device_copies::stamp_bytes, std::uint64_t{1} << 40U);
    Block block(device, direction, Kind::pinned, bytes, session.page_bytes());
    Kernel kernel(device, device_arithmetic::grid_for(device.description(), "double"), program,
                  session.page_bytes());
    const std::uint64_t steps = steps_for(session.clock(), device, kernel, block);
    Rounds rounds(session.clock(), device, kernel, block, steps);
    const Samples taken = session.sample(rounds);
    rounds.keep(taken.seconds.size());
    const bool copied = block.is_right();
    const bool computed = kernel.are_right();
    const std::string misplaced = session.runtime().misplaced();
    PointResult result(point);
    result
        .add_samples({{"total", std::move(rounds.seconds.together)},
                      {"work", std::move(rounds.seconds.kernel)},
                      {"communication", std::move(rounds.seconds.copy)}},
                     taken.batch)
        .check(copied && computed && misplaced.empty(),
               std::string("every copy had its stamp, and the last one all bytes") +
                   (copied ? "" : ": no") + "; every chain of the last kernel made all its steps" +
                   (computed ? "" : ": no") + misplaced)
        .quantity("bytes", bytes)
        .quantity("steps", steps);
    result.page_bytes = block.describe().page_bytes;
    return result;
}

void run_overlap(DeviceSession& session) {
    Device& device = session.runtime().device();
    const DeviceHandle program = device_arithmetic::compile(
        device, device_arithmetic::grid_for(device.description(), "double"), "double",
        kernels::arithmetic);
    session.record_each([&](const Parameters& point) { return measure(session, program, point); });
}

const RegisterDeviceBenchmark registered({"device.overlap", {"way", "size"}, &run_overlap});

}  // namespace
}  // namespace machmeter
