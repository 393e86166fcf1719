#include "reference/reference.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

TEST(both_parts_pass_their_check_and_are_timed_by_the_clock_given) {
    const auto recorded =
        test::run_with_fake_clock(&run_reference, {"part=cache", "part=memory"}, 10'000'000);
    CHECK(recorded.size() == 2);
    for (const PointResult& point : recorded) {
        CHECK(point.check_passed);
        CHECK(point.batch == 1);
        CHECK(point.series.at(0).second.at(0) == 10e-3);
    }
}

TEST(the_check_finds_one_wrong_word) {
    std::vector<std::uint64_t> words(1024);
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = i;
    }
    CHECK(sum_words(words.data(), words.size()) == sum_to(words.size()));
    words[1023] = 0;
    CHECK(sum_words(words.data(), words.size()) != sum_to(words.size()));
}

TEST(a_part_that_does_not_exist_is_a_usage_error) {
    CHECK_THROWS(UsageError, "'registers' is none of cache, memory",
                 part_of(Parameters("part=registers")));
}

}  // namespace
}  // namespace machmeter
