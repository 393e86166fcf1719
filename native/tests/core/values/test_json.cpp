#include <cstdlib>
#include <limits>

#include "core/values/json.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

TEST(text_is_quoted_and_escaped) {
    CHECK(json::quote("plain") == R"("plain")");
    CHECK(json::quote(R"(a"b\c)") == R"("a\"b\\c")");
    CHECK(json::quote("line\nend\t\x01") == R"("line\u000aend\u0009\u0001")");
    CHECK(json::quote(std::string_view("\0", 1)) == R"("\u0000")");
    CHECK(json::quote("\xE9") == R"("\u00e9")");
    CHECK(json::quote("\x7F") == R"("\u007f")");
}

TEST(numbers_come_back_exactly) {
    for (const double value : {0.0, -0.5, 1e-9, 0.1, 1.0 / 3, 1.7976931348623157e308, 5e-324}) {
        CHECK(std::strtod(json::number(value).c_str(), nullptr) == value);
    }
}

TEST(what_is_no_number_is_null) {
    CHECK(json::number(std::numeric_limits<double>::quiet_NaN()) == "null");
    CHECK(json::number(std::numeric_limits<double>::infinity()) == "null");
    CHECK(json::number(-std::numeric_limits<double>::infinity()) == "null");
}

TEST(integers_keep_all_their_digits) {
    CHECK(json::integer(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
    CHECK(json::integer(-1) == "-1");
}

TEST(arrays_and_objects_nest) {
    CHECK(json::numbers({}) == "[]");
    CHECK(json::numbers({1, 2.5}) == "[1,2.5]");
    CHECK(json::Object{}.str() == "{}");
    CHECK(json::Object{}.add("a", "1").add("b \"", json::numbers({1})).str() ==
          R"({"a":1,"b \"":[1]})");
}

}  // namespace
}  // namespace machmeter
