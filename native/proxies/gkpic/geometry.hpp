// The tokamak and its grid. Units: lengths in minor radii, velocities in thermal ones, potentials
// in T/e, angles in turns (1 is 2 pi).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

namespace machmeter::proxies::gkpic {

inline constexpr double radians_per_turn = 2 * std::numbers::pi;

// Circular concentric flux surfaces at large aspect ratio; gradients and safety factor of the
// Cyclone base case (Dimits et al., Phys. Plasmas 7, 2000).
inline constexpr double inner_radius = 0.1;
inline constexpr double outer_radius = 0.9;
inline constexpr double major_radius = 2.78;
inline constexpr double density_gradient = 2.22 / major_radius;
inline constexpr double temperature_gradient = 6.92 / major_radius;
inline constexpr double safety_at_axis = 0.854;
inline constexpr double safety_growth = 2.184;

// q(r) = 0.854 + 2.184 r^2.
template <class T>
T inverse_safety(const T& radius) {
    return 1.0 / (safety_at_axis + safety_growth * radius * radius);
}

// On each of `planes` poloidal planes `points` on each of `surfaces`. Points follow the field:
// point j of plane k is at the poloidal angle j / points + k / (planes q). So that the points of
// plane `planes` are those of plane 0, q of a surface is rounded to points / a whole number, as GTC
// does it.
struct Grid {
    std::int64_t planes = 0;
    std::int64_t surfaces = 0;
    std::int64_t points = 0;
    // Of each surface: by how many points the field line turns on its way around the torus, and
    // 1 / q of the grid.
    std::vector<std::int64_t> turned;
    std::vector<double> inverse_q;

    Grid(std::int64_t plane_count, std::int64_t surface_count, std::int64_t point_count)
        : planes(plane_count), surfaces(surface_count), points(point_count) {
        const auto around = static_cast<double>(points);
        for (std::int64_t i = 0; i < surfaces; ++i) {
            turned.push_back(std::llround(around * inverse_safety(radius(i))));
            inverse_q.push_back(static_cast<double>(turned.back()) / around);
        }
    }

    // A gyroradius of thermal particles, as usual.
    [[nodiscard]] double spacing() const {
        return (outer_radius - inner_radius) / static_cast<double>(surfaces - 1);
    }
    [[nodiscard]] double gyroradius() const { return spacing(); }
    [[nodiscard]] double radius(std::int64_t surface) const {
        return inner_radius + static_cast<double>(surface) * spacing();
    }

    // Of a time step: in it the fastest particle goes not so far as from one plane to the next.
    [[nodiscard]] double time_step() const {
        constexpr double fastest = 8;
        constexpr double longest = 0.05;
        return major_radius *
               std::min(longest, radians_per_turn / static_cast<double>(planes) / fastest);
    }

    // Rows of nodes end with a copy of their first one.
    [[nodiscard]] std::int64_t row() const { return points + 1; }
    [[nodiscard]] std::int64_t plane() const { return surfaces * row(); }

    // Points from that at an angle on `surface` to that at the same angle on `other`, at so many
    // planes from plane 0.
    [[nodiscard]] double offset(std::int64_t surface, std::int64_t other, std::int64_t at) const {
        const auto s = static_cast<std::size_t>(surface);
        const auto o = static_cast<std::size_t>(other);
        return static_cast<double>((turned[s] - turned[o]) * at) / static_cast<double>(planes);
    }
};

// A part of the torus: planes first <= k < first + count and the particles between them and the
// next. Ranks of one domain hold copies of its planes and share its particles.
struct Domain {
    int domains = 1;
    int copies = 1;
    int domain = 0;
    int copy = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;

    Domain(std::int64_t planes, int rank, int size) {
        domains = static_cast<int>(std::gcd(planes, static_cast<std::int64_t>(size)));
        copies = size / domains;
        domain = rank / copies;
        copy = rank % copies;
        count = planes / domains;
        first = domain * count;
    }

    [[nodiscard]] bool is_last() const { return domain == domains - 1; }
    [[nodiscard]] int next() const { return (domain + 1) % domains * copies + copy; }
    [[nodiscard]] int previous() const { return (domain + domains - 1) % domains * copies + copy; }
    // The rank of another copy of this domain, around.
    [[nodiscard]] int other_copy(int step) const {
        return domain * copies + (copy + step + copies) % copies;
    }
};

}  // namespace machmeter::proxies::gkpic
