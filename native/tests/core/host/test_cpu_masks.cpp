// Ranks bound to sets of CPUs: whether each has one.
#include <algorithm>
#include <vector>

#include "core/host/cpu_masks.hpp"
#include "tests/support/check.hpp"

namespace {

using machmeter::CpuMask;
using machmeter::mask_of;

bool suffice(const std::vector<std::vector<int>>& sets) {
    std::vector<CpuMask> masks;
    for (const std::vector<int>& set : sets) {
        masks.push_back(mask_of(set));
    }
    return std::all_of(masks.begin(), masks.end(),
                       [&](const CpuMask& mine) { return machmeter::masks_suffice(masks, mine); });
}

TEST(a_mask_counts_the_cpus_of_its_list) {
    CHECK(machmeter::cpu_count(mask_of({})) == 0);
    CHECK(machmeter::cpu_count(mask_of({0, 63, 64, 8191, 0})) == 4);
    CHECK(machmeter::is_within(mask_of({64}), mask_of({0, 64})));
    CHECK(!machmeter::is_within(mask_of({0, 64}), mask_of({64})));
}

TEST(ranks_with_a_cpu_each_have_enough) {
    CHECK(suffice({{0}, {1}}));
    CHECK(suffice({{0, 1}, {0, 1}}));
    CHECK(suffice({{0}, {0, 1}, {0, 1, 2}}));
}

TEST(ranks_bound_to_the_same_cpu_are_crowded_though_others_are_free) {
    CHECK(!suffice({{0}, {0}, {1, 2, 3}}));
    CHECK(!suffice({{0, 1}, {0}, {1}, {2, 3}}));
}

TEST(more_ranks_than_cpus_are_crowded) { CHECK(!suffice({{0, 1}, {0, 1}, {0, 1}})); }

}  // namespace
