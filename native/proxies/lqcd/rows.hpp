// What a rank keeps of one parity: values at its sites, row by row, and at those of other ranks
// that its equations take in.
#pragma once

#include <omp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "proxies/common/lanes.hpp"
#include "proxies/lqcd/lattice.hpp"
#include "proxies/lqcd/su3.hpp"

namespace machmeter::proxies::lqcd {

// Real and imaginary part of each color.
inline constexpr std::int64_t parts = 6;
// Sites of a row that a site three steps beside its end is away from it.
inline constexpr std::int64_t margin = 2;

// `body(row)` for every row, shared out over the team: the same rows to the same thread each time.
// Returns the sum of what it returns.
template <class Body>
double sum_rows(const Block& block, Body&& body) {
    const std::int64_t rows = block.rows();
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::int64_t row = 0; row < rows; ++row) {
        sum += body(row);
    }
    return sum;
}

template <class Body>
void for_rows(const Block& block, Body&& body) {
    const std::int64_t rows = block.rows();
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
        body(row);
    }
}

// Rows by number: those of the block, and behind them, for each side of y, z and t on which another
// rank is, those that it sends: three layers, the nearest first.
class RowMap {
   public:
    explicit RowMap(const Block& block) : block_(block), end_(block.rows()) {
        for (std::size_t d = 1; d < dimensions; ++d) {
            for (const std::size_t side : {0U, 1U}) {
                begin_[d][side] = end_;
                end_ += block.is_divided(d) ? farthest * face(d) : 0;
            }
        }
        next_.resize(static_cast<std::size_t>(block.rows()) * (dimensions - 1) * 4);
        for_rows(block, [&](std::int64_t row) {
            for (std::size_t d = 1; d < dimensions; ++d) {
                for (std::size_t which = 0; which < steps.size(); ++which) {
                    next_[slot(row, d, which)] = find(row, d, steps[which]);
                }
            }
        });
    }

    static constexpr std::array<std::int64_t, 4> steps{1, -1, farthest, -farthest};

    // The row so many of `steps` further along y, z or t.
    [[nodiscard]] std::int64_t next(std::int64_t row, std::size_t d, std::size_t which) const {
        return next_[slot(row, d, which)];
    }
    // Those of other ranks included.
    [[nodiscard]] std::int64_t count() const { return end_; }
    // Rows of one layer across a dimension.
    [[nodiscard]] std::int64_t face(std::size_t d) const { return block_.rows() / block_.count[d]; }
    // The first row of a layer of another rank, 0 the nearest.
    [[nodiscard]] std::int64_t layer(std::size_t d, int side, std::int64_t depth) const {
        return begin_[d][side > 0 ? 1 : 0] + depth * face(d);
    }
    // The row that is number `index` of those at a place across a dimension.
    [[nodiscard]] std::int64_t across(std::size_t d, std::int64_t at, std::int64_t index) const {
        Site place{};
        place[d] = at;
        for (std::size_t other = 1; other < dimensions; ++other) {
            if (other != d) {
                place[other] = index % block_.count[other];
                index /= block_.count[other];
            }
        }
        return block_.row_at(place);
    }

   private:
    [[nodiscard]] static std::size_t slot(std::int64_t row, std::size_t d, std::size_t which) {
        return (static_cast<std::size_t>(row) * (dimensions - 1) + d - 1) * steps.size() + which;
    }
    [[nodiscard]] std::int64_t find(std::int64_t row, std::size_t d, std::int64_t distance) const {
        Site place = block_.place_of(row);
        const std::int64_t count = block_.count[d];
        const std::int64_t to = place[d] + distance;
        if (!block_.is_divided(d) || (to >= 0 && to < count)) {
            place[d] = (to + count) % count;
            return block_.row_at(place);
        }
        std::int64_t index = 0;
        for (std::size_t other = dimensions; other-- > 1;) {
            index = other == d ? index : index * block_.count[other] + place[other];
        }
        return to < 0 ? layer(d, -1, -1 - to) + index : layer(d, 1, to - count) + index;
    }

    Block block_;
    std::array<std::array<std::int64_t, 2>, dimensions> begin_{};
    std::int64_t end_;
    std::vector<std::int64_t> next_;
};

// A color at each site of some rows, part by part; the thread that works on a row touches it first.
class Field {
   public:
    // rows: those of the block first; beside: places at each end of a row.
    Field(const Block& block, std::int64_t rows, std::int64_t beside)
        : beside_(beside),
          // Whole lanes reach up to three sites beyond the row.
          width_((block.half() + lane_count - 1) / lane_count * lane_count + 2 * beside),
          values_(new double[static_cast<std::size_t>(rows * parts * width_)]) {
        for_rows(block, [&](std::int64_t row) { clear(row); });
        for (std::int64_t row = block.rows(); row < rows; ++row) {
            clear(row);
        }
    }

    // Of its sites, beginning with the first.
    [[nodiscard]] double* part(std::int64_t row, std::int64_t number) const {
        return values_.get() + (row * parts + number) * width_ + beside_;
    }
    // From one part to the next.
    [[nodiscard]] std::int64_t width() const { return width_; }

    void set(std::int64_t row, std::int64_t i, const Color& color) const {
        for (std::size_t c = 0; c < colors; ++c) {
            part(row, static_cast<std::int64_t>(2 * c))[i] = color[c].real();
            part(row, static_cast<std::int64_t>(2 * c + 1))[i] = color[c].imag();
        }
    }
    [[nodiscard]] Color get(std::int64_t row, std::int64_t i) const {
        Color color;
        for (std::size_t c = 0; c < colors; ++c) {
            color[c] = {part(row, static_cast<std::int64_t>(2 * c))[i],
                        part(row, static_cast<std::int64_t>(2 * c + 1))[i]};
        }
        return color;
    }

    // Where one block has the whole of x, both ends of a row see the other end.
    void wrap(const Block& block, std::int64_t row) const {
        const std::int64_t half = block.half();
        for (std::int64_t number = 0; number < parts && !block.is_divided(0); ++number) {
            double* const values = part(row, number);
            for (std::int64_t i = 0; i < margin; ++i) {
                values[half + i] = values[i];
                values[i - margin] = values[half + i - margin];
            }
        }
    }

   private:
    void clear(std::int64_t row) const {
        for (std::int64_t i = 0; i < parts * width_; ++i) {
            part(row, 0)[i - beside_] = 0;
        }
    }

    std::int64_t beside_;
    std::int64_t width_;
    std::unique_ptr<double[]> values_;
};

}  // namespace machmeter::proxies::lqcd
