// every-kernel: every kernel of devices on few elements, in the shapes of CPUs and of
// GPUs, for an implementation that looks for races and accesses out of bounds. EVERY_KERNEL_FROM
// and EVERY_KERNEL_TO change the first such words of each text, to see that what is wrong is found.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "device/arithmetic/atomics.cpp"  // NOLINT(bugprone-suspicious-include)
#include "device/arithmetic/chains.hpp"
#include "device/kernels/latency.hpp"
#include "device/kernels/liquid.hpp"
#include "device/kernels/stream.hpp"
#include "device/latency/chain.hpp"
#include "device/liquid/device_liquid.hpp"
#include "device/stream/arrays.hpp"
#include "tests/support/any_device.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

constexpr std::size_t items = 8;
constexpr std::size_t page = 4096;

// A text of kernels, with what the environment changes.
std::string planted(std::string text) {
    const char* from = std::getenv("EVERY_KERNEL_FROM");
    const char* to = std::getenv("EVERY_KERNEL_TO");
    const bool changes = from != nullptr && *from != '\0' && to != nullptr;
    const std::size_t at = changes ? text.find(from) : std::string::npos;
    return at == std::string::npos ? text : text.replace(at, std::strlen(from), to);
}

}  // namespace

TEST(kernels_of_stream) {
    Device& device = test::any_device();
    for (const device_stream::Shape& shape :
         {device_stream::Shape{8, 2, 1, true}, device_stream::Shape{1, 2, items, false}}) {
        device_stream::Arrays arrays(
            device, shape, device_stream::compile(device, shape, planted(kernels::stream)), 2048,
            page);
        for (const device_stream::StepName& one : device_stream::steps) {
            arrays.run(one.step);
        }
        CHECK(arrays.error() <= 1);
    }
}

TEST(kernels_of_latency_and_launch) {
    Device& device = test::any_device();
    const DeviceHandle program =
        device.compile(planted(kernels::latency), {"LANES=1", "GROUP_ITEMS=1", "STRETCHES=1"});
    device_latency::Chain chain(device, program, 50, 7, page);
    chain.follow(120);
    CHECK(chain.is_where_it_should());
    const DeviceMemory count(device, sizeof(std::uint64_t), page);
    count.fill<std::uint64_t>([](std::size_t) { return 0; });
    device.launch(device.kernel(program, "latency_nothing"), {}, {argument(count.handle())});
    device.finish();
    CHECK(count.read<std::uint64_t>().front() == 1);
}

TEST(kernels_of_arithmetic) {
    Device& device = test::any_device();
    for (const auto& grid :
         {device_arithmetic::Grid{4, {2, 1}}, device_arithmetic::Grid{1, {2, items}}}) {
        device_arithmetic::Chains<double> chains(
            device, grid,
            device_arithmetic::compile(device, grid, "double", planted(kernels::arithmetic)), page);
        chains.run(16);
        CHECK(chains.are_right());
    }
}

TEST(kernels_of_atomics) {
    Device& device = test::any_device();
    const KernelGrid grid{2, items};
    const DeviceHandle program = compile(device, grid, planted(kernels::atomics));
    for (const std::uint64_t bins : {1, 64}) {
        Bins all(device, grid, program, bins, page);
        all.run(2 * all.multiple());
        CHECK(all.are_right());
    }
}

TEST(kernels_of_a_liquid) {
    Device& device = test::any_device();
    constexpr std::uint64_t cells = 6;
    const device_liquid::Case& melt = device_liquid::melt;
    for (const bool stretches : {true, false}) {
        const device_liquid::Shape shape{32, stretches};
        const device_liquid::Kernels all(
            device, device_liquid::compile(device, shape, planted(kernels::liquid)));
        const device_liquid::Start start(melt, cells);
        device_liquid::DeviceLiquid liquid(device, shape, all, melt, melt.constant() * cells, start,
                                           page);
        liquid.reset();
        liquid.run(1);
        CHECK(liquid.lists() >= 1);
    }
}

}  // namespace machmeter
