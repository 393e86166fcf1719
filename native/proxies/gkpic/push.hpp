// The motion of the particles: guiding centers and their weights.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "proxies/common/lanes.hpp"
#include "proxies/gkpic/deposit.hpp"
#include "proxies/gkpic/geometry.hpp"
#include "proxies/gkpic/particles.hpp"
#include "proxies/gkpic/stencil.hpp"

namespace machmeter::proxies::gkpic {

// Where four particles are, or how fast that changes.
template <class T>
using Motion = std::array<T, moving>;

// What acts on a particle: field along the minor radius, along the surface, along the field lines.
template <class T>
struct Force {
    T across{};
    T along{};
    T parallel{};
};

// How fast a particle changes: parallel motion, mirror force, drifts of gradient and curvature
// (energy is conserved without a field) and E x B, at large aspect ratio; the weight as by Parker
// and Lee, Phys. Fluids B 5, 1993. T: a number or four.
template <class T>
Motion<T> change_of(const Motion<T>& at, const T& moment, const T& sine, const T& cosine,
                    const T& inverse_field, double gyroradius, const Force<T>& force) {
    const T field = 1.0 - at[radius] * cosine * (1 / major_radius);
    const T speed = at[parallel];
    const T inverse_radius = 1.0 / at[radius];
    const T along_field = inverse_safety(at[radius]) * (1 / major_radius);
    const T drift = (speed * speed + moment * field) * inverse_field * (gyroradius / major_radius);
    const T drift_across = -drift * sine;
    const T drift_along = -drift * cosine;
    const T flow_across = force.along * inverse_field * gyroradius;
    const T flow_along = -force.across * inverse_field * gyroradius;
    const T energy = speed * speed * 0.5 + moment * field;
    const T heat = speed * force.parallel + drift_across * force.across + drift_along * force.along;
    const T drive = flow_across * (density_gradient + temperature_gradient * (energy - 1.5)) + heat;
    constexpr double turns = 1 / radians_per_turn;
    return {drift_across + flow_across,
            (speed * along_field + (drift_along + flow_along) * inverse_radius) * turns,
            speed * (turns / major_radius),
            force.parallel - moment * at[radius] * sine * along_field * (1 / major_radius),
            (1.0 - at[weight]) * drive};
}

// Of one particle: angle, stencil, 32 nodes of three values, change (about 70) and 20 to go on.
inline constexpr double flops_per_push =
    flops_per_sine_cosine + 8 + Mesh::flops + 4 * 2 * (3 + 4 * 3 * 2) + 12 + 90;

// The mean over the points of the gyration: field across and along, slope of the potential to the
// next plane, potential.
inline Lanes gather(const Lanes* nodes, std::int64_t plane, const Stencil& stencil) {
    Lanes behind{};
    Lanes ahead{};
    for (int point = 0; point < lane_count; ++point) {
        const auto surface = [&](const Lanes* at, double after, double share) {
            const double last = share * after;
            const double first = share - last;
            behind += first * at[0] + last * at[1];
            ahead += first * at[plane] + last * at[plane + 1];
        };
        const double outward = stencil.outward[point];
        surface(nodes + stencil.inner[point], stencil.after_inner[point], 1 - outward);
        surface(nodes + stencil.outer[point], stencil.after_outer[point], outward);
    }
    const Lanes mean = 0.25 * (behind + stencil.ahead * (ahead - behind));
    return Lanes{mean[0], mean[1], 0.25 * (ahead[2] - behind[2]), mean[2]};
}

// Half a step from where the step began, or the whole of it by what acts at its half (Runge-Kutta
// of second order).
enum class Substep : std::uint8_t { half, whole };

struct Push {
    const Mesh& mesh;
    const Particles& particles;
    const Lanes* nodes;
    double step;

    // A particle that leaves the annulus is put where the mirror image of its orbit, up and down,
    // was when the step began: so GTC does, and energy stays.
    template <Substep substep>
    void group(std::int64_t begin) const {
        Motion<Lanes> at;
        Motion<Lanes> before;
        for (std::size_t c = 0; c < moving; ++c) {
            at[c] = load(particles[c] + begin);
            before[c] =
                substep == Substep::half ? at[c] : load(particles[radius_before + c] + begin);
        }
        const SineCosine angle = sine_cosine(at[poloidal]);
        const Lanes field = 1.0 - at[radius] * angle.cosine * (1 / major_radius);
        const Lanes perpendicular = load(particles[across] + begin);
        const Lanes gyration = mesh.gyroradius * perpendicular / root_of(field);
        const Motion<Lanes> change =
            change_of(at, Lanes(perpendicular * perpendicular * 0.5), angle.sine, angle.cosine,
                      Lanes(1.0 / field), mesh.gyroradius, forces(begin, gyration));
        for (std::size_t c = 0; c < moving; ++c) {
            at[c] = before[c] + step * change[c];
        }
        const auto out = (at[radius] < inner_radius) | (at[radius] > outer_radius);
        at[radius] = out ? before[radius] : at[radius];
        at[poloidal] = out ? -before[poloidal] : at[poloidal];
        at[parallel] = out ? before[parallel] : at[parallel];
        at[poloidal] -= floor_of(at[poloidal]);
        at[toroidal] -= floor_of(at[toroidal]);
        for (std::size_t c = 0; c < moving; ++c) {
            store(particles[c] + begin, at[c]);
            if (substep == Substep::half) {
                store(particles[radius_before + c] + begin, before[c]);
            }
        }
    }

   private:
    [[nodiscard]] Force<Lanes> forces(std::int64_t begin, const Lanes& gyration) const {
        std::array<Stencil, lane_count> stencils;
        stencils_of(mesh, particles, begin, gyration, stencils);
        std::array<Lanes, lane_count> each;
        for (std::size_t lane = 0; lane < each.size(); ++lane) {
            each[lane] = gather(nodes, mesh.plane, stencils[lane]);
        }
        const Columns columns = columns_of(each[0], each[1], each[2], each[3]);
        return {columns.x, columns.y,
                columns.z * (-mesh.planes / (radians_per_turn * major_radius))};
    }
};

// Moves all particles of this rank.
template <Substep substep>
void push_all(const Push& push) {
    const std::int64_t groups = push.particles.groups();
#pragma omp parallel for schedule(static)
    for (std::int64_t group = 0; group < groups; ++group) {
        push.group<substep>(group * lane_count);
    }
}

}  // namespace machmeter::proxies::gkpic
