// Layers around a domain: charge beyond it is added to the neighbors', the potential comes from
// them. Along y first, then along z with the layers along y, so that edges go by way of faces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/beampic/block.hpp"
#include "proxies/common/ranks.hpp"

namespace machmeter::proxies::beampic {

template <class Ranks>
class GuardExchange {
   public:
    GuardExchange(Ranks& ranks, const Domain& domain) : ranks_(ranks), domain_(domain) {}

    // The layer above goes to the first of the next domain.
    void add_charge(const Block<double>& charge) {
        const std::int64_t rows = domain_.y.count;
        const std::int64_t planes = domain_.z.count;
        add(charge, domain_.row(), domain_.at_y, {rows, 1, 0, planes + 1}, {0, 1, 0, planes + 1});
        add(charge, domain_.column(), domain_.at_z, {0, rows, planes, 1}, {0, rows, 0, 1});
    }

    void fill_potential(const Block<double>& potential) {
        const std::int64_t rows = domain_.y.count;
        const std::int64_t planes = domain_.z.count;
        const auto all = [&](std::int64_t first, std::int64_t count) {
            return Layers{-1, rows + 3, first, count};
        };
        fill(potential, domain_.neighbor(1, 0), domain_.neighbor(-1, 0),
             {{rows - 1, 1, 0, planes},
              {0, 2, 0, planes},
              {-1, 1, 0, planes},
              {rows, 2, 0, planes}});
        fill(potential, domain_.neighbor(0, 1), domain_.neighbor(0, -1),
             {all(planes - 1, 1), all(0, 2), all(-1, 1), all(planes, 2)});
    }

   private:
    // Rows from `y` and planes from `z` of a domain.
    struct Layers {
        std::int64_t y;
        std::int64_t rows;
        std::int64_t z;
        std::int64_t planes;
    };
    // What goes up and down; where what comes from below and from above belongs.
    struct Faces {
        Layers up;
        Layers down;
        Layers below;
        Layers above;
    };

    static std::size_t size(const Block<double>& block, const Layers& layers) {
        return static_cast<std::size_t>(layers.rows * layers.planes * block.width());
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

    void pack(const Block<double>& block, const Layers& layers, std::vector<double>& message) {
        message.resize(size(block, layers));
        each_row(block, layers, message.data(),
                 [&](const double* row, double* out) { std::copy_n(row, block.width(), out); });
    }

    // Around the ranks of a row or column: the last one sends an empty message to the first.
    void add(const Block<double>& charge, const std::vector<int>& members, int me,
             const Layers& from, const Layers& to) {
        const auto count = static_cast<int>(members.size());
        if (count == 1) {
            return;
        }
        out_up_.clear();
        in_down_.clear();
        if (me + 1 < count) {
            pack(charge, from, out_up_);
        }
        if (me > 0) {
            in_down_.resize(size(charge, to));
        }
        const auto member = [&](int at) { return members[static_cast<std::size_t>(at % count)]; };
        ranks_.template exchange<double>(member(me + 1), out_up_, member(me + count - 1), in_down_);
        if (me > 0) {
            each_row(charge, to, in_down_.data(), [&](double* row, const double* in) {
                for (std::int64_t x = 0; x < charge.width(); ++x) {
                    row[x] += in[x];
                }
            });
        }
    }

    void fill(const Block<double>& block, int up, int down, const Faces& faces) {
        messages_.clear();
        if (up >= 0) {
            pack(block, faces.up, out_up_);
            in_up_.resize(size(block, faces.above));
            messages_.push_back({up, out_up_, up, in_up_});
        }
        if (down >= 0) {
            pack(block, faces.down, out_down_);
            in_down_.resize(size(block, faces.below));
            messages_.push_back({down, out_down_, down, in_down_});
        }
        ranks_.template exchange_all<double>(messages_);
        const auto unpack = [&](const Layers& layers, const std::vector<double>& in) {
            each_row(block, layers, in.data(), [&](double* row, const double* values) {
                std::copy_n(values, block.width(), row);
            });
        };
        if (up >= 0) {
            unpack(faces.above, in_up_);
        }
        if (down >= 0) {
            unpack(faces.below, in_down_);
        }
    }

    Ranks& ranks_;
    const Domain& domain_;
    std::vector<Exchange<double>> messages_;
    std::vector<double> out_up_;
    std::vector<double> out_down_;
    std::vector<double> in_up_;
    std::vector<double> in_down_;
};

}  // namespace machmeter::proxies::beampic
