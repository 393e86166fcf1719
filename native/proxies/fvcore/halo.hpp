// The rows beyond a rank's latitudes: of its neighbors, and across the poles.
#pragma once

#include <algorithm>
#include <cstdint>

#include "proxies/common/faces.hpp"
#include "proxies/fvcore/block.hpp"
#include "proxies/fvcore/sphere.hpp"

namespace machmeter::proxies::fvcore {

template <class Ranks>
class Halo {
   public:
    Halo(Ranks& ranks, const Block& block) : block_(block), sides_(ranks) {
        const std::int64_t values = block.levels.count * block.fields * size();
        if (block.place > 0) {
            sides_.add({0, -halo_rows}, ranks.rank() - 1, values);
        }
        if (block.place + 1 < block.layout.over_latitudes) {
            sides_.add({block.rows.count - halo_rows, block.rows.count}, ranks.rank() + 1, values);
        }
    }

    void exchange(double* values) {
        sides_.exchange(
            [&](const Side& side, double* out) {
                copy(side.own, values,
                     [&](double* row, std::int64_t k) { std::copy_n(row, size(), out + k); });
            },
            [&](const Side& side, const double* in) {
                copy(side.theirs, values,
                     [&](double* row, std::int64_t k) { std::copy_n(in + k, size(), row); });
            });
        if (block_.place == 0) {
            across(values, -1, 0, -1);
        }
        if (block_.place + 1 == block_.layout.over_latitudes) {
            across(values, block_.rows.count, block_.rows.count - 1, 1);
        }
    }

   private:
    // The first row that a neighbor gets, and that it gives.
    struct Side {
        std::int64_t own = 0;
        std::int64_t theirs = 0;
    };

    [[nodiscard]] std::int64_t size() const { return halo_rows * block_.longitudes; }

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

    Block block_;
    Faces<Ranks, Side> sides_;
};

}  // namespace machmeter::proxies::fvcore
