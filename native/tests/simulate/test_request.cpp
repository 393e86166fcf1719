#include <string>
#include <vector>

#include "simulate/machine/request.hpp"
#include "tests/support/check.hpp"

namespace machmeter::simulate {
namespace {

std::vector<std::string> usual() {
    return {"machmeter-simulate",
            "network.latency",
            "--record",
            "r",
            "--samples",
            "3",
            "--point",
            "size=8",
            "--nodes",
            "2",
            "--ranks-per-node",
            "1",
            "--topology",
            "torus",
            "--shape",
            "17,8,24",
            "--machine-nodes",
            "6384",
            "--node-packages",
            "2",
            "--node-cores-per-package",
            "12",
            "--mpi",
            "mpich",
            "--nic-progress",
            "--set",
            "network.hop_latency=1.05e-7",
            "--package",
            "-1"};
}

Request parse(std::vector<std::string> words, const std::vector<std::string>& more = {}) {
    words.insert(words.end(), more.begin(), more.end());
    std::vector<const char*> pointers;
    for (const std::string& word : words) {
        pointers.push_back(word.c_str());
    }
    return parse_request(static_cast<int>(pointers.size()), pointers.data());
}

TEST(a_command_line_is_a_launch_and_a_machine) {
    const Request request = parse(usual());
    CHECK(request.launch.benchmark == "network.latency");
    CHECK(request.launch.points.size() == 1);
    CHECK(request.shape == std::vector<std::uint64_t>{17, 8, 24});
    CHECK(request.machine_nodes == 6384 && request.package == -1);
    CHECK(request.nic_progress && !request.host_progress);
    CHECK(request.values.of("network.hop_latency") == 1.05e-7);
}

TEST(wrong_words_are_refused) {
    CHECK_THROWS(UsageError, "unknown option '--speed'", parse(usual(), {"--speed", "2"}));
    CHECK_THROWS(UsageError, "--nodes lacks its value", parse(usual(), {"--nodes"}));
    CHECK_THROWS(UsageError, "not within 1 and 16777216", parse(usual(), {"--nodes", "0"}));
    CHECK_THROWS(UsageError, "not within 1 and 16777216",
                 parse(usual(), {"--ranks-per-node", "1000000000"}));
    CHECK_THROWS(UsageError, "not a whole number", parse(usual(), {"--shape", "1,x"}));
    CHECK_THROWS(UsageError, "exactly one of", parse(usual(), {"--host-progress"}));
    CHECK_THROWS(UsageError, "none of mpich, openmpi", parse(usual(), {"--mpi", "lam"}));
    CHECK_THROWS(UsageError, "the machine lacks network.nic_latency",
                 parse(usual()).values.of("network.nic_latency"));
}

TEST(what_is_missing_is_named) {
    std::vector<std::string> words = usual();
    words.erase(words.begin() + 16, words.begin() + 18);
    CHECK_THROWS(UsageError, "--machine-nodes is needed", parse(words));
}

}  // namespace
}  // namespace machmeter::simulate
