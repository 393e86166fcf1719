// How large a simulation is, and whether ranks can share it out.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "core/values/parameters.hpp"
#include "proxies/common/lanes.hpp"
#include "proxies/gkpic/geometry.hpp"
#include "proxies/gkpic/particles.hpp"

namespace machmeter::proxies::gkpic {

struct Problem {
    std::int64_t planes = 0;
    std::int64_t surfaces = 0;
    std::int64_t points = 0;
    // Particles of each cell of the whole torus.
    std::int64_t per_cell = 0;

    // Between two planes: ranks of one domain have a share of each.
    [[nodiscard]] double in_interval() const {
        return static_cast<double>(per_cell) * static_cast<double>(surfaces - 1) *
               static_cast<double>(points);
    }
    [[nodiscard]] double particles() const { return in_interval() * static_cast<double>(planes); }
    [[nodiscard]] double nodes() const {
        return static_cast<double>(planes) * static_cast<double>(surfaces) *
               static_cast<double>(points);
    }
};

// Throws UsageError where particles are too many to be numbered, or too few for a rank.
inline void require_particles(const Problem& problem, int ranks) {
    constexpr double most = 9007199254740992.0;  // 2^53
    constexpr double least_of_rank = 64;
    const double all = problem.particles();
    if (all > most) {
        throw UsageError(
            "particles: more in all than the 2^53 that can be numbered: request fewer "
            "in a cell, or a smaller grid");
    }
    const Domain domain(problem.planes, 0, ranks);
    const double least =
        std::floor(problem.in_interval() / domain.copies) * static_cast<double>(domain.count);
    if (least < least_of_rank) {
        throw UsageError("particles: of " + std::to_string(std::llround(all)) + " a rank has " +
                         std::to_string(std::llround(least)) +
                         ", and 64 are the least: request more in a cell, fewer ranks, or "
                         "scaling=weak");
    }
}

inline constexpr double bytes_of_particle = columns * sizeof(double);
// Without the sums of threads, four values each: what particles read, charge, and two potentials.
inline constexpr double bytes_of_node = sizeof(Lanes) + 3 * sizeof(double);

// What one rank allocates.
inline double bytes_of_rank(const Problem& problem, int ranks, double threads) {
    // For particles that arrive, those that leave, and their messages.
    constexpr double room = 1.3;
    const auto rows = static_cast<double>(problem.surfaces);
    const double plane = rows * static_cast<double>(problem.points + 1);
    const Domain domain(problem.planes, 0, ranks);
    const double particles =
        std::ceil(problem.in_interval() / domain.copies) * static_cast<double>(domain.count);
    return particles * bytes_of_particle * room + static_cast<double>(domain.count + 1) * plane *
                                                      (bytes_of_node + threads * sizeof(Lanes));
}

}  // namespace machmeter::proxies::gkpic
