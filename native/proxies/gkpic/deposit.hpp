// The charge of particles on the grid: 32 additions each, in every thread to a copy of its own.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "proxies/common/lanes.hpp"
#include "proxies/gkpic/geometry.hpp"
#include "proxies/gkpic/particles.hpp"
#include "proxies/gkpic/stencil.hpp"

namespace machmeter::proxies::gkpic {

// Of one particle: its stencil (90), angle and gyroradius (38 + 8), 4 x 2 x (4 shares, 4 sums) and
// 10 for the shares of planes.
inline constexpr double flops_per_deposit = Mesh::flops + 46 + 4 * 2 * (4 * 2 + 4) + 10;

// The gyroradius of four particles where they are.
inline Lanes gyroradii(const Mesh& mesh, const Particles& particles, std::int64_t begin) {
    const Lanes at = load(particles[radius] + begin);
    const Lanes cosine = sine_cosine(load(particles[poloidal] + begin)).cosine;
    const Lanes field = 1.0 - at * cosine * (1 / major_radius);
    return mesh.gyroradius * load(particles[across] + begin) / root_of(field);
}

inline void stencils_of(const Mesh& mesh, const Particles& particles, std::int64_t begin,
                        const Lanes& gyration, std::array<Stencil, lane_count>& result) {
    mesh.stencils(particles[radius] + begin, particles[poloidal] + begin,
                  particles[toroidal] + begin, gyration, result);
}

// Sums of one thread. The value of node j of an interval is of four nodes: j and j + 1 on the plane
// before it, then the same on the plane after it, so that one addition of four serves all.
class Deposits {
   public:
    Deposits(const Grid& grid, const Domain& domain)
        : size_(domain.count * grid.plane()),
          of_thread_(static_cast<std::size_t>(omp_get_max_threads())) {
#pragma omp parallel num_threads(threads())
        of_thread_[static_cast<std::size_t>(omp_get_thread_num())].reset(
            new Lanes[static_cast<std::size_t>(size_)]);
    }

    [[nodiscard]] int threads() const { return static_cast<int>(of_thread_.size()); }
    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] const Lanes* of_thread(int thread) const {
        return of_thread_[static_cast<std::size_t>(thread)].get();
    }

    // The charge of all particles of this rank.
    void add(const Mesh& mesh, const Particles& particles) const {
        const std::int64_t groups = particles.groups();
#pragma omp parallel num_threads(threads())
        {
            Lanes* const sums = of_thread_[static_cast<std::size_t>(omp_get_thread_num())].get();
            std::fill(sums, sums + size_, Lanes{});
#pragma omp for schedule(static)
            for (std::int64_t group = 0; group < groups; ++group) {
                const std::int64_t begin = group * lane_count;
                const Lanes gyration = gyroradii(mesh, particles, begin);
                std::array<Stencil, lane_count> stencils;
                stencils_of(mesh, particles, begin, gyration, stencils);
                const std::int64_t count =
                    std::min<std::int64_t>(lane_count, particles.count() - begin);
                for (std::int64_t i = 0; i < count; ++i) {
                    add(sums, stencils[static_cast<std::size_t>(i)], particles[weight][begin + i]);
                }
            }
        }
    }

   private:
    static void add(Lanes* sums, const Stencil& stencil, double charge) {
        const double quarter = charge / 4;
        const double ahead = quarter * stencil.ahead;
        const double behind = quarter - ahead;
        const Lanes planes{behind, behind, ahead, ahead};
        // Shares of the nodes before and after: first + share slope.
        const Lanes first = planes * Lanes{1, 0, 1, 0};
        const Lanes slope = planes * Lanes{-1, 1, -1, 1};
        for (int point = 0; point < lane_count; ++point) {
            const double outward = stencil.outward[point];
            sums[stencil.inner[point]] +=
                (1 - outward) * (first + stencil.after_inner[point] * slope);
            sums[stencil.outer[point]] += outward * (first + stencil.after_outer[point] * slope);
        }
    }

    std::int64_t size_;
    std::vector<std::unique_ptr<Lanes[]>> of_thread_;
};

}  // namespace machmeter::proxies::gkpic
