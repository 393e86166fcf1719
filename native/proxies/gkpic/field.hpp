// Potential and electric field from the charge, on each plane by itself.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "proxies/common/lanes.hpp"
#include "proxies/gkpic/charge.hpp"
#include "proxies/gkpic/geometry.hpp"

namespace machmeter::proxies::gkpic {

// Of the solve; each halves the residual at the least.
inline constexpr int iterations = 28;

// The gyrokinetic Poisson equation with adiabatic electrons of the temperature of the ions,
// 2 p - G p = n, where G averages twice over the gyration (Lee, J. Comput. Phys. 72, 1987). G by
// four points at twice the gyroradius, along and across the surface: so it is 1 - (k gyroradius)^2
// for long waves. Outside of the innermost and outermost surfaces p is 0.
struct Average {
    // Surfaces between a point and the two across, and points to the two along, of so wide a reach.
    static constexpr std::int64_t surfaces = 2;

    static double points(const Grid& grid, std::int64_t surface) {
        const double reach = static_cast<double>(surfaces) * grid.gyroradius();
        return reach / (radians_per_turn * grid.radius(surface)) * static_cast<double>(grid.points);
    }
};

// The nodes of a row that lie so many points further, between two nodes each.
struct Offset {
    std::int64_t whole = 0;
    double rest = 0;

    Offset() = default;
    Offset(double offset, std::int64_t points) {
        const double below = std::floor(offset);
        rest = offset - below;
        whole = static_cast<std::int64_t>(below) % points;
        whole += whole < 0 ? points : 0;
    }
};

// to += factor from, at an offset. Rows have a copy of their first node at the end.
inline void add_at(double* __restrict to, const double* __restrict from, const Offset& offset,
                   double factor, std::int64_t points) {
    const double before = factor * (1 - offset.rest);
    const double after = factor * offset.rest;
    const auto part = [&](double* __restrict into, const double* __restrict out,
                          std::int64_t count) {
#pragma omp simd
        for (std::int64_t j = 0; j < count; ++j) {
            into[j] += before * out[j] + after * out[j + 1];
        }
    };
    const std::int64_t rest = points - offset.whole;
    part(to, from + offset.whole, rest);
    part(to + rest, from, offset.whole);
}

// Of the nodes of a rank: the potential, then what particles read, field along the minor radius,
// along the surface, and potential, of a node side by side.
class Field {
   public:
    Field(const Grid& grid, const Domain& domain, double particles)
        : grid_(grid),
          domain_(domain),
          rows_(domain.count * grid.surfaces),
          nodes_(new Lanes[static_cast<std::size_t>((domain.count + 1) * grid.plane())]) {
        for (auto& one : potential_) {
            one.reset(new double[static_cast<std::size_t>((domain.count + 1) * grid.plane())]);
        }
        touch();
        for (std::int64_t i = 0; i < grid.surfaces; ++i) {
            per_particle_.push_back(1 / (particles * share_of_node(i)));
        }
        for (std::int64_t r = 0; r < rows_ + grid.surfaces; ++r) {
            const std::int64_t i = r % grid.surfaces;
            for (const std::int64_t step : {-2, -1, 1, 2}) {
                const std::int64_t other = std::clamp<std::int64_t>(i + step, 0, grid.surfaces - 1);
                offsets_.emplace_back(grid.offset(i, other, domain.first + r / grid.surfaces),
                                      grid.points);
            }
        }
    }

    // Of a node of this rank.
    [[nodiscard]] const Lanes* nodes() const { return nodes_.get(); }
    [[nodiscard]] Lanes* nodes() { return nodes_.get(); }
    [[nodiscard]] const double* potential() const { return potential_[0].get(); }
    // Density, relative to that of all particles, for a charge of 1 at a node.
    [[nodiscard]] double density(std::int64_t surface) const {
        return per_particle_[static_cast<std::size_t>(surface)];
    }

    // The potential of the planes of this domain: a plane to a thread where that shares them out
    // evenly, else rows.
    void solve(const Charge& charge) {
        static_assert(iterations % 2 == 0, "the last one writes into the first array");
        const bool by_planes = domain_.count % omp_get_max_threads() == 0;
#pragma omp parallel
        if (by_planes) {
#pragma omp for schedule(static)
            for (std::int64_t plane = 0; plane < domain_.count; ++plane) {
                for (int iteration = 0; iteration < iterations; ++iteration) {
                    for (std::int64_t i = 0; i < grid_.surfaces; ++i) {
                        iterate(charge, plane * grid_.surfaces + i, iteration);
                    }
                }
            }
        } else {
            for (int iteration = 0; iteration < iterations; ++iteration) {
#pragma omp for schedule(static)
                for (std::int64_t r = 0; r < rows_; ++r) {
                    iterate(charge, r, iteration);
                }
            }
        }
    }

