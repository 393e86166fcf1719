// Leapfrog steps in the field of the grid, gathered by cloud in cell, and in the focusing force.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "proxies/beampic/particles.hpp"
#include "proxies/beampic/problem.hpp"

namespace machmeter::proxies::beampic {

// Three complements and eight weights; of three components eight products and sums, then seven
// operations.
inline constexpr double flops_per_push = flops_per_place + 3 + 12 + 3 * (15 + 7);

// Where particles stay: beyond it they belong to a neighbor.
struct Bounds {
    double low_y;
    double high_y;
    double low_z;
    double high_z;

    explicit Bounds(const Domain& domain) {
        constexpr double none = std::numeric_limits<double>::infinity();
        const auto low = [&](std::size_t d, const Share& share) {
            return domain.place[d] == 0 ? -none : static_cast<double>(share.first);
        };
        const auto high = [&](std::size_t d, const Share& share) {
            const bool is_last = domain.place[d] == domain.ranks[d] - 1;
            return is_last ? none : static_cast<double>(share.end());
        };
        low_y = low(0, domain.y);
        low_z = low(1, domain.z);
        high_y = high(0, domain.y);
        high_z = high(1, domain.z);
    }

    // -1, 0 or 1 domain away.
    [[nodiscard]] int away_y(double y) const { return int{y >= high_y} - int{y < low_y}; }
    [[nodiscard]] int away_z(double z) const { return int{z >= high_z} - int{z < low_z}; }
};

struct Push {
    const Particles& particles;
    Lattice lattice;
    Bounds bounds;
    // The field at each point: three components.
    const Lanes* field;
    double charge_over_mass;
    double focusing;
    double center;

    // Those that left the domain are appended.
    void groups(std::int64_t begin, std::int64_t end, std::vector<std::int64_t>& gone) const {
        for (std::int64_t group = begin; group < end; ++group) {
            const std::int64_t first = group * lane_count;
            const Cells cells = lattice.cells(particles, first);
            const Columns field_at = gathered(cells);
            move(0, first, field_at.x);
            move(1, first, field_at.y);
            move(2, first, field_at.z);
            const Lanes y = load(particles[1] + first);
            const Lanes z = load(particles[2] + first);
            const LaneBits out = (y < bounds.low_y) | (y >= bounds.high_y) | (z < bounds.low_z) |
                                 (z >= bounds.high_z);
            if ((out[0] | out[1] | out[2] | out[3]) != 0) {
                const std::int64_t last = std::min(first + lane_count, particles.count());
                for (std::int64_t i = first; i < last; ++i) {
                    if (out[static_cast<int>(i - first)] != 0) {
                        gone.push_back(i);
                    }
                }
            }
        }
    }

   private:
    [[nodiscard]] Columns gathered(const Cells& cells) const {
        const Lanes low_low = (1 - cells.z) * (1 - cells.y);
        const Lanes low_high = (1 - cells.z) * cells.y;
        const Lanes high_low = cells.z * (1 - cells.y);
        const Lanes high_high = cells.z * cells.y;
        std::array<Lanes, lane_count> of{};
        for (int l = 0; l < lane_count; ++l) {
            const Lanes* const at = field + cells.low[l];
            const auto row = [&](const Lanes* place) {
                return place[0] * (1 - cells.x[l]) + place[1] * cells.x[l];
            };
            of[static_cast<std::size_t>(l)] =
                (row(at) * low_low[l] + row(at + lattice.row) * low_high[l]) +
                (row(at + lattice.plane) * high_low[l] +
                 row(at + lattice.plane + lattice.row) * high_high[l]);
        }
        return columns_of(of[0], of[1], of[2], of[3]);
    }

    // Along a dimension.
    void move(std::size_t dimension, std::int64_t first, const Lanes& of) const {
        double* const position = particles[dimension] + first;
        double* const velocity = particles[dimension + 3] + first;
        const Lanes before = load(position);
        const Lanes now = load(velocity) + (of * charge_over_mass - (before - center) * focusing);
        store(velocity, now);
        store(position, before + now);
    }
};

}  // namespace machmeter::proxies::beampic
