#include "device/arithmetic/fma.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/any_device.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

constexpr Grid on_cpus{4, {3, 1}};
constexpr Grid elsewhere{1, {2, 16}};

// GPUs take no vectors.
Grid usual() { return test::any_device().description().is_host ? on_cpus : elsewhere; }

template <class Real>
bool is_right(const Grid& grid, const std::string& real, const std::string& text,
              std::uint64_t steps = 1000) {
    Device& device = test::any_device();
    Chains<Real> all(device, grid, compile(device, grid, real, text), 4096);
    all.run(steps);
    return all.are_right();
}

bool is_refused(const std::string& from, const std::string& to) {
    std::string text = kernels::arithmetic;
    return !is_right<double>(usual(), "double", text.replace(text.find(from), from.size(), to));
}

}  // namespace

TEST(every_shape_and_precision_makes_all_steps) {
    for (const Grid& grid : {usual(), elsewhere}) {
        CHECK(is_right<double>(grid, "double", kernels::arithmetic));
        CHECK(is_right<float>(grid, "float", kernels::arithmetic));
    }
    CHECK(is_right<float>(usual(), "float", kernels::arithmetic, device_arithmetic::most_steps));
}

TEST(a_step_that_is_left_out_is_refused) {
    CHECK(is_refused("i < steps", "i + 8 < steps"));
    CHECK(is_refused("i < steps", "i < steps && i < 992"));
    CHECK(is_refused("; STEP(7)", ""));
    CHECK(is_refused("RESULT(7);", ""));
    CHECK(is_refused("factor + term", "factor"));
}

TEST(operations_are_two_a_step_of_each_lane) {
    Device& device = test::any_device();
    const Grid grid = usual();
    const Chains<float> all(device, grid, compile(device, grid, "float", kernels::arithmetic),
                            4096);
    CHECK(all.flops(10) == (grid.lanes > 1 ? 2.0 * 3 * 8 * 4 * 10 : 2.0 * 2 * 16 * 8 * 10));
}

}  // namespace machmeter
