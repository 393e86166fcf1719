// The faces of a block, sent to the ranks on its six sides.
#pragma once

#include <cstddef>
#include <cstdint>

#include "proxies/common/faces.hpp"
#include "proxies/ofp/block.hpp"

namespace machmeter::proxies::ofp {

template <class Ranks>
class Halo {
   public:
    Halo(Ranks& ranks, const Block& block) : block_(block), faces_(ranks) {
        for (std::size_t d = 0; d < 3; ++d) {
            for (const int side : {-1, 1}) {
                Counts steps{};
                steps[d] = side;
                const int peer = block.neighbor_within(steps);
                if (peer >= 0) {
                    faces_.add({d, side}, peer, block.cells() / block.count[d]);
                }
            }
        }
    }

    // The layer around becomes what the neighbors have there; at the walls it stays.
    void exchange(double* values) {
        faces_.exchange(
            [&](const Face& face, double* out) {
                copy(face, side_cell(face, 0), values,
                     [&](double& cell, std::size_t k) { out[k] = cell; });
            },
            [&](const Face& face, const double* in) {
                copy(face, side_cell(face, 1), values,
                     [&](double& cell, std::size_t k) { cell = in[k]; });
            });
    }

   private:
    struct Face {
        std::size_t dimension = 0;
        int side = 1;
    };

    // The last cell on a side, or so many beyond it.
    [[nodiscard]] std::int64_t side_cell(const Face& face, int beyond) const {
        return face.side < 0 ? -beyond : block_.count[face.dimension] - 1 + beyond;
    }

    // `use(value, number)` for each cell of a face.
    template <class Use>
    void copy(const Face& face, std::int64_t place, double* values, Use&& use) const {
        const std::size_t inner = face.dimension == 0 ? 1 : 0;
        const std::size_t outer = face.dimension == 2 ? 1 : 2;
        const std::int64_t begin = block_.at(0, 0, 0) + place * block_.step(face.dimension);
        std::size_t k = 0;
        for (std::int64_t o = 0; o < block_.count[outer]; ++o) {
            for (std::int64_t i = 0; i < block_.count[inner]; ++i) {
                use(values[begin + o * block_.step(outer) + i * block_.step(inner)], k++);
            }
        }
    }

    Block block_;
    Faces<Ranks, Face> faces_;
};

}  // namespace machmeter::proxies::ofp
