// Lists and sets of CPUs, and whether ranks bound to such sets have a CPU each.
#include <algorithm>
#include <vector>

#include "core/host/cpu_sets.hpp"
#include "core/values/parameters.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

bool suffice(const std::vector<std::vector<int>>& sets) {
    std::vector<CpuMask> masks;
    for (const std::vector<int>& set : sets) {
        masks.push_back(mask_of(set));
    }
    return std::all_of(masks.begin(), masks.end(),
                       [&](const CpuMask& mine) { return masks_suffice(masks, mine); });
}

TEST(lists_are_numbers_with_commas_between) {
    CHECK(parse_cpus("0", "list") == std::vector<int>{0});
    CHECK(parse_cpus("3,17,2", "list") == std::vector<int>({3, 17, 2}));
}

TEST(what_is_no_list_is_refused_by_name) {
    for (const char* text : {"", ",", "1,", "1,,2", "a", "-1", "1-3", " 1", "1.5"}) {
        CHECK_THROWS(UsageError, "PROGRESS", parse_cpus(text, "PROGRESS"));
    }
    CHECK_THROWS(UsageError, "no machine has CPU 1048576", parse_cpus("1048576", "PROGRESS"));
    CHECK_THROWS(UsageError, "PROGRESS", parse_cpus("99999999999999999999", "PROGRESS"));
}

TEST(a_mask_counts_the_cpus_of_its_list) {
    CHECK(cpu_count(mask_of({})) == 0);
    CHECK(cpu_count(mask_of({0, 63, 64, 8191, 0})) == 4);
    CHECK(is_within(mask_of({64}), mask_of({0, 64})));
    CHECK(!is_within(mask_of({0, 64}), mask_of({64})));
}

TEST(ranks_with_a_cpu_each_have_enough) {
    CHECK(suffice({{0}, {1}}));
    CHECK(suffice({{0, 1}, {0, 1}}));
    CHECK(suffice({{0}, {0, 1}, {0, 1, 2}}));
}

TEST(ranks_bound_to_the_same_cpu_are_oversubscribed_though_others_are_free) {
    CHECK(!suffice({{0}, {0}, {1, 2, 3}}));
    CHECK(!suffice({{0, 1}, {0}, {1}, {2, 3}}));
}

TEST(more_ranks_than_cpus_are_oversubscribed) { CHECK(!suffice({{0, 1}, {0, 1}, {0, 1}})); }

}  // namespace
}  // namespace machmeter
