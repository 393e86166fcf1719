// Sizes of teams as requested, and a walk over all threads of nested ones.
#include <omp.h>

#include <array>
#include <atomic>
#include <stdexcept>

#include "core/openmp/teams.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

TEST(threads_of_inner_teams_follow_those_of_the_team_before) {
    std::array<std::atomic<int>, 6> visits{};
    std::array<std::atomic<int>, 6> level{};
    omp_set_max_active_levels(2);
    on_every_thread({2, 3}, [&](int thread) {
        const auto number = static_cast<std::size_t>(thread);
        ++visits[number];
        level[number] = 3 * omp_get_ancestor_thread_num(1) + omp_get_thread_num();
    });
    omp_set_max_active_levels(1);
    for (std::size_t thread = 0; thread < visits.size(); ++thread) {
        CHECK(visits[thread] == 1);
        CHECK(level[thread] == static_cast<int>(thread));
    }
}

TEST(inner_teams_count_only_where_regions_may_be_nested) {
    omp_set_num_threads(3);
    omp_set_max_active_levels(1);
    const Teams flat = requested_teams();
    CHECK(flat.outer == 3 && flat.inner == 1);
    omp_set_max_active_levels(2);
    const Teams nested = requested_teams();
    CHECK(nested.outer == 3 && nested.inner == 3);
    omp_set_max_active_levels(1);
}

TEST(a_team_of_another_size_is_an_error_that_names_both) {
    require_team(3, 3);
    const auto lacking = [] {
        require_team(2, 3);
        return 0;
    };
    CHECK_THROWS(std::runtime_error, "the team has 2 threads of 3", lacking());
}

TEST(a_team_is_on_one_domain_at_least_and_on_no_more_than_it_has_threads) {
    omp_set_num_threads(1);
    CHECK(domains_of_team() == 1);
    omp_set_num_threads(3);
    CHECK(domains_of_team() >= 1 && domains_of_team() <= 3);
}

}  // namespace
}  // namespace machmeter
