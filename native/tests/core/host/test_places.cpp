#include <algorithm>

#include "core/host/places.hpp"
#include "tests/support/check.hpp"

namespace machmeter {

TEST(the_allowed_cpus_are_the_ones_the_kernel_allows) {
    cpu_set_t set;
    CPU_ZERO(&set);
    // A kernel with more CPUs than this set holds refuses it: nothing to compare with then.
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        std::vector<int> expected;
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &set)) {
                expected.push_back(cpu);
            }
        }
        CHECK(allowed_cpus() == expected);
    }
    CHECK(!allowed_cpus().empty());
}

TEST(a_bound_thread_is_seen_where_it_was_bound) {
    cpu_set_t before;
    CPU_ZERO(&before);
    if (sched_getaffinity(0, sizeof before, &before) != 0) {
        return;
    }
    for (const int cpu : allowed_cpus()) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
        const ThreadPlace place = observe_place(4, 5);
        CHECK(place.rank == 4 && place.thread == 5);
        CHECK(place.cpu == cpu);
        CHECK(place.cpus == std::vector<int>{cpu});
        CHECK(place.numa >= 0);
    }
    sched_setaffinity(0, sizeof before, &before);
}

TEST(a_team_is_on_one_domain_at_least_and_on_no_more_than_it_has_threads) {
    omp_set_num_threads(1);
    CHECK(domains_of_team() == 1);
    omp_set_num_threads(3);
    CHECK(domains_of_team() >= 1 && domains_of_team() <= 3);
}

TEST(a_place_is_written_with_all_its_parts) {
    const ThreadPlace place{1, 2, "host", {3, 4}, 3, 0};
    CHECK(place.to_json() ==
          R"({"rank":1,"thread":2,"host":"host","cpus":[3,4],"cpu":3,"numa":0})");
}

}  // namespace machmeter
