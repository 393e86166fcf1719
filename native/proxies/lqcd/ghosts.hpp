// What neighbors have at the sites up to three steps beyond a block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "proxies/common/faces.hpp"
#include "proxies/lqcd/lattice.hpp"
#include "proxies/lqcd/rows.hpp"

namespace machmeter::proxies::lqcd {

template <class Ranks>
class Ghosts {
   public:
    Ghosts(Ranks& ranks, const Block& block, const RowMap& map)
        : block_(block), map_(map), faces_(ranks) {
        for (std::size_t d = 0; d < dimensions; ++d) {
            for (const int side : {1, -1}) {
                if (block.is_divided(d)) {
                    // What goes ahead comes from behind.
                    faces_.add({d, side}, block.neighbor(d, side), values(d),
                               block.neighbor(d, -side), values(d));
                }
            }
        }
    }

    [[nodiscard]] bool empty() const { return faces_.empty(); }

    // The rows and places beyond the block become what the neighbors have there.
    void exchange(const Field& field) {
        faces_.exchange([&](const Face& face, double* out) { gather(face, field, out); },
                        [&](const Face& face, const double* in) { scatter(face, field, in); });
    }

   private:
    struct Face {
        std::size_t dimension = 0;
        int side = 1;
    };

    [[nodiscard]] std::int64_t values(std::size_t d) const {
        const std::int64_t sites =
            d == 0 ? margin * block_.rows() : farthest * map_.face(d) * block_.half();
        return sites * parts;
    }

    void gather(const Face& face, const Field& field, double* out) const {
        const std::int64_t half = block_.half();
        const std::int64_t count = block_.count[face.dimension];
        if (face.dimension == 0) {
            const std::int64_t begin = face.side > 0 ? half - margin : 0;
            for_parts(block_.rows(), [&](std::int64_t row, std::int64_t part, std::int64_t k) {
                std::copy_n(field.part(row, part) + begin, margin, out + k * margin);
            });
            return;
        }
        each_layer(face.dimension, [&](std::int64_t depth, std::int64_t index, std::int64_t k) {
            const std::int64_t at = face.side > 0 ? count - 1 - depth : depth;
            copy_row(field, map_.across(face.dimension, at, index),
                     [&](double* row, std::int64_t part) {
                         std::copy_n(row, half, out + (k * parts + part) * half);
                     });
        });
    }

    // From behind: what a neighbor sent ahead is on the other side of this block.
    void scatter(const Face& face, const Field& field, const double* in) const {
        const std::int64_t half = block_.half();
        if (face.dimension == 0) {
            const std::int64_t begin = face.side > 0 ? -margin : half;
            for_parts(block_.rows(), [&](std::int64_t row, std::int64_t part, std::int64_t k) {
                std::copy_n(in + k * margin, margin, field.part(row, part) + begin);
            });
            return;
        }
        each_layer(face.dimension, [&](std::int64_t depth, std::int64_t index, std::int64_t k) {
            copy_row(field, map_.layer(face.dimension, -face.side, depth) + index,
                     [&](double* row, std::int64_t part) {
                         std::copy_n(in + (k * parts + part) * half, half, row);
                     });
        });
    }

    // `use(depth, index, number)` for each row of the layers of a face.
    template <class Use>
    void each_layer(std::size_t d, Use&& use) const {
        const std::int64_t face = map_.face(d);
#pragma omp parallel for schedule(static)
        for (std::int64_t k = 0; k < farthest * face; ++k) {
            use(k / face, k % face, k);
        }
    }
    template <class Use>
    static void for_parts(std::int64_t rows, Use&& use) {
#pragma omp parallel for schedule(static)
        for (std::int64_t k = 0; k < rows * parts; ++k) {
            use(k / parts, k % parts, k);
        }
    }
    template <class Use>
    static void copy_row(const Field& field, std::int64_t row, Use&& use) {
        for (std::int64_t part = 0; part < parts; ++part) {
            use(field.part(row, part), part);
        }
    }

    Block block_;
    const RowMap& map_;
    Faces<Ranks, Face> faces_;
};

}  // namespace machmeter::proxies::lqcd
