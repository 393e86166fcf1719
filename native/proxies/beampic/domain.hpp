// Ranks in rows along y and columns along z, and what each has of the grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/values/parameters.hpp"
#include "proxies/beampic/problem.hpp"
#include "proxies/common/lanes.hpp"

namespace machmeter::proxies::beampic {

// From `begin` up to `begin + count`.
struct Share {
    std::int64_t begin = 0;
    std::int64_t count = 0;

    Share(std::int64_t all, int part, int parts)
        : begin(first(all, part, parts)), count(first(all, part + 1, parts) - begin) {}

   private:
    // all * part / parts, where the product may be too large.
    static std::int64_t first(std::int64_t all, int part, int parts) {
        return all / parts * part + all % parts * part / parts;
    }
};

// Of four.
inline std::int64_t groups_of(std::int64_t count) { return (count + lane_count - 1) / lane_count; }

// Wave numbers along x from 0 to the highest: half of those of the doubled grid, as the charge is
// real.
inline std::int64_t wave_groups(std::int64_t edge) { return groups_of(edge + 1); }

// How many ranks along y and z.
struct RankGrid {
    int y = 1;
    int z = 1;

    [[nodiscard]] int rank(int at_y, int at_z) const { return at_z * y + at_y; }
};

// The squarest grid of ranks in which each has two layers of points along y and z, so that guards
// come from neighbors alone, and some waves along x. Throws UsageError where there is none.
inline RankGrid rank_grid(std::int64_t edge, int ranks) {
    std::optional<RankGrid> best;
    for (int y = 1; y <= ranks / y; ++y) {
        const int z = ranks / y;
        if (ranks % y == 0 && 2 * std::int64_t{z} <= edge && y <= wave_groups(edge)) {
            best = {y, z};
        }
    }
    if (!best) {
        throw UsageError("cells: " + std::to_string(edge) + " along an edge cannot be shared out " +
                         "over " + std::to_string(ranks) +
                         " ranks in rows and columns, two layers or more for each: request more "
                         "cells, another number of ranks, or scaling=weak");
    }
    return *best;
}

struct Domain {
    std::int64_t edge;
    RankGrid ranks;
    int at_y;
    int at_z;
    Share y;
    Share z;

    Domain(std::int64_t points, int rank, int size)
        : edge(points),
          ranks(rank_grid(points, size)),
          at_y(rank % ranks.y),
          at_z(rank / ranks.y),
          y(points, at_y, ranks.y),
          z(points, at_z, ranks.z) {}

    // The rank so many domains further; -1 beyond the grid.
    [[nodiscard]] int neighbor(int step_y, int step_z) const {
        const int to_y = at_y + step_y;
        const int to_z = at_z + step_z;
        const bool is_inside = to_y >= 0 && to_y < ranks.y && to_z >= 0 && to_z < ranks.z;
        return is_inside ? ranks.rank(to_y, to_z) : -1;
    }
    // Ranks along y in this one's row, and along z in its column.
    [[nodiscard]] std::vector<int> row() const {
        std::vector<int> all(static_cast<std::size_t>(ranks.y));
        for (int other = 0; other < ranks.y; ++other) {
            all[static_cast<std::size_t>(other)] = ranks.rank(other, at_z);
        }
        return all;
    }
    [[nodiscard]] std::vector<int> column() const {
        std::vector<int> all(static_cast<std::size_t>(ranks.z));
        for (int other = 0; other < ranks.z; ++other) {
            all[static_cast<std::size_t>(other)] = ranks.rank(at_y, other);
        }
        return all;
    }
};

}  // namespace machmeter::proxies::beampic
