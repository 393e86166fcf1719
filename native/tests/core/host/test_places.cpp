#include <sched.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "core/host/places.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

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

TEST(a_thread_stays_where_it_is_bound) {
    const int last = allowed_cpus().back();
    std::vector<int> obtained;
    std::thread([&] {
        bind_thread_to({last});
        obtained = allowed_cpus();
    }).join();
    CHECK(obtained == std::vector<int>{last});
}

TEST(absent_cpus_cannot_be_bound_to) {
    CHECK_THROWS(std::runtime_error, "cannot bind", (bind_thread_to({(1 << 20) - 1}), 0));
}

TEST(a_place_is_written_with_all_its_parts) {
    const ThreadPlace place{1, 2, "host", {3, 4}, 3, 0};
    CHECK(place.to_json() ==
          R"({"rank":1,"thread":2,"host":"host","cpus":[3,4],"cpu":3,"numa":0})");
}

}  // namespace
}  // namespace machmeter
