// The cells of one rank: a block of a cube of cells, with a layer of others' cells around it.
#pragma once

#include <omp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "proxies/common/bricks.hpp"
#include "proxies/common/rank_grid.hpp"
#include "proxies/common/shares.hpp"

namespace machmeter::proxies::ofp {

// Cells of the cube are numbered from 0 along each dimension; those of the block are first <= i <
// first + count.
struct Block : RankGrid<3> {
    std::int64_t edge = 0;
    std::array<std::int64_t, 3> first{};
    std::array<std::int64_t, 3> count{};

    Block(std::int64_t cells, int rank, int size)
        : RankGrid(brick_counts(size, {1, 1, 1}), rank), edge(cells) {
        for (std::size_t d = 0; d < 3; ++d) {
            const Share share = share_of(cells, place[d], ranks[d]);
            first[d] = share.first;
            count[d] = share.count;
        }
    }

    // From one row, and from one plane, to the next.
    [[nodiscard]] std::int64_t row() const { return count[0] + 2; }
    [[nodiscard]] std::int64_t plane() const { return row() * (count[1] + 2); }
    [[nodiscard]] std::int64_t cells() const { return count[0] * count[1] * count[2]; }
    [[nodiscard]] std::int64_t padded() const { return plane() * (count[2] + 2); }
    [[nodiscard]] std::int64_t step(std::size_t d) const {
        return d == 0 ? 1 : d == 1 ? row() : plane();
    }

    // Of the first cell of a row; -1 and `count` are those of the layer around.
    [[nodiscard]] std::int64_t at(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return (x + 1) + row() * (y + 1) + plane() * (z + 1);
    }
};

// Calls `body(first cell of a row, y, z)` for every row of the block, shared out over the team: the
// same rows to the same thread each time.
template <class Body>
void for_rows(const Block& block, Body&& body) {
    const std::int64_t rows = block.count[1] * block.count[2];
#pragma omp parallel for schedule(static)
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t y = r % block.count[1];
        const std::int64_t z = r / block.count[1];
        body(block.at(0, y, z), y, z);
    }
}

// The sum over all rows of `body(first cell of a row)`.
template <class Body>
double sum_rows(const Block& block, Body&& body) {
    const std::int64_t rows = block.count[1] * block.count[2];
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::int64_t r = 0; r < rows; ++r) {
        sum += body(block.at(0, r % block.count[1], r / block.count[1]));
    }
    return sum;
}

// A value for each cell and for the layer around, 0 at first; the thread that works on a row
// touches it first.
class Field {
   public:
    explicit Field(const Block& block)
        : values_(new double[static_cast<std::size_t>(block.padded())]) {
        double* const values = values_.get();
        for_rows(block, [&](std::int64_t begin, std::int64_t /*y*/, std::int64_t /*z*/) {
            for (std::int64_t i = begin - 1; i <= begin + block.count[0]; ++i) {
                values[i] = 0;
            }
        });
        clear_around(block);
    }

    [[nodiscard]] double* data() const { return values_.get(); }

    // Of the layer around, the four sides and the two ends.
    void clear_around(const Block& block) const {
        double* const values = values_.get();
        const auto clear = [&](std::int64_t y, std::int64_t z) {
            for (std::int64_t x = -1; x <= block.count[0]; ++x) {
                values[block.at(x, y, z)] = 0;
            }
        };
        for (std::int64_t z = -1; z <= block.count[2]; ++z) {
            clear(-1, z);
            clear(block.count[1], z);
        }
        for (std::int64_t y = -1; y <= block.count[1]; ++y) {
            clear(y, -1);
            clear(y, block.count[2]);
        }
    }

   private:
    std::unique_ptr<double[]> values_;
};

}  // namespace machmeter::proxies::ofp
