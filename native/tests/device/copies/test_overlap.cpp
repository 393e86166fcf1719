#include "device/copies/overlap.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/any_device.hpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_clock.hpp"

namespace machmeter {
namespace {

constexpr device_arithmetic::Grid small{4, {2, 1}};

PointResult measured(const std::string& text, const std::string& way) {
    Arguments arguments;
    arguments.limits.most = 3;
    arguments.limits.seconds = 0.01;
    arguments.page_bytes = 4096;
    DeviceSession session(test::any_runtime(), monotonic_clock, arguments,
                          [](const PointResult&) {});
    Device& device = test::any_device();
    const auto grid = device_arithmetic::grid_for(device.description(), "double");
    const DeviceHandle program = device_arithmetic::compile(device, grid, "double", text);
    return measure(session, program, Parameters("way=" + way + ",size=100000"));
}

}  // namespace

TEST(copies_and_kernels_are_timed_alone_and_together_and_both_checked) {
    for (const char* way : {"to-device", "from-device"}) {
        const PointResult point = measured(kernels::arithmetic, way);
        CHECK(point.check_passed);
        CHECK(point.series.size() == 3);
    }
}

TEST(a_kernel_that_computes_nothing_is_no_work_to_hide_a_copy_behind) {
    std::string text = kernels::arithmetic;
    const std::string condition = "i < steps";
    CHECK(!measured(text.replace(text.find(condition), condition.size(), "i + 8 < steps"),
                    "to-device")
               .check_passed);
}

TEST(a_kernel_takes_about_as_long_as_the_copy_and_no_longer) {
    Device& device = test::any_device();
    Block block(device, Direction::to_device, Kind::pinned, 1000, 4096);
    const DeviceHandle program =
        device_arithmetic::compile(device, small, "double", kernels::arithmetic);
    Kernel kernel(device, small, program, 4096);
    // All take the same time by this clock: as many steps as were tried first.
    test::fake_step = 1'000'000;
    CHECK(steps_for(test::fake_clock, device, kernel, block) == 1024);
    CHECK(block.is_right());
}

}  // namespace machmeter
