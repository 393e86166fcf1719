#include "core/openmp/teams.hpp"

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>

#include "core/host/places.hpp"

namespace machmeter {

Teams requested_teams() {
    Teams teams{omp_get_max_threads(), 1};
    if (omp_get_max_active_levels() < 2) {
        return teams;
    }
#pragma omp parallel num_threads(teams.outer)
    if (omp_get_thread_num() == 0) {
        teams.inner = omp_get_max_threads();
    }
    return teams;
}

void require_team(std::size_t threads, std::size_t requested) {
    if (threads != requested) {
        throw std::runtime_error("the team has " + std::to_string(threads) + " threads of " +
                                 std::to_string(requested) +
                                 ": unset OMP_DYNAMIC and OMP_THREAD_LIMIT");
    }
}

void require_whole(const Teams& teams) {
    std::atomic<int> threads = 0;
    on_every_thread(teams, [&](int /*thread*/) { ++threads; });
    if (threads != teams.threads()) {
        throw std::runtime_error(
            "OpenMP gave " + std::to_string(threads) + " threads where " +
            std::to_string(teams.outer) + " x " + std::to_string(teams.inner) +
            " were requested: see OMP_DYNAMIC, OMP_THREAD_LIMIT and OMP_MAX_ACTIVE_LEVELS");
    }
}

std::size_t domains_of_team() {
    std::set<int> domains;
#pragma omp parallel
    {
        const int domain = current_domain();
#pragma omp critical
        domains.insert(domain);
    }
    return domains.size();
}

}  // namespace machmeter
