// Which sizes can be shared out over ranks.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/values/parameters.hpp"
#include "proxies/lowmach/problem.hpp"

namespace machmeter::proxies::lowmach {

// strong: a cube of so many cells along an edge; weak: as many more boxes as there are ranks, in a
// cube again, whose edge is rounded. Throws UsageError where boxes do not divide the cube, or a
// rank would have none.
inline Problem problem_of(std::int64_t cells, std::int64_t box, bool weak, int ranks) {
    if (!std::has_single_bit(static_cast<std::uint64_t>(box))) {
        throw UsageError("box: multigrid halves boxes down to 2 cells an edge, which " +
                         std::to_string(box) + " does not allow: request a power of two");
    }
    if (cells % box != 0) {
        throw UsageError("cells: " + std::to_string(cells) + " along an edge are no multiple of " +
                         std::to_string(box) +
                         " of a box: request a multiple, or a smaller power of two for box");
    }
    std::int64_t along = cells / box;
    if (weak) {
        along = std::llround(static_cast<double>(along) * std::cbrt(ranks));
    }
    // Where Curve multiplies them by ranks, they are to stay within int64.
    if (std::pow(static_cast<double>(along), 3) * ranks > 9e18) {
        throw UsageError("cells: a cube of " + std::to_string(along * box) +
                         " has more boxes than can be numbered: request fewer cells or a larger "
                         "box");
    }
    if (along * along * along < ranks) {
        throw UsageError("cells: " + std::to_string(along * along * along) +
                         " boxes cannot be shared out over " + std::to_string(ranks) +
                         " ranks: request more cells, a smaller box, or fewer ranks");
    }
    return {along * box, box};
}

}  // namespace machmeter::proxies::lowmach
