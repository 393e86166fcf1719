// The grid points of a particle: four points of its gyration (Lee, J. Comput. Phys. 72, 1987), each
// between two planes, two surfaces and two points of a surface.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "proxies/common/lanes.hpp"
#include "proxies/gkpic/geometry.hpp"
#include "proxies/gkpic/trigonometry.hpp"

namespace machmeter::proxies::gkpic {

// A lane for each point of the gyration.
struct Stencil {
    // Of the node before on the inner and on the outer surface, on the plane before.
    LaneBits inner;
    LaneBits outer;
    // Shares of the outer surface, and of the node after on the inner and on the outer surface.
    Lanes outward;
    Lanes after_inner;
    Lanes after_outer;
    // Share of the plane after.
    double ahead = 0;
};

// What all particles of a rank have in common.
struct Mesh {
    const double* inverse_q;
    double first_plane;
    double planes;
    double last_interval;
    double per_spacing;
    double last_surface;
    double points;
    double row;
    std::int64_t plane;
    double gyroradius;

    Mesh(const Grid& grid, const Domain& domain)
        : inverse_q(grid.inverse_q.data()),
          first_plane(static_cast<double>(domain.first)),
          planes(static_cast<double>(grid.planes)),
          last_interval(static_cast<double>(domain.count - 1)),
          per_spacing(1 / grid.spacing()),
          last_surface(static_cast<double>(grid.surfaces - 1)),
          points(static_cast<double>(grid.points)),
          row(static_cast<double>(grid.row())),
          plane(grid.plane()),
          gyroradius(grid.gyroradius()) {}

    // Operations of a stencil: 20 for each point of the gyration, 10 for all.
    static constexpr double flops = 90;

    // Of four particles, `radii_of_gyration` being theirs where they are. Each step for all of them
    // before the next one: a stencil is a long chain of operations, and four chains overlap. No
    // number is safe: it leads to some nodes.
    void stencils(const double* radius, const double* poloidal, const double* toroidal,
                  const Lanes& radii_of_gyration, std::array<Stencil, lane_count>& result) const {
        std::array<Place, lane_count> places;
        for (std::size_t p = 0; p < lane_count; ++p) {
            places[p] = across(radius[p], poloidal[p], toroidal[p],
                               radii_of_gyration[static_cast<int>(p)], result[p]);
        }
        for (std::size_t p = 0; p < lane_count; ++p) {
            Stencil& one = result[p];
            one.inner = along(inverse_q, 0, places[p], toroidal[p], one.after_inner);
            one.outer = along(inverse_q + 1, row, places[p], toroidal[p], one.after_outer);
        }
    }

   private:
    // Of the points of a gyration: poloidal angle and inner surface; the interval's first node.
    struct Place {
        Lanes angle;
        Lanes surface;
        double first;
    };

    [[nodiscard]] Place across(double radius, double poloidal, double toroidal, double gyration,
                               Stencil& stencil) const {
        const double place = toroidal * planes - first_plane;
        const auto interval =
            static_cast<std::int64_t>(place > 0 ? std::min(place, last_interval) : 0);
        stencil.ahead = place - static_cast<double>(interval);
        const double arc = gyration / (radians_per_turn * radius);
        const double level = (radius - inner_radius) * per_spacing;
        const double step = gyration * per_spacing;
        Lanes levels = at_most(Lanes{level + step, level - step, level, level}, last_surface);
        levels = levels > 0.0 ? levels : in_all_lanes(0);
        const Lanes surface = at_most(floor_of(levels), last_surface - 1);
        stencil.outward = levels - surface;
        return {Lanes{poloidal, poloidal, poloidal + arc, poloidal - arc}, surface,
                static_cast<double>(interval * plane)};
    }

    // The nodes before the points on a surface, the inner ones or, `further` nodes on, the outer
    // ones; and the shares of the nodes after.
    [[nodiscard]] LaneBits along(const double* of_surface, double further, const Place& place,
                                 double toroidal, Lanes& after) const {
        const LaneBits at = whole_bits(place.surface);
        const Lanes inverse{of_surface[at[0]], of_surface[at[1]], of_surface[at[2]],
                            of_surface[at[3]]};
        Lanes label = place.angle - toroidal * inverse;
        label = (label - floor_of(label)) * points;
        const Lanes before = at_most(floor_of(label), points - 1);
        after = label - before;
        return whole_bits(place.surface * row + before + (place.first + further));
    }
};

}  // namespace machmeter::proxies::gkpic
