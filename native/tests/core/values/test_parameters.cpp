#include "core/values/parameters.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

TEST(parameters_are_read_by_name) {
    const Parameters point("kernel=triad,size=65536,note=a=b");
    CHECK(point.text("kernel") == "triad");
    CHECK(point.count("size") == 65536);
    CHECK(point.text("note") == "a=b");
}

TEST(a_point_can_be_written_as_it_was_read) {
    for (const char* text : {"kernel=triad,size=65536,note=a=b", "size=8", ""}) {
        CHECK(Parameters(text).to_text() == text);
    }
}

TEST(a_missing_parameter_is_named) {
    const Parameters point("kernel=triad");
    CHECK_THROWS(UsageError, "'size'", point.count("size"));
}

TEST(a_parameter_that_the_benchmark_has_not_is_named) {
    const Parameters point("size=8,chase=forward");
    point.require_only({"chase", "order", "size"});
    CHECK_THROWS(UsageError, "no parameter 'chase'; there is order, size",
                 (point.require_only({"order", "size"}), 0));
    CHECK_THROWS(UsageError, "no parameter 'size'; there is none", (point.require_only({}), 0));
    Parameters("").require_only({});
}

TEST(what_is_not_name_and_value_is_refused) {
    CHECK_THROWS(UsageError, "'triad' is not name=value", Parameters("triad"));
    CHECK_THROWS(UsageError, "is not name=value", Parameters("=3"));
    CHECK_THROWS(UsageError, "is not name=value", Parameters("a=1,,b=2"));
}

TEST(counts_are_whole_numbers_in_range) {
    CHECK(parse_count("0", "n") == 0);
    CHECK(parse_count("18446744073709551615", "n") == 18446744073709551615U);
    for (const char* wrong :
         {"", " 1", "1 ", "-1", "+1", "1.5", "0x10", "1e3", "64KiB", "18446744073709551616"}) {
        CHECK_THROWS(UsageError, "is not a whole number", parse_count(wrong, "n"));
    }
}

TEST(counts_beyond_their_ends_are_usage_errors) {
    const Parameters point("n=5");
    CHECK(point.count_within("n", 5, 5) == 5);
    CHECK_THROWS(UsageError, "n: 5 is not within 6 and 9", point.count_within("n", 6, 9));
    CHECK_THROWS(UsageError, "n: 5 is not within 1 and 4", point.count_within("n", 1, 4));
}

TEST(whole_numbers_are_json_numbers_and_all_else_is_text) {
    CHECK(Parameters("size=64,kernel=add").to_json() == R"({"size":64,"kernel":"add"})");
    CHECK(Parameters("n=0").to_json() == R"({"n":0})");
    CHECK(Parameters("n=007").to_json() == R"({"n":"007"})");
    CHECK(Parameters("n=,m=1.5").to_json() == R"({"n":"","m":"1.5"})");
    CHECK(Parameters("n=99999999999999999999").to_json() == R"({"n":"99999999999999999999"})");
}

TEST(words_stand_for_their_choices) {
    const Parameters point("order=random");
    CHECK(point.choice<int>("order", {{"linear", 1}, {"random", 2}}) == 2);
    CHECK_THROWS(UsageError, "order: 'random' is none of", point.choice<int>("order", {{"x", 1}}));
    CHECK(parse_two("0-17", "pair") == std::pair<std::uint64_t, std::uint64_t>(0, 17));
    CHECK_THROWS(UsageError, "pair: '17'", parse_two("17", "pair"));
}

}  // namespace
}  // namespace machmeter