    // That of the next domain's first plane.
    template <class Ranks>
    void share_plane(Ranks& ranks) {
        const auto size = static_cast<std::size_t>(grid_.plane());
        shared_.resize(size);
        double* const mine = potential_[0].get();
        ranks.template exchange<double>(domain_.previous(), std::span<const double>(mine, size),
                                        domain_.next(), std::span(shared_));
        double* const last = mine + domain_.count * grid_.plane();
        for (std::int64_t i = 0; i < grid_.surfaces; ++i) {
            const std::int64_t turned =
                domain_.is_last() ? grid_.turned[static_cast<std::size_t>(i)] : 0;
            double* const to = last + i * grid_.row();
            std::fill(to, to + grid_.row(), 0.0);
            add_at(to, shared_.data() + i * grid_.row(),
                   Offset(static_cast<double>(turned), grid_.points), 1, grid_.points);
            to[grid_.points] = to[0];
        }
    }

    // What particles read, from the potential: by central differences.
    void differentiate() {
#pragma omp parallel for schedule(static)
        for (std::int64_t r = 0; r < rows_ + grid_.surfaces; ++r) {
            differentiate(r);
        }
    }

   private:
    // By the threads that will work on a row.
    void touch() {
        const std::int64_t row = grid_.row();
#pragma omp parallel for schedule(static)
        for (std::int64_t r = 0; r < rows_; ++r) {
            for (const auto& one : potential_) {
                std::fill_n(one.get() + r * row, row, 0.0);
            }
            std::fill_n(nodes_.get() + r * row, row, Lanes{});
        }
        for (std::int64_t r = rows_; r < rows_ + grid_.surfaces; ++r) {
            for (const auto& one : potential_) {
                std::fill_n(one.get() + r * row, row, 0.0);
            }
            std::fill_n(nodes_.get() + r * row, row, Lanes{});
        }
    }

    // The share of the particles that is nearest to a node.
    [[nodiscard]] double share_of_node(std::int64_t surface) const {
        const double area = radians_per_turn * grid_.radius(surface) * grid_.spacing() /
                            static_cast<double>(grid_.points);
        const double all = std::numbers::pi *
                           (outer_radius * outer_radius - inner_radius * inner_radius) *
                           static_cast<double>(grid_.planes);
        return area / all;
    }

    [[nodiscard]] const Offset& offset(std::int64_t r, std::size_t which) const {
        return offsets_[static_cast<std::size_t>(r) * 4 + which];
    }

    void iterate(const Charge& charge, std::int64_t r, int iteration) {
        const std::int64_t i = r % grid_.surfaces;
        const std::int64_t points = grid_.points;
        double* const __restrict to =
            potential_[iteration % 2 == 0 ? 1 : 0].get() + r * grid_.row();
        const double* const now = potential_[iteration % 2 == 0 ? 0 : 1].get() + r * grid_.row();
        if (i == 0 || i == grid_.surfaces - 1) {
            std::fill(to, to + grid_.row(), 0.0);
            return;
        }
        const double* const __restrict row = charge.row(r / grid_.surfaces, i);
        const double factor = density(i) / 2;
#pragma omp simd
        for (std::int64_t j = 0; j < points; ++j) {
            to[j] = factor * row[j];
        }
        if (iteration > 0) {
            constexpr double share = 1.0 / 8;
            const double along = Average::points(grid_, i);
            add_at(to, now, Offset(along, points), share, points);
            add_at(to, now, Offset(-along, points), share, points);
            if (i >= Average::surfaces) {
                add_at(to, now - Average::surfaces * grid_.row(), offset(r, 0), share, points);
            }
            if (i + Average::surfaces < grid_.surfaces) {
                add_at(to, now + Average::surfaces * grid_.row(), offset(r, 3), share, points);
            }
        }
        to[points] = to[0];
    }

    void differentiate(std::int64_t r) {
        const std::int64_t i = r % grid_.surfaces;
        const std::int64_t points = grid_.points;
        const double* const now = potential_[0].get() + r * grid_.row();
        // Where a neighbor is missing, from the node itself.
        const std::int64_t inner = i > 0 ? 1 : 0;
        const std::int64_t outer = i + 1 < grid_.surfaces ? 1 : 0;
        const double across = 1 / (static_cast<double>(inner + outer) * grid_.spacing());
        const double along = static_cast<double>(points) / (2 * radians_per_turn * grid_.radius(i));
        std::vector<double>& radial = scratch();
        radial.assign(static_cast<std::size_t>(points), 0);
        add_at(radial.data(), now - inner * grid_.row(), offset(r, 1), across, points);
        add_at(radial.data(), now + outer * grid_.row(), offset(r, 2), -across, points);
        Lanes* const to = nodes_.get() + r * grid_.row();
        for (std::int64_t j = 0; j < points; ++j) {
            const double before = now[j > 0 ? j - 1 : points - 1];
            to[j] = Lanes{radial[static_cast<std::size_t>(j)], (before - now[j + 1]) * along,
                          now[j], 0};
        }
        to[points] = to[0];
    }

    static std::vector<double>& scratch() {
        static thread_local std::vector<double> values;
        return values;
    }

    const Grid& grid_;
    const Domain& domain_;
    std::int64_t rows_;
    std::unique_ptr<Lanes[]> nodes_;
    std::array<std::unique_ptr<double[]>, 2> potential_;
    std::vector<double> per_particle_;
    std::vector<double> shared_;
    // Of each row: at the same angle, two and one surface within, one and two outside.
    std::vector<Offset> offsets_;
};

}  // namespace machmeter::proxies::gkpic
