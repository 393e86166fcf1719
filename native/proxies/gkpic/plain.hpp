// The same equations as plain formulas, one number after the other, for the checks: nothing of the
// stencils, the series or the groups of four that a run is made of.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "proxies/common/lanes.hpp"
#include "proxies/gkpic/geometry.hpp"
#include "proxies/gkpic/particles.hpp"

namespace machmeter::proxies::gkpic::plain {

inline double fraction(double x) { return x - std::floor(x); }

// Of a row, at a place between two of its points.
template <class Of>
double between(const Grid& grid, double place, Of&& of) {
    const double below = std::floor(place);
    const auto around = [&](double at) {
        const auto points = static_cast<double>(grid.points);
        return static_cast<std::int64_t>(at - points * std::floor(at / points));
    };
    const double after = place - below;
    return (1 - after) * of(around(below)) + after * of(around(below + 1));
}

// Where on `other` the angle is that of point j of `surface`, so many planes from plane 0.
inline double same_angle(const Grid& grid, std::int64_t surface, std::int64_t other, std::int64_t j,
                         std::int64_t plane) {
    const double angle = static_cast<double>(plane) / static_cast<double>(grid.planes);
    const double turn = grid.inverse_q[static_cast<std::size_t>(surface)] -
                        grid.inverse_q[static_cast<std::size_t>(other)];
    return static_cast<double>(j) + angle * turn * static_cast<double>(grid.points);
}

// The mean of a value over the gyration of a particle on one of the planes around it; of(surface,
// point) is the value of a node there.
template <class Of>
double gyroaverage(const Grid& grid, const Particles::Values& one, Of&& of) {
    const double field =
        1 - one[radius] / major_radius * std::cos(radians_per_turn * one[poloidal]);
    const double reach = grid.gyroradius() * one[across] / std::sqrt(field);
    const double arc = reach / one[radius] / radians_per_turn;
    double sum = 0;
    const std::array<std::array<double, 2>, 4> gyration{
        {{reach, 0}, {-reach, 0}, {0, arc}, {0, -arc}}};
    for (const auto& [out, turn] : gyration) {
        const auto most = static_cast<double>(grid.surfaces - 1);
        double level = (one[radius] + out - inner_radius) / grid.spacing();
        level = std::fmin(std::fmax(level, 0), most);
        const auto inner = static_cast<std::int64_t>(std::fmin(std::floor(level), most - 1));
        const double outward = level - static_cast<double>(inner);
        for (const std::int64_t step : {0, 1}) {
            const double label =
                fraction(one[poloidal] + turn -
                         one[toroidal] * grid.inverse_q[static_cast<std::size_t>(inner + step)]);
            const double share = step == 1 ? outward : 1 - outward;
            sum += share * between(grid, label * static_cast<double>(grid.points),
                                   [&](std::int64_t j) { return of(inner + step, j); });
        }
    }
    return sum / 4;
}

// What acts on a particle: field across and along the surface, and along the field lines.
inline std::array<double, 3> field_at(const Grid& grid, const Domain& domain, const Lanes* nodes,
                                      const Particles::Values& now) {
    const double place = now[toroidal] * static_cast<double>(grid.planes);
    const double plane = std::floor(place);
    const auto value = [&](int component, int ahead) {
        const std::int64_t at = static_cast<std::int64_t>(plane) - domain.first + ahead;
        return gyroaverage(grid, now, [&](std::int64_t surface, std::int64_t j) {
            return nodes[at * grid.plane() + surface * grid.row() + j][component];
        });
    };
    const auto mean = [&](int component) {
        return value(component, 0) + (place - plane) * (value(component, 1) - value(component, 0));
    };
    const double between_planes =
        radians_per_turn * major_radius / static_cast<double>(grid.planes);
    return {mean(0), mean(1), (value(2, 0) - value(2, 1)) / between_planes};
}

// Where a particle is a time after the begin of its step, by what acts on it where it is now.
inline Particles::Values moved(const Grid& grid, const Domain& domain, const Lanes* nodes,
                               const Particles::Values& now, double time) {
    const auto [across_surface, along_surface, along_field] = field_at(grid, domain, nodes, now);
    const double r = now[radius];
    const double v = now[parallel];
    const double angle = radians_per_turn * now[poloidal];
    const double field = 1 - r * std::cos(angle) / major_radius;
    const double moment = now[across] * now[across] / 2;
    const double q = safety_at_axis + safety_growth * r * r;
    const double gyro = grid.gyroradius() / field;
    const double drift = gyro * (v * v + moment * field) / major_radius;
    const double inward = gyro * along_surface - drift * std::sin(angle);
    const double around = -gyro * across_surface - drift * std::cos(angle);
    const double gradients =
        density_gradient + temperature_gradient * (v * v / 2 + moment * field - 1.5);
    const double work = v * along_field - drift * std::sin(angle) * across_surface -
                        drift * std::cos(angle) * along_surface;
    const double mirror = moment * r * std::sin(angle) / (q * major_radius * major_radius);

    Particles::Values after = now;
    after[radius] = now[radius_before] + time * inward;
    after[poloidal] =
        now[poloidal_before] + time * (v / (q * major_radius) + around / r) / radians_per_turn;
    after[toroidal] = now[toroidal_before] + time * v / major_radius / radians_per_turn;
    after[parallel] = now[parallel_before] + time * (along_field - mirror);
    after[weight] =
        now[weight_before] + time * (1 - now[weight]) * (gyro * along_surface * gradients + work);
    if (after[radius] < inner_radius || after[radius] > outer_radius) {
        after[radius] = now[radius_before];
        after[poloidal] = -now[poloidal_before];
        after[parallel] = now[parallel_before];
    }
    return after;
}

}  // namespace machmeter::proxies::gkpic::plain
