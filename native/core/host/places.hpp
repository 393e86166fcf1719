// Where the calling thread may run and where it runs, as the kernel tells it.
#pragma once

#include <omp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <string>
#include <vector>

#include "core/values/json.hpp"

namespace machmeter {

struct ThreadPlace {
    int rank = 0;
    int thread = 0;
    std::string host;
    std::vector<int> cpus;
    int cpu = -1;
    int numa = -1;

    [[nodiscard]] std::string to_json() const {
        return json::Object{}
            .add("rank", json::integer(rank))
            .add("thread", json::integer(thread))
            .add("host", json::quote(host))
            .add("cpus", json::array(cpus, [](int number) { return json::integer(number); }))
            .add("cpu", json::integer(cpu))
            .add("numa", json::integer(numa))
            .str();
    }
};

inline std::string host_name() {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return name;
}

inline std::vector<int> allowed_cpus() {
    // The kernel refuses a mask smaller than its own; grow until it fits.
    for (int most = 1024; most <= 1 << 20; most *= 2) {
        cpu_set_t* set = CPU_ALLOC(most);
        const std::size_t bytes = CPU_ALLOC_SIZE(most);
        CPU_ZERO_S(bytes, set);
        const int failed = sched_getaffinity(0, bytes, set);
        const int reason = errno;
        std::vector<int> cpus;
        for (int cpu = 0; failed == 0 && cpu < most; ++cpu) {
            if (CPU_ISSET_S(cpu, bytes, set)) {
                cpus.push_back(cpu);
            }
        }
        CPU_FREE(set);
        if (failed == 0 || reason != EINVAL) {
            return cpus;
        }
    }
    return {};
}

inline ThreadPlace observe_place(int rank, int thread) {
    unsigned cpu = 0;
    unsigned node = 0;
    const bool known = syscall(SYS_getcpu, &cpu, &node, nullptr) == 0;
    return {rank,
            thread,
            host_name(),
            allowed_cpus(),
            known ? static_cast<int>(cpu) : -1,
            known ? static_cast<int>(node) : -1};
}

// NUMA domains that the threads of a team of this process run on.
inline std::size_t domains_of_team() {
    std::set<int> domains;
#pragma omp parallel
    {
        const int domain = observe_place(0, 0).numa;
#pragma omp critical
        domains.insert(domain);
    }
    return domains.size();
}

}  // namespace machmeter
