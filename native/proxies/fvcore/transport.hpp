// Transport of air and tracers on one level of the sphere (Lin and Rood, Mon. Wea. Rev. 124, 1996):
// the advective form of one dimension inside the flux form of the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "proxies/fvcore/block.hpp"
#include "proxies/fvcore/parabola.hpp"
#include "proxies/fvcore/rows.hpp"
#include "proxies/fvcore/sphere.hpp"

namespace machmeter::proxies::fvcore {

// Of one cell and field, comparisons left out: 27 for each of two parabolas and what crosses an
// edge, 6 for each of two advective forms, 8 for the balance; the wind is shared by all fields.
inline constexpr double flops_of_transport = 74;
// Read and written once, 8 bytes each.
inline constexpr double bytes_of_transport = 16;

// Some rows of a level, from south to north; each field keeps what its parabolas need of the rows
// before, so that all stays in the cache.
class Sweep {
   public:
    Sweep(const Sphere& sphere, const Block& block)
        : sphere_(&sphere),
          block_(&block),
          longitudes_(block.longitudes),
          fields_(longitudes_, block.fields * rows_of_field),
          circles_(longitudes_, ring),
          shared_(longitudes_, 7),
          flux_(longitudes_) {}

    // From `in` at its beginning of a level to `out`, rows `first` to `end` of the block.
    void operator()(const Wind& wind, const double* in, double* out, std::int64_t first,
                    std::int64_t end) {
        in_ = in;
        out_ = out;
        for (std::int64_t row = first - halo_rows; row < first; ++row) {
            advect_along(wind, row);
        }
        advect_along(wind, first);
        for (std::int64_t f = 0; f < block_->fields; ++f) {
            start(f, first - 2);
        }
        for (std::int64_t row = first - 2; row <= end; ++row) {
            if (row + 2 > first) {
                advect_along(wind, row + 2);
            }
            const bool has_edge = row >= first;
            if (has_edge) {
                sphere_->northward(wind, block_->rows.first + row, shared_[0],
                                   shared_[1 + (row & 1)]);
            }
            for (std::int64_t f = 0; f < block_->fields; ++f) {
                cross(f, row, has_edge);
            }
            if (row > first) {
                finish(row - 1);
            }
        }
    }

   private:
    // Of rows that are needed at once: three before and the one after.
    static constexpr std::int64_t ring = 4;
    static constexpr std::int64_t rows_of_field = ring + 6;

    // Of a field: its rows half advected along the circle; of the last row its slope, southern edge
    // and sides; what crossed the last two edges.
    double* advected(std::int64_t f, std::int64_t row) {
        return fields_[f * rows_of_field + ((row + ring) & (ring - 1))];
    }
    double* kept(std::int64_t f, std::int64_t what) {
        return fields_[f * rows_of_field + ring + what];
    }
    double* crossed(std::int64_t f, std::int64_t edge) { return kept(f, 4 + (edge & 1)); }

    [[nodiscard]] std::int64_t at(std::int64_t f, std::int64_t row) const {
        return block_->at(0, f, row);
    }
    Circle& circle(std::int64_t row) { return long_[(row + ring) & (ring - 1)]; }

    void advect_along(const Wind& wind, std::int64_t row) {
        double* const courant = circles_[(row + ring) & (ring - 1)];
        const double largest = sphere_->eastward(wind, block_->rows.first + row, courant);
        circle(row) = {courant, largest > 1};
        double* const closed = shared_[3];
        for (std::int64_t f = 0; f < block_->fields; ++f) {
            std::copy_n(in_ + at(f, row), longitudes_, closed);
            close_circle(closed, longitudes_);
            half_advected(circle(row), closed, advected(f, row), longitudes_);
        }
    }

    // The slope of a row, from which the next ones follow.
    void start(std::int64_t f, std::int64_t row) {
        const double* const south = advected(f, row - 1);
        const double* const middle = advected(f, row);
        const double* const north = advected(f, row + 1);
        for (std::int64_t i = 0; i < longitudes_; ++i) {
            kept(f, 0)[i] = half_slope(south[i], middle[i], north[i]);
        }
    }

