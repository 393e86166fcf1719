// The fault that a run is refused for, and its text.
#include <limits>

#include "proxies/common/faults.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

using proxies::first_fault;

TEST(a_run_without_fault_has_no_text) { CHECK(first_fault({{true, "lost"}}).empty()); }

TEST(the_first_fault_is_named) {
    CHECK(first_fault({{true, "lost"}, {false, "off"}, {false, "late"}}) == "off");
}

TEST(no_number_is_a_fault) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    CHECK(first_fault({{none <= 1, "off"}}) == "off");
}

TEST(texts_are_short) {
    CHECK(proxies::short_text(1.0 / 3e7) == "3.33e-08");
    CHECK(proxies::whole_text(12) == "12");
}

}  // namespace
}  // namespace machmeter
