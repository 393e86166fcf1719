// The memory of each NUMA domain of a node by itself: a channel that is slow or gone shows there by
// a larger share than in the node's whole bandwidth.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/clock/sampling.hpp"
#include "core/host/places.hpp"
#include "core/openmp/teams.hpp"
#include "memory/stream/arrays.hpp"

namespace machmeter::nodes {

// The NUMA domain of each thread of the team.
inline std::vector<int> domain_of_threads() {
    std::vector<int> domains(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
    domains[static_cast<std::size_t>(omp_get_thread_num())] = current_domain();
    return domains;
}

// domain: -1 where all threads are in one; seconds: of each sweep of its threads alone; share: of
// the elements of the arrays that these sweep.
struct SlowestDomain {
    int domain = -1;
    std::vector<double> seconds;
    double share = 0;
};

// The domain whose threads sweep the least in a second while the others do nothing, by the median
// of so many sweeps of each.
inline SlowestDomain slowest_domain(stream::Arrays& arrays, double (*kernel)(const stream::Chunk&),
                                    double scalar, const std::vector<int>& domain_of,
                                    std::size_t sweeps, const Clock& clock) {
    const std::set<int> domains(domain_of.begin(), domain_of.end());
    SlowestDomain slowest;
    double least = 0;
    for (const int domain : domains.size() > 1 ? domains : std::set<int>{}) {
        const auto is_there = [&](std::size_t thread) { return domain_of[thread] == domain; };
        const auto sweep = [&] { arrays.sweep_part(kernel, scalar, is_there); };
        // The first one finds the caches as the domain before left them.
        sweep();
        std::vector<double> seconds(sweeps);
        for (double& one : seconds) {
            one = time_alone(clock, sweep);
        }
        const double share = arrays.share_of(is_there);
        const double rate = share / median(seconds);
        if (slowest.domain < 0 || rate < least) {
            slowest = {domain, seconds, share};
            least = rate;
        }
    }
    return slowest;
}

}  // namespace machmeter::nodes
