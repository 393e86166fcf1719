// The main function of all programs: a launch from its command line to its record and exit code.
#include <sysexits.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/node.hpp"
#include "core/session/program.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> measured;

void body(NodeSession& session) {
    session.record_each([](const Parameters& point) {
        const std::string& fails = point.text("fails");
        if (fails == "disk") {
            throw StorageError("no space");
        }
        if (fails == "machine") {
            throw MachineLacksError("no such memory");
        }
        if (fails == "kernel") {
            throw std::runtime_error("the kernel failed");
        }
        measured.push_back(fails);
        return PointResult(point);
    });
}

const RegisterNodeBenchmark one({"test.one", {"fails"}, &body});
const RegisterNodeBenchmark two({"test.two", {"fails"}, &body, two_ranks});

struct Launch {
    int code = 0;
    std::string record;   // empty without one
    std::string partial;  // of a launch that failed
};

std::string content_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

Launch launch_of(std::vector<std::string> words) {
    std::string name = (fs::temp_directory_path() / "machmeter-program-XXXXXX").string();
    const fs::path folder = mkdtemp(name.data());
    words.insert(words.begin(), "machmeter-node");
    words.insert(words.end(), {"--record", (folder / "r.jsonl").string()});
    std::vector<char*> pointers;
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    measured.clear();
    const int code = Program<NodeRuntime>().run(static_cast<int>(pointers.size()), pointers.data());
    const Launch launch{code, content_of(folder / "r.jsonl"),
                        content_of(folder / "r.jsonl.partial")};
    fs::remove_all(folder);
    return launch;
}

bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

TEST(a_launch_records_header_points_and_closing_line) {
    const Launch launch = launch_of({"test.one", "--point", "fails=no", "--point", "fails=never"});
    CHECK(launch.code == 0);
    CHECK(measured.size() == 2);
    CHECK(holds(launch.record, R"({"kind":"header","format":4,"benchmark":"test.one")"));
    CHECK(holds(launch.record, R"("parameters":{"fails":"never"})"));
    CHECK(holds(launch.record, R"("points":2,)"));
}

TEST(the_seed_decides_the_order_of_the_points) {
    std::vector<std::string> points;
    for (const char* value : {"a", "b", "c", "d", "e"}) {
        points.insert(points.end(), {"--point", std::string("fails=") + value});
    }
    const auto order_of = [&](const char* seed) {
        std::vector<std::string> words{"test.one", "--seed", seed};
        words.insert(words.end(), points.begin(), points.end());
        launch_of(words);
        return measured;
    };
    CHECK(order_of("1") == order_of("1"));
    CHECK(order_of("1") != order_of("2"));
}

TEST(errors_become_exit_codes) {
    CHECK(launch_of({"test.one", "--point", "size=1"}).code == 2);
    CHECK(launch_of({"test.none", "--point", "fails=no"}).code == 2);
    CHECK(launch_of({"test.one"}).code == 2);
    CHECK(launch_of({"test.one", "--point", "fails=disk"}).code == EX_IOERR);
    CHECK(launch_of({"test.one", "--point", "fails=machine"}).code == 3);
    CHECK(launch_of({"test.one", "--point", "fails=kernel"}).code == 1);
}

TEST(a_launch_that_fails_leaves_a_partial_record) {
    const Launch launch = launch_of({"test.one", "--point", "fails=kernel"});
    CHECK(launch.record.empty());
    CHECK(holds(launch.partial, R"("kind":"header")"));
}

TEST(too_few_ranks_are_found_after_the_header) {
    const Launch launch = launch_of({"test.two", "--point", "fails=no"});
    CHECK(launch.code == 1);
    CHECK(measured.empty());
    CHECK(holds(launch.partial, R"("kind":"header")"));
}

TEST(ranks_are_allowed_by_number_and_parity) {
    CHECK(one_rank.allow(1) && !one_rank.allow(2));
    CHECK(two_ranks.allow(2) && !two_ranks.allow(4));
    CHECK(any_ranks.allow(3) && !any_ranks.allow(1));
    CHECK(ranks_in_pairs.allow(6) && !ranks_in_pairs.allow(5));
    CHECK(ranks_in_pairs.to_text() == "2 or more, an even number");
}

}  // namespace
}  // namespace machmeter
