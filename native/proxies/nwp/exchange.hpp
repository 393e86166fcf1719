// Columns of neighbors, and levels beyond the ground and the top.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "proxies/common/ranks.hpp"
#include "proxies/nwp/patch.hpp"

namespace machmeter::proxies::nwp {

// Columns on one side of a patch that a neighbor has: across dimension 0 or 1, so many of each of
// some fields, which go in one message.
struct Strip {
    std::span<double* const> fields;
    std::size_t dimension = 0;
    int side = 1;
    std::int64_t width = 1;
};

template <class Ranks>
class Neighbors {
   public:
    Neighbors(Ranks& ranks, const Patch& patch) : ranks_(ranks), patch_(patch) {}

    // All at once; the columns beyond both ends of a strip are sent along.
    void fill(std::span<const Strip> strips) {
        out_.resize(std::max(out_.size(), strips.size()));
        in_.resize(out_.size());
        messages_.clear();
        for (std::size_t n = 0; n < strips.size(); ++n) {
            const Strip& strip = strips[n];
            out_[n].resize(size(strip));
            in_[n].resize(size(strip));
            copy(strip, own(strip), [&](double& value, std::size_t at) { out_[n][at] = value; });
            if (patch_.ranks[strip.dimension] == 1) {
                std::swap(out_[n], in_[n]);
                continue;
            }
            messages_.push_back({patch_.neighbor(strip.dimension, -strip.side), out_[n],
                                 patch_.neighbor(strip.dimension, strip.side), in_[n]});
        }
        ranks_.template exchange_all<double>(messages_);
        for (std::size_t n = 0; n < strips.size(); ++n) {
            copy(strips[n], beyond(strips[n]),
                 [&](double& value, std::size_t at) { value = in_[n][at]; });
        }
    }

    // The whole halo of some fields: along x first, then along y with what came along x, so that
    // corners arrive too.
    void fill_around(std::span<double* const> fields) {
        for (const std::size_t d : {std::size_t{0}, std::size_t{1}}) {
            const std::array<Strip, 2> both{Strip{fields, d, -1, halo}, Strip{fields, d, 1, halo}};
            fill(both);
        }
    }

   private:
    // Where the columns of a strip begin, and where the neighbor's do that this rank has.
    [[nodiscard]] std::int64_t beyond(const Strip& strip) const {
        return strip.side > 0 ? patch_.count[strip.dimension] : -strip.width;
    }
    [[nodiscard]] std::int64_t own(const Strip& strip) const {
        return strip.side > 0 ? 0 : patch_.count[strip.dimension] - strip.width;
    }
    // Of one field.
    [[nodiscard]] std::size_t size_of_one(const Strip& strip) const {
        const std::int64_t lines =
            strip.dimension == 0 ? patch_.padded() / patch_.row() : patch_.slab();
        return static_cast<std::size_t>(lines * strip.width);
    }
    [[nodiscard]] std::size_t size(const Strip& strip) const {
        return size_of_one(strip) * strip.fields.size();
    }

    // `use(value, number)` for every value of every field.
    template <class Use>
    void copy(const Strip& strip, std::int64_t begin, Use&& use) const {
        const std::int64_t width = strip.width;
        const std::int64_t row = patch_.row();
        const std::int64_t lines = patch_.padded() / row;
        for (std::size_t f = 0; f < strip.fields.size(); ++f) {
            const auto first = static_cast<std::int64_t>(f * size_of_one(strip));
            if (strip.dimension == 0) {
                double* const from = strip.fields[f] + begin + halo;
#pragma omp parallel for schedule(static)
                for (std::int64_t line = 0; line < lines; ++line) {
                    for (std::int64_t n = 0; n < width; ++n) {
                        use(from[line * row + n],
                            static_cast<std::size_t>(first + line * width + n));
                    }
                }
                continue;
            }
            double* const from = strip.fields[f] + (begin + halo) * patch_.slab();
#pragma omp parallel for schedule(static)
            for (std::int64_t n = 0; n < width * patch_.slab(); ++n) {
                use(from[n], static_cast<std::size_t>(first + n));
            }
        }
    }

    Ranks& ranks_;
    Patch patch_;
    std::vector<std::vector<double>> out_;
    std::vector<std::vector<double>> in_;
    std::vector<Exchange<double>> messages_;
};

// Levels beyond the ground and the top: of cells and of faces along x and y the nearest level
// again.
inline void extend(const Patch& patch, double* values) {
    for_slabs(-halo, patch.count[1] + halo, [&](std::int64_t j) {
        for (std::int64_t m = 1; m <= margin; ++m) {
            std::copy_n(values + patch.at(-halo, 0, j), patch.row(),
                        values + patch.at(-halo, -m, j));
            std::copy_n(values + patch.at(-halo, patch.levels - 1, j), patch.row(),
                        values + patch.at(-halo, patch.levels - 1 + m, j));
        }
    });
}

// Of faces along z, on which ground and top are: the opposite of what is as far on the other side.
inline void reflect(const Patch& patch, double* values) {
    for_slabs(-halo, patch.count[1] + halo, [&](std::int64_t j) {
        for (std::int64_t m = 0; m <= margin; ++m) {
            for (std::int64_t i = -halo; i < patch.count[0] + halo; ++i) {
                values[patch.at(i, -m, j)] = m == 0 ? 0 : -values[patch.at(i, m, j)];
                values[patch.at(i, patch.levels + m, j)] =
                    m == 0 ? 0 : -values[patch.at(i, patch.levels - m, j)];
            }
        }
    });
}

}  // namespace machmeter::proxies::nwp
