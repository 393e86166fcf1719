#include "device/latency/latency.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/any_device.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

std::string changed(const std::string& from, const std::string& to) {
    std::string text = kernels::latency;
    return text.replace(text.find(from), from.size(), to);
}

bool is_right_after(const std::string& text, std::uint64_t loads) {
    Device& device = test::any_device();
    const DeviceHandle program = device.compile(text, {"LANES=1", "GROUP_ITEMS=1", "STRETCHES=1"});
    Chain chain(device, program, 1000, 7, 4096);
    chain.follow(loads);
    chain.follow(3);
    return chain.is_where_it_should();
}

}  // namespace

TEST(a_walk_goes_on_where_the_last_one_stopped) {
    CHECK(is_right_after(kernels::latency, 0));
    CHECK(is_right_after(kernels::latency, 997));
    CHECK(is_right_after(kernels::latency, 100'000));
}

TEST(a_walk_that_is_too_short_is_refused) {
    // As a device does that ends loops early.
    CHECK(!is_right_after(changed("i < loads", "i < loads && i < 65535"), 65536));
    CHECK(is_right_after(changed("i < loads", "i < loads && i < 65535"), 65535));
    CHECK(!is_right_after(changed("i < loads", "i + 1 < loads"), 100));
    CHECK(!is_right_after(changed("at[0] = place", "at[0] = at[0]"), 100));
    CHECK(!is_right_after(changed("place = next[place]", "place = next[at[0]]"), 100));
}

TEST(launching_is_a_hundredth_of_a_launch_at_most) {
    CHECK(loads_of_launch({100e-9, 20e-6}, 10) == 20'000);
    // The whole chain where it fits a launch, else as many as do.
    CHECK(loads_of_launch({100e-9, 20e-6}, 1'000'000) == 1'000'000);
    CHECK(loads_of_launch({100e-9, 20e-6}, 100'000'000) == 2'000'000);
    CHECK(loads_of_launch({1e-10, 0}, 0) == 1);
}

}  // namespace machmeter