    // The parabola of a row, and what crosses its southern edge.
    void cross(std::int64_t f, std::int64_t row, bool has_edge) {
        const double* const __restrict south = advected(f, row - 1);
        const double* const __restrict middle = advected(f, row);
        const double* const __restrict north = advected(f, row + 1);
        const double* const __restrict beyond = advected(f, row + 2);
        double* const __restrict slope = kept(f, 0);
        double* const __restrict edge = kept(f, 1);
        double* const __restrict first = kept(f, 2);
        double* const __restrict last = kept(f, 3);
        double* const __restrict flux = crossed(f, row);
        const double* const __restrict courant = shared_[1 + (row & 1)];
        // Where there is no edge yet, what is computed for it is not used.
        const double* const __restrict mass = f == 0 || !has_edge ? shared_[0] : crossed(0, row);
        const std::int64_t longitudes = longitudes_;
#pragma omp simd
        for (std::int64_t i = 0; i < longitudes; ++i) {
            const double next_slope = half_slope(middle[i], north[i], beyond[i]);
            const double next_edge = edge_value(middle[i], north[i], slope[i], next_slope);
            const Cell before{south[i], first[i], last[i]};
            const Cell after{middle[i], first_side(middle[i], edge[i], slope[i]),
                             last_side(middle[i], next_edge, slope[i])};
            flux[i] = crossing(before, after, courant[i], mass[i]);
            slope[i] = next_slope;
            edge[i] = next_edge;
            first[i] = after.first;
            last[i] = after.last;
        }
    }

    // The balance of a row of cells, whose southern and northern edges were crossed.
    void finish(std::int64_t row) {
        const std::int64_t global = block_->rows.first + row;
        const double per_area = 1 / sphere_->area(global);
        for (std::int64_t f = 0; f < block_->fields; ++f) {
            if (sphere_->is_cap(global)) {
                balance_of_cap(f, row, per_area);
                continue;
            }
            advect_across(f, row);
            double* const along = shared_[f == 0 ? 5 : 6];
            flux_(circle(row), shared_[4], f == 0 ? nullptr : shared_[5], along);
            balance(f, row, along, per_area);
        }
    }

    // The closed row + half of the advective form of an upwind step to the north of it.
    void advect_across(std::int64_t f, std::int64_t row) {
        const double* const __restrict south = in_ + at(f, row - 1);
        const double* const __restrict middle = in_ + at(f, row);
        const double* const __restrict north = in_ + at(f, row + 1);
        const double* const __restrict of_south = shared_[1 + (row & 1)];
        const double* const __restrict of_north = shared_[1 + ((row + 1) & 1)];
        double* const __restrict out = shared_[4];
#pragma omp simd
        for (std::int64_t i = 0; i < longitudes_; ++i) {
            const double center = 0.5 * (of_south[i] + of_north[i]);
            out[i] = half_upwind(south[i], middle[i], north[i], center);
        }
        close_circle(out, longitudes_);
    }

    void balance(std::int64_t f, std::int64_t row, const double* __restrict along,
                 double per_area) {
        const double* const __restrict south = crossed(f, row);
        const double* const __restrict north = crossed(f, row + 1);
        const double* const __restrict in = in_ + at(f, row);
        const double* const __restrict air = in_ + at(0, row);
        double* const __restrict out = out_ + at(f, row);
        const double* const new_air = out_ + at(0, row);
        if (f == 0) {
#pragma omp simd
            for (std::int64_t i = 0; i < longitudes_; ++i) {
                out[i] = in[i] + (along[i] - along[i + 1]) + (south[i] - north[i]) * per_area;
            }
            return;
        }
#pragma omp simd
        for (std::int64_t i = 0; i < longitudes_; ++i) {
            const double gain = (along[i] - along[i + 1]) + (south[i] - north[i]) * per_area;
            out[i] = (in[i] * air[i] + gain) / new_air[i];
        }
    }

    void balance_of_cap(std::int64_t f, std::int64_t row, double per_area) {
        const double* const south = crossed(f, row);
        const double* const north = crossed(f, row + 1);
        double gain = 0;
        for (std::int64_t i = 0; i < longitudes_; ++i) {
            gain += south[i] - north[i];
        }
        gain *= per_area / static_cast<double>(longitudes_);
        const double in = in_[at(f, row)];
        const double value = f == 0 ? in + gain : (in * in_[at(0, row)] + gain) / out_[at(0, row)];
        std::fill_n(out_ + at(f, row), longitudes_, value);
    }

    const Sphere* sphere_;
    const Block* block_;
    std::int64_t longitudes_;
    const double* in_ = nullptr;
    double* out_ = nullptr;
    Rows fields_;
    Rows circles_;
    // Area that crosses an edge; its Courant numbers of two edges; a closed row, one half advected
    // to the north, what crosses along it of air and of a tracer.
    Rows shared_;
    CircleFlux flux_;
    std::array<Circle, ring> long_;
};

}  // namespace machmeter::proxies::fvcore
