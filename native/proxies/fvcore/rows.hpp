// Transport along one circle of latitude: flux-form semi-Lagrangian (Lin and Rood, Mon. Wea. Rev.
// 124, 1996), where more than a whole cell may cross an edge in a step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "proxies/fvcore/parabola.hpp"
#include "proxies/fvcore/sphere.hpp"

namespace machmeter::proxies::fvcore {

// Rows of values with room around for those of the other end.
class Rows {
   public:
    Rows(std::int64_t longitudes, std::int64_t count)
        : step_((longitudes + 2 * room + 7) / 8 * 8 + 8),
          values_(static_cast<std::size_t>(step_ * count), 0.0) {}

    [[nodiscard]] double* operator[](std::int64_t row) {
        return values_.data() + step_ * row + room;
    }

   private:
    static constexpr std::int64_t room = 4;

    std::int64_t step_;
    std::vector<double> values_;
};

// Halo cells of a circle.
inline void close_circle(double* row, std::int64_t longitudes) {
    for (std::int64_t i = 0; i < halo_rows; ++i) {
        row[longitudes + i] = row[i];
        row[-1 - i] = row[longitudes - 1 - i];
    }
}

// Courant numbers at the western edges of a circle's cells.
struct Circle {
    const double* courant = nullptr;
    // Some is above 1.
    bool is_long = false;
};

// row + half of the advective form of an upwind step of it; `row` is closed.
inline void half_advected(const Circle& circle, const double* __restrict row,
                          double* __restrict out, std::int64_t longitudes) {
    const double* const courant = circle.courant;
    if (!circle.is_long) {
#pragma omp simd
        for (std::int64_t i = 0; i < longitudes; ++i) {
            const double center = 0.5 * (courant[i] + courant[i + 1]);
            out[i] = half_upwind(row[i - 1], row[i], row[i + 1], center);
        }
        return;
    }
    for (std::int64_t i = 0; i < longitudes; ++i) {
        const double center = 0.5 * (courant[i] + courant[i + 1]);
        const double whole = std::trunc(center);
        std::int64_t from = i - static_cast<std::int64_t>(whole);
        if (from < 0) {
            from += longitudes;
        } else if (from >= longitudes) {
            from -= longitudes;
        }
        const double share = center - whole;
        const double upwind = share > 0 ? row[from - 1] : row[from + 1];
        const double departed = row[from] - std::abs(share) * (row[from] - upwind);
        out[i] = 0.5 * (row[i] + departed);
    }
}

class CircleFlux {
   public:
    explicit CircleFlux(std::int64_t longitudes) : longitudes_(longitudes), rows_(longitudes, 5) {}

    // What crosses the western edge of each cell, and of the first again, in cells: the mean of the
    // closed `row` there, times `mass` where it is given, else times the Courant number.
    void operator()(const Circle& circle, const double* row, const double* mass, double* flux) {
        find_sides(row);
        if (circle.is_long) {
            long_steps(circle.courant, row, mass, flux);
        } else {
            short_steps(circle.courant, row, mass != nullptr ? mass : circle.courant, flux);
        }
        flux[longitudes_] = flux[0];
    }

   private:
    void find_sides(const double* __restrict row) {
        double* const __restrict slope = rows_[0];
        double* const __restrict edge = rows_[1];
        double* const __restrict first = rows_[2];
        double* const __restrict last = rows_[3];
#pragma omp simd
        for (std::int64_t i = -2; i < longitudes_ + 2; ++i) {
            slope[i] = half_slope(row[i - 1], row[i], row[i + 1]);
        }
#pragma omp simd
        for (std::int64_t i = -1; i < longitudes_ + 2; ++i) {
            edge[i] = edge_value(row[i - 1], row[i], slope[i - 1], slope[i]);
        }
#pragma omp simd
        for (std::int64_t i = -1; i < longitudes_ + 1; ++i) {
            first[i] = first_side(row[i], edge[i], slope[i]);
            last[i] = last_side(row[i], edge[i + 1], slope[i]);
        }
    }

    void short_steps(const double* __restrict courant, const double* __restrict row,
                     const double* __restrict mass, double* __restrict flux) {
        const double* const __restrict first = rows_[2];
        const double* const __restrict last = rows_[3];
#pragma omp simd
        for (std::int64_t i = 0; i < longitudes_; ++i) {
            const Cell west{row[i - 1], first[i - 1], last[i - 1]};
            const Cell east{row[i], first[i], last[i]};
            flux[i] = crossing(west, east, courant[i], mass[i]);
        }
    }

    // Whole cells by the difference of sums up to two edges, the rest by the parabola. Summed up is
    // what cells differ by from the first: of a constant there is no rounding.
    void long_steps(const double* courant, const double* row, const double* mass, double* flux) {
        const double* const first = rows_[2];
        const double* const last = rows_[3];
        double* const sum = rows_[4];
        sum[0] = 0;
        for (std::int64_t i = 0; i < longitudes_; ++i) {
            sum[i + 1] = sum[i] + (row[i] - row[0]);
        }
        const double all = sum[longitudes_];
        for (std::int64_t i = 0; i < longitudes_; ++i) {
            const double whole = std::trunc(courant[i]);
            const double share = courant[i] - whole;
            std::int64_t from = i - static_cast<std::int64_t>(whole);
            double below = 0;
            if (from < 0) {
                from += longitudes_;
                below = -all;
            } else if (from >= longitudes_) {
                from -= longitudes_;
                below = all;
            }
            const Cell west{row[from - 1], first[from - 1], last[from - 1]};
            const Cell east{row[from], first[from], last[from]};
            if (mass != nullptr && whole == 0) {
                flux[i] = crossing(west, east, share, mass[i]);
                continue;
            }
            const double cells = whole * row[0] + (sum[i] - (sum[from] + below)) +
                                 crossing(west, east, share, share);
            flux[i] = mass == nullptr ? cells : mass[i] * cells / courant[i];
        }
    }

    std::int64_t longitudes_;
    Rows rows_;
};

}  // namespace machmeter::proxies::fvcore
