// The boxes of a cube in Morton order (Morton, IBM 1966), shared out over ranks in equal parts of
// it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "proxies/common/shares.hpp"

namespace machmeter::proxies::lowmach {

// Of a box, in boxes along x, y, z.
using Place = std::array<std::int64_t, 3>;

// Numbers follow each other along the curve without gaps, for any edge: found by walking down the
// octree, so that no rank needs a list of all boxes.
struct Curve {
    std::int64_t edge = 1;
    int ranks = 1;

    [[nodiscard]] std::int64_t count() const { return edge * edge * edge; }

    [[nodiscard]] std::int64_t number(const Place& place) const {
        std::int64_t before = 0;
        walk([&](const Place& corner, std::int64_t size, std::int64_t boxes) {
            for (std::size_t d = 0; d < 3; ++d) {
                if (place[d] < corner[d] || place[d] >= corner[d] + size) {
                    before += boxes;
                    return false;
                }
            }
            return true;
        });
        return before;
    }

    [[nodiscard]] Place place(std::int64_t number) const {
        return walk([&](const Place& /*corner*/, std::int64_t /*size*/, std::int64_t boxes) {
            if (number < boxes) {
                return true;
            }
            number -= boxes;
            return false;
        });
    }

    // The number of the first box of a rank, and of its end for the next one.
    [[nodiscard]] std::int64_t first(int rank) const {
        return first_of_share(count(), rank, ranks);
    }
    [[nodiscard]] int owner(std::int64_t number) const {
        return static_cast<int>(((number + 1) * ranks - 1) / count());
    }

   private:
    // Descends into the first octant that `enters(corner, size, boxes in it)`, to a single box.
    template <class Enters>
    Place walk(Enters&& enters) const {
        Place corner{};
        auto size = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(edge)));
        while (size > 1) {
            size /= 2;
            for (unsigned octant = 0; octant < 8; ++octant) {
                Place at = corner;
                std::int64_t boxes = 1;
                for (std::size_t d = 0; d < 3; ++d) {
                    at[d] += ((octant >> d) & 1U) != 0 ? size : 0;
                    boxes *= std::clamp<std::int64_t>(edge - at[d], 0, size);
                }
                if (enters(at, size, boxes)) {
                    corner = at;
                    break;
                }
            }
        }
        return corner;
    }
};

}  // namespace machmeter::proxies::lowmach
