#include <omp.h>

#include <optional>
#include <string>
#include <vector>

#include "core/record/header.hpp"
#include "core/session/packed.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

std::vector<std::optional<ThreadPlace>> two_threads(int cpu) {
    return {ThreadPlace{0, 0, "n", {cpu, cpu + 1, cpu + 2, cpu + 9}, cpu, 0},
            ThreadPlace{0, 1, "n", {cpu + 5}, cpu + 5, 0}};
}

TEST(a_rank_is_packed_without_a_comma) {
    const Noise noise{"n", {4, 9}, {{6.54e-6, 6.6e-6, 9.1e-6}, {6.5e-6, 6.5e-6, 6.5e-6}}};
    const PackedRank rank = pack(two_threads(4), noise);
    CHECK(rank.allowed == "4-6+13 9");
    CHECK(rank.on == "4 9");
    // Within 2 % of the fastest is as fast.
    CHECK(rank.quanta == "4 9:6540 6500:1 0:9100");
}

TEST(a_thread_that_a_team_lacks_is_packed_as_lacking) {
    std::vector<std::optional<ThreadPlace>> places = two_threads(0);
    places[1].reset();
    const PackedRank rank = pack(places, {"n", {0, -1}, {{1e-6}, {}}});
    CHECK(rank.allowed == "0-2+9 -");
    CHECK(rank.on == "0 -");
    CHECK(rank.quanta == "0:1000:0:");
}

TEST(hosts_that_are_alike_are_written_once) {
    const std::vector<std::uint64_t> keys = {7, 7, 3, 3, 5, 5};
    const PackedRank joined = {"0,1,0,1,0,1", "0,1,0,1,1,0",
                               "0:10:0:,1:11:1:19,0:12:0:,1:13:0:,1:14:0:,0:15:2:20 21"};
    const std::string packed = packed_json(keys, R"("a","b","c")", joined, 12);
    // As tests/unit/store/test_packed_records.py reads it.
    CHECK(packed ==
          R"({"hosts":["a","b","c"],"blocks":[[0,2],[1,2],[2,2]],)"
          R"("allowed":[{"blocks":[0,1,2],"ranks":"0,1"}],)"
          R"("on":[{"blocks":[0,1],"ranks":"0,1"},{"blocks":[2],"ranks":"1,0"}],)"
          R"("quanta":[{"count":12,"cpus":"0-1","fastest_ns":"10 11","slow":"0 1","slow_ns":"19"},)"
          R"({"count":12,"cpus":"0-1","fastest_ns":"12 13","slow":"0 0","slow_ns":""},)"
          R"({"count":12,"cpus":"1+0","fastest_ns":"14 15","slow":"0 2","slow_ns":"20 21"}]})");
}

TEST(ranks_that_alternate_between_hosts_are_blocks_of_one) {
    const std::string packed =
        packed_json({7, 3, 7}, R"("a","b")", {"0,0,1", "0,0,1", ":::,:::,:::"}, 1);
    CHECK(packed.find(R"("blocks":[[0,1],[1,1],[0,1]])") != std::string::npos);
    CHECK(packed.find(R"("allowed":[{"blocks":[0,1],"ranks":"0"},{"blocks":[2],"ranks":"1"}])") !=
          std::string::npos);
}

TEST(many_threads_of_several_hosts_are_packed) {
    std::vector<std::uint64_t> keys(1024, 1);
    CHECK(!are_packed(keys, 2));
    keys.back() = 2;
    CHECK(!are_packed(keys, 1));
    CHECK(are_packed(keys, 2));
}

// Rank 0 of very many on two hosts, whose texts the others repeat.
class ManyRanks {
   public:
    static int rank() { return 0; }
    static int size() { return ranks; }
    static bool is_root() { return true; }
    static bool all(bool mine) { return mine; }
    static std::vector<std::uint64_t> gather_everywhere(std::uint64_t mine) {
        std::vector<std::uint64_t> keys(ranks, mine);
        keys.back() = mine + 1;
        return keys;
    }
    static std::string join(const std::string& mine) {
        std::string joined = mine;
        for (int i = 1; i < ranks; ++i) {
            joined += "," + mine;
        }
        return joined;
    }

   private:
    static constexpr int ranks = 2000;
};

TEST(a_record_of_many_ranks_has_their_threads_packed_and_noise_by_host) {
    omp_set_num_threads(1);
    LaunchHeader header;
    header.observed = observe_ranks(monotonic_clock, ManyRanks());
    CHECK(header.observed.places.empty());
    CHECK(header.observed.noise.find(R"("cpus":[],"quanta_seconds":[])") != std::string::npos);
    const std::string line = header_line(header);
    CHECK(line.find(R"("places":[],)") != std::string::npos);
    CHECK(line.find(R"("packed":{"hosts":[)") != std::string::npos);
    CHECK(line.find(R"("blocks":[[0,1999],[1,1]])") != std::string::npos);
    const std::string closing = closing_line(0, 0, {}, header.observed);
    CHECK(closing.find(R"("packed":{"hosts":[)") != std::string::npos);
}

}  // namespace
}  // namespace machmeter
