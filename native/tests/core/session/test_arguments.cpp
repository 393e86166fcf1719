#include "core/session/arguments.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

Arguments parse(std::vector<const char*> words) {
    words.insert(words.begin(), "machmeter-node");
    return parse_arguments(static_cast<int>(words.size()), words.data());
}

TEST(a_whole_command_line_is_understood) {
    const Arguments arguments =
        parse({"memory.stream", "--record", "out.jsonl", "--launch", "3", "--seed", "7",
               "--page-bytes", "2097152", "--samples", "50", "--seconds-per-point", "0.25",
               "--point", "kernel=add", "--point", "kernel=copy"});
    CHECK(arguments.benchmark == "memory.stream");
    CHECK(arguments.record == "out.jsonl");
    CHECK(arguments.launch == 3);
    CHECK(arguments.seed == 7);
    CHECK(arguments.page_bytes == 2097152);
    CHECK(arguments.limits.most == 50);
    CHECK(arguments.limits.seconds == 0.25);
    CHECK(arguments.points.size() == 2);
    CHECK(arguments.points[1].text("kernel") == "copy");
}

TEST(a_point_with_a_parameter_that_its_benchmark_has_not_is_refused) {
    const Arguments arguments = parse({"memory.latency", "--record", "r", "--point", "size=8",
                                       "--point", "size=8,chase=forward"});
    require_known(arguments, {"size", "chase"});
    CHECK_THROWS(UsageError, "memory.latency: there is no parameter 'chase'; there is size",
                 (require_known(arguments, {"size"}), 0));
}

TEST(fewer_samples_than_the_least_lower_the_least) {
    const Arguments arguments = parse({"x", "--record", "r", "--samples", "2", "--point", "a=1"});
    CHECK(arguments.limits.least == 2);
}

TEST(what_is_missing_or_unknown_is_refused) {
    CHECK_THROWS(UsageError, "usage", parse({}));
    CHECK_THROWS(UsageError, "are needed", parse({"x"}));
    CHECK_THROWS(UsageError, "are needed", parse({"x", "--record", "r"}));
    CHECK_THROWS(UsageError, "are needed", parse({"x", "--point", "a=1"}));
    CHECK_THROWS(UsageError, "are needed",
                 parse({"x", "--record", "r", "--samples", "0", "--point", "a=1"}));
    CHECK_THROWS(UsageError, "lacks its value", parse({"x", "--record"}));
    CHECK_THROWS(UsageError, "unknown option '--speed'", parse({"x", "--speed", "9"}));
}

TEST(bad_numbers_are_refused_by_their_option) {
    CHECK_THROWS(UsageError, "--launch", parse({"x", "--launch", "one"}));
    CHECK_THROWS(UsageError, "--samples", parse({"x", "--samples", "-5"}));
    for (const char* wrong : {"", "soon", "1s", "-1", "0", "nan", "inf"}) {
        CHECK_THROWS(UsageError, "--seconds-per-point", parse({"x", "--seconds-per-point", wrong}));
    }
    for (const char* wrong : {"0", "1000", "4097"}) {
        CHECK_THROWS(UsageError, "--page-bytes", parse({"x", "--page-bytes", wrong}));
    }
}

}  // namespace
}  // namespace machmeter
