// The Dirac operator of one parity on the other: at each site the sum of 16 links times the colors
// one step and three steps away.
#pragma once

#include <omp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "proxies/common/lanes.hpp"
#include "proxies/lqcd/gauge.hpp"
#include "proxies/lqcd/lattice.hpp"
#include "proxies/lqcd/rows.hpp"

namespace machmeter::proxies::lqcd {

// Along each dimension by +1, -1, +3, -3.
inline constexpr std::size_t terms = 4 * dimensions;
inline constexpr std::size_t parts_of_matrix = 2 * colors * colors;

inline std::int64_t groups_of(const Block& block) {
    return (block.half() + lane_count - 1) / lane_count;
}

// All links of the sites of one parity, those that end there too, so that a site's are read as one
// stream: for every four sites of a row the matrices of each term, with its weight and sign. Of
// sites beyond a row 0.
class Links {
   public:
    Links(const Block& block, const Gauge& gauge, int parity)
        : groups_(groups_of(block)),
          values_(new Lanes[static_cast<std::size_t>(block.rows() * groups_) * per_group]) {
        for_rows(block, [&](std::int64_t row) {
            std::memset(of(row, 0), 0,
                        static_cast<std::size_t>(groups_) * per_group * sizeof(Lanes));
            for (std::int64_t i = 0; i < block.half(); ++i) {
                fill(gauge, block.site(parity, row, i), row, i);
            }
        });
    }

    static constexpr std::size_t per_group = terms * parts_of_matrix;

    [[nodiscard]] Lanes* of(std::int64_t row, std::int64_t group) const {
        return values_.get() + static_cast<std::size_t>(row * groups_ + group) * per_group;
    }

   private:
    void fill(const Gauge& gauge, const Site& site, std::int64_t row, std::int64_t i) const {
        for (std::size_t d = 0; d < dimensions; ++d) {
            for (const std::size_t far : {0U, 1U}) {
                const std::int64_t steps = far == 1 ? farthest : 1;
                const std::size_t term = 4 * d + 2 * far;
                put(gauge.path(site, d, steps), row, i, term);
                put(scaled(-1, dagger(gauge.path(gauge.moved(site, d, -steps), d, steps))), row, i,
                    term + 1);
            }
        }
    }
    void put(const Matrix& matrix, std::int64_t row, std::int64_t i, std::size_t term) const {
        Lanes* const to = of(row, i / lane_count) + term * parts_of_matrix;
        for (std::size_t k = 0; k < colors * colors; ++k) {
            const Complex element = matrix[k / colors][k % colors];
            to[2 * k][i % lane_count] = element.real();
            to[2 * k + 1][i % lane_count] = element.imag();
        }
    }

    std::int64_t groups_;
    std::unique_ptr<Lanes[]> values_;
};

using ColorLanes = std::array<Lanes, parts>;

// sum += matrix color, each of four sites.
inline void add_product(ColorLanes& sum, const Lanes* matrix, const double* color,
                        std::int64_t width) {
    for (std::size_t j = 0; j < colors; ++j) {
        const Lanes re = load(color + static_cast<std::int64_t>(2 * j) * width);
        const Lanes im = load(color + static_cast<std::int64_t>(2 * j + 1) * width);
        for (std::size_t i = 0; i < colors; ++i) {
            const Lanes* const element = matrix + 2 * (i * colors + j);
            sum[2 * i] += element[0] * re - element[1] * im;
            sum[2 * i + 1] += element[0] * im + element[1] * re;
        }
    }
}

// Where the colors of each term are, for the sites of a row of one parity.
inline std::array<const double*, terms> sources_of(const Block& block, const RowMap& map,
                                                   const Field& source, int parity,
                                                   std::int64_t row) {
    const std::int64_t offset = block.offset(parity, row);
    std::array<const double*, terms> from{};
    const double* const own = source.part(row, 0);
    // Of the other parity, x = 2 i + 1 - offset.
    from[0] = own + offset;
    from[1] = own + offset - 1;
    from[2] = own + offset + 1;
    from[3] = own + offset - 2;
    for (std::size_t d = 1; d < dimensions; ++d) {
        for (std::size_t which = 0; which < RowMap::steps.size(); ++which) {
            from[4 * d + which] = source.part(map.next(row, d, which), 0);
        }
    }
    return from;
}

// A test puts a faulty one in its place.
struct Hop {
    // finish(row, group, sums): takes what the operator gives at the sites of a parity; the sum of
    // what it returns is returned.
    template <class Finish>
    double operator()(const Block& block, const RowMap& map, const Links& links,
                      const Field& source, int parity, Finish&& finish) const {
        const std::int64_t groups = groups_of(block);
        const std::int64_t width = source.width();
        return sum_rows(block, [&](std::int64_t row) {
            const auto from = sources_of(block, map, source, parity, row);
            double result = 0;
            for (std::int64_t group = 0; group < groups; ++group) {
                const Lanes* const matrices = links.of(row, group);
                ColorLanes sum{};
                for (std::size_t term = 0; term < terms; ++term) {
                    add_product(sum, matrices + term * parts_of_matrix,
                                from[term] + group * lane_count, width);
                }
                result += finish(row, group, sum);
            }
            return result;
        });
    }
};

}  // namespace machmeter::proxies::lqcd
