// The rows beyond a rank's latitudes: of its neighbors, and across the poles.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/common/ranks.hpp"
#include "proxies/fvcore/block.hpp"
#include "proxies/fvcore/sphere.hpp"

namespace machmeter::proxies::fvcore {

template <class Ranks>
class Halo {
   public:
    Halo(Ranks& ranks, const Block& block) : ranks_(ranks), block_(block) {
        const auto size = static_cast<std::size_t>(block.levels.count * block.fields * halo_rows *
                                                   block.longitudes);
        if (block.place > 0) {
            sides_.push_back(
                {-1, 0, -halo_rows, std::vector<double>(size), std::vector<double>(size)});
        }
        if (block.place + 1 < block.layout.over_latitudes) {
            sides_.push_back({1, block.rows.count - halo_rows, block.rows.count,
                              std::vector<double>(size), std::vector<double>(size)});
        }
    }

    void exchange(double* values) {
        messages_.clear();
        for (Side& side : sides_) {
            copy(side.own, values,
                 [&](double* row, std::int64_t k) { std::copy_n(row, size(), &side.out[at(k)]); });
            const int peer = ranks_.rank() + side.step;
            messages_.push_back({peer, side.out, peer, side.in});
        }
        ranks_.template exchange_all<double>(messages_);
        for (Side& side : sides_) {
            copy(side.theirs, values,
                 [&](double* row, std::int64_t k) { std::copy_n(&side.in[at(k)], size(), row); });
        }
        if (block_.place == 0) {
            across(values, -1, 0, -1);
        }
        if (block_.place + 1 == block_.layout.over_latitudes) {
            across(values, block_.rows.count, block_.rows.count - 1, 1);
        }
    }

   private:
    struct Side {
        int step = 0;
        std::int64_t own = 0;
        std::int64_t theirs = 0;
        std::vector<double> out;
        std::vector<double> in;
    };

    [[nodiscard]] std::int64_t size() const { return halo_rows * block_.longitudes; }
    static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

    // `move(three rows, place in the message)` for each level and field.
    template <class Move>
    void copy(std::int64_t row, double* values, Move&& move) {
        const std::int64_t count = block_.levels.count * block_.fields;
#pragma omp parallel for schedule(static)
        for (std::int64_t n = 0; n < count; ++n) {
            move(values + block_.at(n / block_.fields, n % block_.fields, row), n * size());
        }
    }

    // Rows from `ghost` on are those from `own` back, half a turn further.
    void across(double* values, std::int64_t ghost, std::int64_t own, std::int64_t step) {
        const std::int64_t half = block_.longitudes / 2;
        const std::int64_t count = block_.levels.count * block_.fields;
#pragma omp parallel for schedule(static)
        for (std::int64_t n = 0; n < count; ++n) {
            for (std::int64_t m = 0; m < halo_rows; ++m) {
                const double* const from =
                    values + block_.at(n / block_.fields, n % block_.fields, own - m * step);
                double* const to =
                    values + block_.at(n / block_.fields, n % block_.fields, ghost + m * step);
                std::copy_n(from + half, half, to);
                std::copy_n(from, half, to + half);
            }
        }
    }

    Ranks& ranks_;
    Block block_;
    std::vector<Side> sides_;
    std::vector<Exchange<double>> messages_;
};

}  // namespace machmeter::proxies::fvcore
