// The faces of a block, sent to the ranks on its six sides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/common/ranks.hpp"
#include "proxies/ofp/block.hpp"

namespace machmeter::proxies::ofp {

template <class Ranks>
class Halo {
   public:
    Halo(Ranks& ranks, const Block& block) : ranks_(ranks), block_(block) {
        for (std::size_t d = 0; d < 3; ++d) {
            for (const int side : {-1, 1}) {
                if (block.neighbor(d, side) >= 0) {
                    const auto cells = static_cast<std::size_t>(block.cells() / block.count[d]);
                    faces_.push_back(
                        {d, side, std::vector<double>(cells), std::vector<double>(cells)});
                }
            }
        }
    }

    // The layer around becomes what the neighbors have there; at the walls it stays.
    void exchange(double* values) {
        messages_.clear();
        for (Face& face : faces_) {
            copy(face, side_cell(face, 0), values,
                 [&](double& cell, std::size_t k) { face.out[k] = cell; });
            const int peer = block_.neighbor(face.dimension, face.side);
            messages_.push_back({peer, face.out, peer, face.in});
        }
        ranks_.template exchange_all<double>(messages_);
        for (Face& face : faces_) {
            copy(face, side_cell(face, 1), values,
                 [&](double& cell, std::size_t k) { cell = face.in[k]; });
        }
    }

   private:
    struct Face {
        std::size_t dimension = 0;
        int side = 1;
        std::vector<double> out;
        std::vector<double> in;
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

    Ranks& ranks_;
    Block block_;
    std::vector<Face> faces_;
    std::vector<Exchange<double>> messages_;
};

}  // namespace machmeter::proxies::ofp
