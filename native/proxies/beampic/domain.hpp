// Ranks in rows along y and columns along z, and what each has of the grid.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/values/parameters.hpp"
#include "proxies/beampic/problem.hpp"
#include "proxies/common/lanes.hpp"
#include "proxies/common/rank_grid.hpp"
#include "proxies/common/shares.hpp"

namespace machmeter::proxies::beampic {

// Of four.
inline std::int64_t groups_of(std::int64_t count) { return (count + lane_count - 1) / lane_count; }

// Wave numbers along x from 0 to the highest: half of those of the doubled grid, as the charge is
// real.
inline std::int64_t wave_groups(std::int64_t edge) { return groups_of(edge + 1); }

// The squarest grid of ranks in which each has two layers of points along y and z, so that guards
// come from neighbors alone, and some waves along x. Throws UsageError where there is none.
inline std::array<int, 2> grid_of(std::int64_t edge, int ranks) {
    const auto best = squarest_grid(
        ranks, [&](int y, int z) { return 2 * std::int64_t{z} <= edge && y <= wave_groups(edge); });
    if (best[0] == 0) {
        throw UsageError("cells: " + std::to_string(edge) + " along an edge cannot be shared out " +
                         "over " + std::to_string(ranks) +
                         " ranks in rows and columns, two layers or more for each: request more "
                         "cells, another number of ranks, or scaling=weak");
    }
    return best;
}

// Along y, then along z.
struct Domain : RankGrid<2> {
    std::int64_t edge;
    Share y;
    Share z;

    Domain(std::int64_t points, int rank, int size)
        : RankGrid(grid_of(points, size), rank),
          edge(points),
          y(share_of(points, place[0], ranks[0])),
          z(share_of(points, place[1], ranks[1])) {}
};

}  // namespace machmeter::proxies::beampic
