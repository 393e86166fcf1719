// The columns of one rank: a rectangle of a domain that is periodic along x and y, with others'
// columns around it.
#pragma once

#include <omp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "proxies/common/rank_grid.hpp"
#include "proxies/common/shares.hpp"

namespace machmeter::proxies::nwp {

// Columns of neighbors on each side: three that a flux of fifth order takes in, one more for the
// velocity there. Levels beyond the ground and the top.
inline constexpr std::int64_t halo = 4;
inline constexpr std::int64_t margin = 2;

// x then y. A cell i, k, j has x = i in the patch, level k, y = j; memory goes along x, then up,
// then along y.
struct Patch : RankGrid<2> {
    std::int64_t edge = 0;
    std::int64_t levels = 0;
    std::array<std::int64_t, 2> first{};
    std::array<std::int64_t, 2> count{};

    // Nearly square, longer along x, where rows are.
    Patch(std::int64_t cells, std::int64_t height, int rank, int size)
        : RankGrid(squarest_grid(size, [](int /*x*/, int /*y*/) { return true; }), rank),
          edge(cells),
          levels(height) {
        for (std::size_t d = 0; d < 2; ++d) {
            const Share share = share_of(cells, place[d], ranks[d]);
            first[d] = share.first;
            count[d] = share.count;
        }
    }

    [[nodiscard]] std::int64_t row() const { return count[0] + 2 * halo; }
    // One more than levels, for the faces above.
    [[nodiscard]] std::int64_t slab() const { return row() * (levels + 2 * margin + 1); }
    [[nodiscard]] std::int64_t padded() const { return slab() * (count[1] + 2 * halo); }
    [[nodiscard]] std::int64_t at(std::int64_t i, std::int64_t k, std::int64_t j) const {
        return (i + halo) + row() * (k + margin) + slab() * (j + halo);
    }
    // Along x, y and up.
    [[nodiscard]] std::array<std::int64_t, 3> steps() const { return {1, slab(), row()}; }
    [[nodiscard]] std::int64_t columns() const { return count[0] * count[1]; }
};

// `body(j)` for rows of columns from `begin` to before `end`, shared out over the team: the same to
// the same thread each time.
template <class Body>
void for_slabs(std::int64_t begin, std::int64_t end, Body&& body) {
#pragma omp parallel for schedule(static)
    for (std::int64_t j = begin; j < end; ++j) {
        body(j);
    }
}

// A value for each cell, or for the face towards smaller x, y or z; 0 at first, touched by the
// thread that works on it.
class Field {
   public:
    explicit Field(const Patch& patch)
        : values_(new double[static_cast<std::size_t>(patch.padded())]) {
        double* const values = values_.get();
        const auto clear = [&](std::int64_t j) {
            double* const slab = values + patch.at(-halo, -margin, j);
            for (std::int64_t n = 0; n < patch.slab(); ++n) {
                slab[n] = 0;
            }
        };
        for_slabs(0, patch.count[1], clear);
        for (std::int64_t j = -halo; j < 0; ++j) {
            clear(j);
            clear(patch.count[1] - 1 - j);
        }
    }

    [[nodiscard]] double* data() const { return values_.get(); }

   private:
    std::unique_ptr<double[]> values_;
};

}  // namespace machmeter::proxies::nwp
