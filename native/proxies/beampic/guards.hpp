// Layers around a domain: charge beyond it is added to the neighbors', the potential comes from
// them. Along y first, then along z with the layers along y, so that edges go by way of faces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/beampic/block.hpp"
#include "proxies/common/faces.hpp"

namespace machmeter::proxies::beampic {

template <class Ranks>
class GuardExchange {
   public:
    GuardExchange(Ranks& ranks, const Domain& domain)
        : ranks_(ranks), domain_(domain), along_y_(ranks), along_z_(ranks) {
        const std::int64_t rows = domain.y.count;
        const std::int64_t planes = domain.z.count;
        const auto all = [&](std::int64_t first, std::int64_t count) {
            return Layers{-1, rows + 3, first, count};
        };
        add_side(along_y_, {1, 0}, {rows - 1, 1, 0, planes}, {rows, 2, 0, planes});
        add_side(along_y_, {-1, 0}, {0, 2, 0, planes}, {-1, 1, 0, planes});
        add_side(along_z_, {0, 1}, all(planes - 1, 1), all(planes, 2));
        add_side(along_z_, {0, -1}, all(0, 2), all(-1, 1));
    }

    // The layer above goes to the first of the next domain.
    void add_charge(const Block<double>& charge) {
        const std::int64_t rows = domain_.y.count;
        const std::int64_t planes = domain_.z.count;
        add(charge, 0, {rows, 1, 0, planes + 1}, {0, 1, 0, planes + 1});
        add(charge, 1, {0, rows, planes, 1}, {0, rows, 0, 1});
    }

    void fill_potential(const Block<double>& potential) {
        fill(potential, along_y_);
        fill(potential, along_z_);
    }

   private:
    // Rows from `y` and planes from `z` of a domain.
    struct Layers {
        std::int64_t y;
        std::int64_t rows;
        std::int64_t z;
        std::int64_t planes;
    };
    // What a neighbor gets, and where what it gives belongs.
    struct Side {
        Layers own;
        Layers theirs;
    };
    using Sides = Faces<Ranks, Side>;

    [[nodiscard]] std::int64_t size(const Layers& layers) const {
        return layers.rows * layers.planes * width_of(domain_);
    }

    void add_side(Sides& sides, const Domain::Places& steps, const Layers& own,
                  const Layers& theirs) const {
        const int peer = domain_.neighbor_within(steps);
        if (peer >= 0) {
            sides.add({own, theirs}, peer, size(own), peer, size(theirs));
        }
    }

    // `use(row of the block, row of the message)`.
    template <class Values, class Use>
    static void each_row(const Block<double>& block, const Layers& layers, Values* message,
                         Use&& use) {
        for (std::int64_t z = 0; z < layers.planes; ++z) {
            for (std::int64_t y = 0; y < layers.rows; ++y) {
                use(block.row(layers.y + y, layers.z + z),
                    message + (z * layers.rows + y) * block.width());
            }
        }
    }

    static void pack(const Block<double>& block, const Layers& layers, double* message) {
        each_row(block, layers, message,
                 [&](const double* row, double* out) { std::copy_n(row, block.width(), out); });
    }

    // Around the ranks of a row or column: the last one sends an empty message to the first.
    void add(const Block<double>& charge, std::size_t dimension, const Layers& from,
             const Layers& to) {
        const int me = domain_.place[dimension];
        const int count = domain_.ranks[dimension];
        if (count == 1) {
            return;
        }
        out_.resize(me + 1 < count ? static_cast<std::size_t>(size(from)) : 0);
        in_.resize(me > 0 ? static_cast<std::size_t>(size(to)) : 0);
        if (me + 1 < count) {
            pack(charge, from, out_.data());
        }
        ranks_.template exchange<double>(domain_.neighbor(dimension, 1), out_,
                                         domain_.neighbor(dimension, -1), in_);
        if (me > 0) {
            each_row(charge, to, in_.data(), [&](double* row, const double* in) {
                for (std::int64_t x = 0; x < charge.width(); ++x) {
                    row[x] += in[x];
                }
            });
        }
    }

    void fill(const Block<double>& block, Sides& sides) {
        sides.exchange([&](const Side& side, double* out) { pack(block, side.own, out); },
                       [&](const Side& side, const double* in) {
                           each_row(block, side.theirs, in, [&](double* row, const double* values) {
                               std::copy_n(values, block.width(), row);
                           });
                       });
    }

    Ranks& ranks_;
    const Domain& domain_;
    Sides along_y_;
    Sides along_z_;
    std::vector<double> out_;
    std::vector<double> in_;
};

}  // namespace machmeter::proxies::beampic
