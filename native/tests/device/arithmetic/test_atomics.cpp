#include "device/arithmetic/atomics.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/any_device.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

constexpr KernelGrid grid{6, 1};

bool is_right(DeviceHandle program, std::uint64_t bins, std::uint64_t times = 3) {
    Bins all(test::any_device(), grid, program, bins, 4096);
    all.run(times * all.multiple());
    all.run(all.multiple());
    return all.are_right();
}

DeviceHandle changed(const std::string& from, const std::string& to) {
    std::string text = kernels::atomics;
    return compile(test::any_device(), grid, text.replace(text.find(from), from.size(), to));
}

}  // namespace

TEST(every_increment_is_counted_in_its_bin) {
    const DeviceHandle program = compile(test::any_device(), grid, kernels::atomics);
    for (const std::uint64_t bins : {1, 2, 1024}) {
        CHECK(is_right(program, bins));
    }
    CHECK(is_right(program, 1, 1'000'000));
    const Bins all(test::any_device(), grid, program, 8, 4096);
    // Six items fill eight bins evenly after four steps.
    CHECK(all.multiple() == 4);
    CHECK(all.increments(4) == 24);
}

TEST(increments_that_are_lost_doubled_or_elsewhere_are_refused) {
    const DeviceHandle lost = changed("i < steps", "i + 1 < steps");
    CHECK(!is_right(lost, 1));
    CHECK(!is_right(lost, 1024));
    CHECK(!is_right(changed(", 1)", ", item == 3 ? 2 : 1)"), 4));
    CHECK(!is_right(changed("& last", "& (last / 2)"), 4));
}

}  // namespace machmeter
