#include "device/launch/launch.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/any_device.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

PointResult measured(const std::string& text, const std::string& together) {
    Arguments arguments;
    arguments.limits.most = 5;
    arguments.limits.seconds = 0.01;
    arguments.page_bytes = 4096;
    DeviceSession session(test::any_runtime(), monotonic_clock, arguments,
                          [](const PointResult&) {});
    Device& device = test::any_device();
    const DeviceHandle program = device.compile(text, {"LANES=1", "GROUP_ITEMS=1", "STRETCHES=1"});
    return measure(session, program, Parameters("together=" + together));
}

}  // namespace

TEST(every_launch_is_counted) {
    for (const char* together : {"1", "7"}) {
        const PointResult point = measured(kernels::latency, together);
        CHECK(point.check_passed);
        // Of several, most wait for others before they start; CUDA says nothing of it.
        const bool says = test::any_device().description().api == "opencl";
        CHECK((point.quantities.back().first == "start_seconds") == (says && *together == '1'));
    }
}

TEST(launches_that_do_nothing_are_refused) {
    std::string text = kernels::latency;
    const std::string added = "count[0] += 1";
    CHECK(
        !measured(text.replace(text.find(added), added.size(), "count[0] = 1"), "7").check_passed);
}

}  // namespace machmeter
