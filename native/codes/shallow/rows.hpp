// The three loops of a time step along one row: Sadourny's scheme that conserves potential
// enstrophy (J. Atmos. Sci. 32, 1975), on a staggered grid (C).
//
// Heights p are at (i, j), u at (i + 1/2, j), v at (i, j + 1/2), vorticity at (i + 1/2, j + 1/2).
// Sums are grouped so that they are the same with x and y exchanged.
#pragma once

#include <cstddef>

#include "codes/shallow/waves.hpp"

namespace machmeter::shallow {

// Rows of what is moved: velocities and heights.
struct MovedRows {
    double* u;
    double* v;
    double* p;
};

// Rows of what follows from it: mass fluxes along x and y, potential vorticity, and the height with
// the kinetic energy.
struct DerivedRows {
    double* flux_x;
    double* flux_y;
    double* vorticity;
    double* head;
};

inline void derive_row(std::size_t columns, const Physics& physics, const MovedRows& own,
                       const MovedRows& above, const MovedRows& below, const DerivedRows& to) {
    const double* const u = own.u;
    const double* const v = own.v;
    const double* const p = own.p;
    const double* const u_above = above.u;
    const double* const p_above = above.p;
    const double* const v_below = below.v;
    double* const flux_x = to.flux_x;
    double* const flux_y = to.flux_y;
    double* const vorticity = to.vorticity;
    double* const head = to.head;
    const double rotation = physics.rotation;
    const double per_length = 1 / physics.spacing;
    const auto last = static_cast<std::ptrdiff_t>(columns);
#pragma omp simd
    for (std::ptrdiff_t i = 0; i < last; ++i) {
        flux_x[i] = 0.5 * (p[i + 1] + p[i]) * u[i];
        flux_y[i] = 0.5 * (p_above[i] + p[i]) * v[i];
        vorticity[i] = (rotation + per_length * ((v[i + 1] - v[i]) - (u_above[i] - u[i]))) /
                       (0.25 * ((p[i] + p_above[i + 1]) + (p[i + 1] + p_above[i])));
        head[i] = p[i] + 0.25 * ((u[i] * u[i] + u[i - 1] * u[i - 1]) +
                                 (v[i] * v[i] + v_below[i] * v_below[i]));
    }
}

// seconds: from the old level to the new one.
inline void advance_row(std::size_t columns, const Physics& physics, double seconds,
                        const DerivedRows& own, const DerivedRows& above, const DerivedRows& below,
                        const MovedRows& old, const MovedRows& to) {
    const double* const x = own.flux_x;
    const double* const y = own.flux_y;
    const double* const z = own.vorticity;
    const double* const head = own.head;
    const double* const x_above = above.flux_x;
    const double* const head_above = above.head;
    const double* const y_below = below.flux_y;
    const double* const z_below = below.vorticity;
    const double* const u_old = old.u;
    const double* const v_old = old.v;
    const double* const p_old = old.p;
    double* const u = to.u;
    double* const v = to.v;
    double* const p = to.p;
    const double eighth = seconds / 8;
    const double by_length = seconds / physics.spacing;
    const auto last = static_cast<std::ptrdiff_t>(columns);
#pragma omp simd
    for (std::ptrdiff_t i = 0; i < last; ++i) {
        u[i] = u_old[i] +
               eighth * (z[i] + z_below[i]) * ((y[i] + y_below[i + 1]) + (y[i + 1] + y_below[i])) -
               by_length * (head[i + 1] - head[i]);
        v[i] = v_old[i] -
               eighth * (z[i] + z[i - 1]) * ((x[i] + x_above[i - 1]) + (x[i - 1] + x_above[i])) -
               by_length * (head_above[i] - head[i]);
        p[i] = p_old[i] - by_length * ((x[i] - x[i - 1]) + (y[i] - y_below[i]));
    }
}

inline void filter_field(std::size_t columns, double filter, double* old, const double* now,
                         const double* next) {
#pragma omp simd
    for (std::size_t i = 0; i < columns; ++i) {
        old[i] = now[i] + filter * ((next[i] + old[i]) - 2 * now[i]);
    }
}

// The level now, filtered, takes the place of the old one.
inline void filter_row(std::size_t columns, const Physics& physics, const MovedRows& old,
                       const MovedRows& now, const MovedRows& next) {
    filter_field(columns, physics.filter, old.u, now.u, next.u);
    filter_field(columns, physics.filter, old.v, now.v, next.v);
    filter_field(columns, physics.filter, old.p, now.p, next.p);
}

}  // namespace machmeter::shallow
