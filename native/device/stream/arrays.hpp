// The arrays that device.stream sweeps over, its kernels in turn, and what these must leave.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "device/memory.hpp"

namespace machmeter::device_stream {

enum class Step : std::uint8_t { copy, mul, add, triad, dot };

struct StepName {
    Step step;
    const char* name;
    int arrays;  // that it moves, as BabelStream counts
};

inline constexpr std::array<StepName, 5> steps{{{Step::copy, "copy", 2},
                                                {Step::mul, "mul", 2},
                                                {Step::add, "add", 3},
                                                {Step::triad, "triad", 3},
                                                {Step::dot, "dot", 2}}};

// 2 s + s^2 = 1: a round leaves `a` as it found it, and an error of any launch stays in it.
inline const double scalar = std::sqrt(2.0) - 1;

inline double first_of_a(std::size_t i) { return 1 + static_cast<double>(i % 1021); }

// How kernels are shaped for a device. lanes: elements that an item takes at once; stretches: an
// item takes those that lie together.
struct Shape {
    std::size_t lanes = 1;
    std::size_t groups = 1;
    std::size_t group_items = 1;
    bool stretches = false;

    [[nodiscard]] std::size_t granule_bytes() const {
        return lanes * groups * group_items * sizeof(double);
    }
};

// On CPUs a few items for each, of whole cache lines; elsewhere enough groups to fill the device.
inline Shape shape_for(const DeviceDescription& device) {
    const std::size_t units = device.units.value_or(1);
    return device.is_host ? Shape{8, 8 * units, 1, true} : Shape{1, 32 * units, 256, false};
}

inline DeviceHandle compile(Device& device, const Shape& shape, const std::string& text) {
    return device.compile(text, {"LANES=" + std::to_string(shape.lanes),
                                 "GROUP_ITEMS=" + std::to_string(shape.group_items),
                                 std::string("STRETCHES=") + (shape.stretches ? "1" : "0")});
}

class Arrays {
   public:
    // As long as requested or longer, by less than a granule of the shape. program: compiled for
    // it.
    Arrays(Device& device, const Shape& shape, DeviceHandle program, std::size_t bytes,
           std::size_t page_bytes)
        : device_(device),
          shape_(shape),
          bytes_((bytes + shape.granule_bytes() - 1) / shape.granule_bytes() *
                 shape.granule_bytes()),
          each_(bytes_ / shape.granule_bytes()),
          a_(device, bytes_, page_bytes),
          b_(device, bytes_, page_bytes),
          c_(device, bytes_, page_bytes),
          parts_(device, shape.groups * shape.lanes * sizeof(double), page_bytes),
          sums_(shape.groups * shape.lanes) {
        for (const StepName& one : steps) {
            kernels_[static_cast<std::size_t>(one.step)] =
                device.kernel(program, std::string("stream_") + one.name);
        }
        // First touched by the grid that sweeps; b and c are no result of any kernel yet.
        const DeviceHandle fill = device.kernel(program, "stream_fill");
        const double nothing = std::numeric_limits<double>::quiet_NaN();
        for (const DeviceMemory* one : {&a_, &b_, &c_}) {
            launch(fill, {argument(one->handle()), argument(nothing), argument(each_)});
        }
        device.finish();
        device.elapsed();
        a_.fill<double>(first_of_a);
    }

    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] std::size_t page_bytes() const { return a_.describe().page_bytes; }

    // One launch, until its result is there: for dot, the sum on the host.
    void run(Step step) {
        const DeviceHandle kernel = kernels_[static_cast<std::size_t>(step)];
        const KernelArgument a = argument(a_.handle());
        const KernelArgument b = argument(b_.handle());
        const KernelArgument c = argument(c_.handle());
        const KernelArgument each = argument(each_);
        switch (step) {
            case Step::copy:
                launch(kernel, {a, c, each});
                break;
            case Step::mul:
                launch(kernel, {b, c, argument(scalar), each});
                break;
            case Step::add:
                launch(kernel, {a, b, c, each});
                break;
            case Step::triad:
                launch(kernel, {a, b, c, argument(scalar), each});
                break;
            case Step::dot:
                launch(kernel, {a, b, argument(parts_.handle()), each});
                device_.download(sums_.data(), parts_.handle(), parts_.bytes());
                dots_.push_back(sum());
                return;
        }
        device_.finish();
    }

    // The largest relative error of any element of the arrays and of any sum, after whole rounds of
    // all steps, in units of what rounding allows: above 1 something is wrong. Infinite where an
    // element was never written.
    [[nodiscard]] double error() const {
        double largest = 0;
        const auto compare = [&](double found, double expected, double allowed = 1) {
            const double error = std::abs(found - expected) / std::abs(expected) / allowed;
            largest =
                error >= 0 ? std::max(largest, error) : std::numeric_limits<double>::infinity();
        };
        // One after another: the host may have less memory than the device.
        const std::pair<const DeviceMemory*, double> of_first[] = {
            {&a_, 1}, {&b_, scalar}, {&c_, 1 + scalar}};
        for (const auto& [array, factor] : of_first) {
            const std::vector<double> found = array->read<double>();
            for (std::size_t i = 0; i < found.size(); ++i) {
                compare(found[i], factor * first_of_a(i));
            }
        }
        double dot = 0;
        for (std::size_t i = 0; i < bytes_ / sizeof(double); ++i) {
            dot += first_of_a(i) * (scalar * first_of_a(i));
        }
        // Sums of n terms in other orders differ by about the root of n roundings.
        for (const double one : dots_) {
            compare(one, dot, std::sqrt(static_cast<double>(bytes_ / sizeof(double))));
        }
        // Three operations of a round are rounded.
        constexpr double roundings = 4;
        const double rounds = static_cast<double>(dots_.size()) + 1;
        return largest / (roundings * rounds * std::numeric_limits<double>::epsilon());
    }

    // Since the arrays were made.
    [[nodiscard]] std::uint64_t rounds() const { return dots_.size(); }

   private:
    void launch(DeviceHandle kernel, const std::vector<KernelArgument>& arguments) {
        device_.launch(kernel, {shape_.groups, shape_.group_items}, arguments);
    }

    [[nodiscard]] double sum() const {
        double all = 0;
        for (const double one : sums_) {
            all += one;
        }
        return all;
    }

    Device& device_;
    Shape shape_;
    std::size_t bytes_;
    std::uint64_t each_;
    DeviceMemory a_;
    DeviceMemory b_;
    DeviceMemory c_;
    DeviceMemory parts_;
    std::array<DeviceHandle, steps.size()> kernels_{};
    std::vector<double> sums_;
    std::vector<double> dots_;
};

}  // namespace machmeter::device_stream
