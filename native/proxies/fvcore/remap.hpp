// The layers of columns moved with the air are cut anew at equal shares of the column's mass (Lin,
// Mon. Wea. Rev. 132, 2004), with piecewise linear mixing ratios.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace machmeter::proxies::fvcore {

// Of one cell and field, comparisons left out: 10 of the half difference, 8 of what is beside an
// interface, 1 of what crosses it, 5 of the balance.
inline constexpr double flops_of_remap = 24;
inline constexpr double bytes_of_remap = 16;
// Columns of a row that are cut together, at most.
inline constexpr std::int64_t longest_piece = 128;

// Columns from top to bottom: `longitudes` in a row.
struct Columns {
    double* values = nullptr;
    std::int64_t level_step = 0;
    std::int64_t field_step = 0;
    std::int64_t row_step = 0;
    std::int64_t rows = 0;
    std::int64_t longitudes = 0;
    std::int64_t levels = 0;
    std::int64_t fields = 0;

    [[nodiscard]] double* at(std::int64_t level, std::int64_t field, std::int64_t row) const {
        return values + level * level_step + field * field_step + row * row_step;
    }
};

// The half difference over a layer of thickness `middle`, of a profile with the layers around it:
// no value within the layer is beyond those of its neighbors. A linear profile is kept.
inline double half_difference(double above, double value, double below, double thickness_above,
                              double thickness, double thickness_below) {
    const double slope = (below - above) / (0.5 * (thickness_above + thickness_below) + thickness);
    const double highest = std::max(above, std::max(value, below)) - value;
    const double lowest = value - std::min(above, std::min(value, below));
    return std::copysign(std::min(0.5 * std::abs(slope) * thickness, std::min(highest, lowest)),
                         slope);
}

// Interfaces move by less than a layer, so that what crosses one is of the layer above or below it.
class Remap {
   public:
    // One row of columns.
    void operator()(const Columns& columns, std::int64_t row) {
        const auto size = static_cast<std::size_t>(columns.longitudes);
        for (std::vector<double>* one : {&total_, &sums_, &before_, &slope_, &crossed_}) {
            one->resize(size);
        }
        displacement_.resize(size * static_cast<std::size_t>(columns.levels + 1));
        find_displacements(columns, row);
        for (std::int64_t f = 1; f < columns.fields; ++f) {
            cut_tracer(columns, f, row);
        }
        cut_air(columns, row);
    }

   private:
    [[nodiscard]] double* displacement(const Columns& columns, std::int64_t level) {
        return displacement_.data() + level * columns.longitudes;
    }

    // Mass between an interface that was and the one that will be, positive where it moves down.
    void find_displacements(const Columns& columns, std::int64_t row) {
        double* const __restrict total = total_.data();
        double* const __restrict sum = sums_.data();
        std::fill(total_.begin(), total_.end(), 0.0);
        std::fill(sums_.begin(), sums_.end(), 0.0);
        for (std::int64_t k = 0; k < columns.levels; ++k) {
            const double* const __restrict air = columns.at(k, 0, row);
#pragma omp simd
            for (std::int64_t i = 0; i < columns.longitudes; ++i) {
                total[i] += air[i];
            }
        }
        for (std::int64_t k = 0; k <= columns.levels; ++k) {
            double* const __restrict out = displacement(columns, k);
            if (k == 0 || k == columns.levels) {
                std::fill_n(out, columns.longitudes, 0.0);
                continue;
            }
            const double share = static_cast<double>(k) / static_cast<double>(columns.levels);
            const double* const __restrict air = columns.at(k - 1, 0, row);
#pragma omp simd
            for (std::int64_t i = 0; i < columns.longitudes; ++i) {
                sum[i] += air[i];
                out[i] = total[i] * share - sum[i];
            }
        }
    }

    void cut_air(const Columns& columns, std::int64_t row) {
        const double* const __restrict total = total_.data();
        const double share = 1 / static_cast<double>(columns.levels);
        for (std::int64_t k = 0; k < columns.levels; ++k) {
            double* const __restrict air = columns.at(k, 0, row);
#pragma omp simd
            for (std::int64_t i = 0; i < columns.longitudes; ++i) {
                air[i] = total[i] * share;
            }
        }
    }

    // From top to bottom, in place: of the layer above are kept its old mixing ratio and its half
    // difference, and what crossed the interface on its upper side.
    void cut_tracer(const Columns& columns, std::int64_t f, std::int64_t row) {
        double* const __restrict old_above = before_.data();
        double* const __restrict crossed = crossed_.data();
        std::fill(crossed_.begin(), crossed_.end(), 0.0);
        std::fill(slope_.begin(), slope_.end(), 0.0);
        std::copy_n(columns.at(0, f, row), columns.longitudes, old_above);
        for (std::int64_t k = 1; k < columns.levels; ++k) {
            cut_layer(columns, k, f, row);
        }
        double* const __restrict out = columns.at(columns.levels - 1, f, row);
        const double* const __restrict air = columns.at(columns.levels - 1, 0, row);
        const double* const __restrict total = total_.data();
        const auto levels = static_cast<double>(columns.levels);
#pragma omp simd
        for (std::int64_t i = 0; i < columns.longitudes; ++i) {
            out[i] = (old_above[i] * air[i] - crossed[i]) * levels / total[i];
        }
    }

    // The layer above interface `k`.
    void cut_layer(const Columns& columns, std::int64_t k, std::int64_t f, std::int64_t row) {
        const std::int64_t next = std::min(k + 1, columns.levels - 1);
        double* const __restrict old_above = before_.data();
        double* const __restrict slope_above = slope_.data();
        double* const __restrict crossed = crossed_.data();
        double* const __restrict out = columns.at(k - 1, f, row);
        const double* const q = columns.at(k, f, row);
        const double* const q_below = columns.at(next, f, row);
        const double* const air_above = columns.at(k - 1, 0, row);
        const double* const air = columns.at(k, 0, row);
        const double* const air_below = columns.at(next, 0, row);
        const double* const moved = displacement(columns, k);
        const double* const total = total_.data();
        const auto levels = static_cast<double>(columns.levels);
        // The lowest layer is taken as even.
        const double keep = k + 1 < columns.levels ? 1 : 0;
#pragma omp simd
        for (std::int64_t i = 0; i < columns.longitudes; ++i) {
            const double value = q[i];
            const double above = old_above[i];
            const double slope = keep * half_difference(above, value, q_below[i], air_above[i],
                                                        air[i], air_below[i]);
            const double share_below = std::abs(moved[i]) / air[i];
            const double share_above = std::abs(moved[i]) / air_above[i];
            const double of_below = value - slope * (1 - share_below);
            const double of_above = above + slope_above[i] * (1 - share_above);
            const double gain = moved[i] * (moved[i] > 0 ? of_below : of_above);
            out[i] = (above * air_above[i] - crossed[i] + gain) * levels / total[i];
            old_above[i] = value;
            slope_above[i] = slope;
            crossed[i] = gain;
        }
    }

    std::vector<double> total_;
    std::vector<double> sums_;
    std::vector<double> before_;
    std::vector<double> slope_;
    std::vector<double> crossed_;
    // Of the interfaces of a row of columns.
    std::vector<double> displacement_;
};

}  // namespace machmeter::proxies::fvcore
