// The list of fluid cells as runs: consecutive cells whose neighbors are as far away in the list,
// or solid, in every direction alike.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codes/lbm/geometry.hpp"

namespace machmeter::lbm {

struct Run {
    std::int32_t first;
    std::int32_t cells;
    // Of directions whose neighbor is solid: what arrives left the cell itself and came back.
    std::uint32_t from_wall;
    // From a cell to where what arrives comes from, in the list; 0 from a wall.
    std::array<std::int32_t, directions> offsets;
};

inline Run run_of(const Geometry& geometry, const Place& place) {
    const std::int32_t own = geometry.number(place);
    Run run{own, 1, 0, {}};
    Place from{};
    for (std::size_t q = 1; q < directions; ++q) {
        if (geometry.comes_from_fluid(place, q, from)) {
            run.offsets[q] = geometry.number(from) - own;
        } else {
            run.from_wall |= 1U << q;
        }
    }
    return run;
}

inline std::vector<Run> runs_of(const Geometry& geometry) {
    const Sizes& sizes = geometry.sizes();
    std::vector<Run> runs;
    for (std::size_t z = 0; z < sizes[2]; ++z) {
        for (std::size_t y = 0; y < sizes[1]; ++y) {
            for (std::size_t x = 0; x < sizes[0]; ++x) {
                if (geometry.number({x, y, z}) == Geometry::solid) {
                    continue;
                }
                const Run one = run_of(geometry, {x, y, z});
                if (!runs.empty() && runs.back().from_wall == one.from_wall &&
                    runs.back().offsets == one.offsets) {
                    ++runs.back().cells;
                } else {
                    runs.push_back(one);
                }
            }
        }
    }
    return runs;
}

// The first run of each thread, and the end: about as many cells for each.
inline std::vector<std::size_t> shares_of(const std::vector<Run>& runs, std::size_t cells,
                                          int threads) {
    std::vector<std::size_t> begins{0};
    for (int thread = 1; thread < threads; ++thread) {
        const std::size_t wanted =
            cells * static_cast<std::size_t>(thread) / static_cast<std::size_t>(threads);
        std::size_t run = begins.back();
        while (run < runs.size() && static_cast<std::size_t>(runs[run].first) < wanted) {
            ++run;
        }
        begins.push_back(run);
    }
    begins.push_back(runs.size());
    return begins;
}

}  // namespace machmeter::lbm
