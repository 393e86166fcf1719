// What a step does with cells and faces: prediction, coefficients and right side of the projection,
// its correction, and the advection of density.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "proxies/lowmach/level.hpp"
#include "proxies/lowmach/state.hpp"

namespace machmeter::proxies::lowmach {

// Operations of a step for each cell outside of the solve (prediction 3 * 25 and 7 of gravity,
// coefficients 9, right side 9, correction 9, advection 30), those of coarser coefficients
// included.
inline constexpr double flops_per_step = 140;
// Prediction 7 arrays, coefficients 4, right side 4, correction 10, advection 5.
inline constexpr double bytes_per_step = 30 * sizeof(double);

// By which the upwind difference along one dimension changes q in a unit of time.
inline double carried(const double* q, std::int64_t i, std::int64_t step, double speed) {
    const double up = speed > 0 ? speed : 0;
    const double down = speed > 0 ? 0 : speed;
    return up * (q[i] - q[i - step]) + down * (q[i + step] - q[i]);
}

// Of the faces along d in the plane z of a box: without pressure, density at rest in balance.
inline void predict_faces(const State& state, std::size_t d, std::int64_t box, std::int64_t z) {
    const Boxes& boxes = state.boxes;
    const std::size_t e = (d + 1) % 3;
    const std::size_t f = (d + 2) % 3;
    const std::int64_t to_d = boxes.step(d);
    const std::int64_t to_e = boxes.step(e);
    const std::int64_t to_f = boxes.step(f);
    const double* const q = state.previous[d].data();
    const double* const a = state.previous[e].data();
    const double* const b = state.previous[f].data();
    double* const out = state.predicted[d].data();
    const double factor = state.problem.time_step() / state.problem.width();
    for (std::int64_t y = 0; y < boxes.edge; ++y) {
        const std::int64_t begin = boxes.at(box, 0, y, z);
#pragma omp simd
        for (std::int64_t i = begin; i < begin + boxes.edge; ++i) {
            const double speed_e =
                0.25 * ((a[i] + a[i - to_d]) + (a[i + to_e] + a[i - to_d + to_e]));
            const double speed_f =
                0.25 * ((b[i] + b[i - to_d]) + (b[i + to_f] + b[i - to_d + to_f]));
            out[i] = q[i] - factor * (carried(q, i, to_d, q[i]) + carried(q, i, to_e, speed_e) +
                                      carried(q, i, to_f, speed_f));
        }
    }
}

inline void pull_down(const State& state, std::int64_t box, std::int64_t z) {
    const Boxes& boxes = state.boxes;
    const Problem& problem = state.problem;
    const std::int64_t height = state.height(box, z);
    const double at_rest = problem.beta_of_cell(height - 1) + problem.beta_of_cell(height);
    const double* const density = state.previous_density.data();
    double* const out = state.predicted[2].data();
    const double gained = problem.time_step() * Problem::gravity;
    const double is_open = state.is_wall(height) ? 0 : 1;
    for (std::int64_t y = 0; y < boxes.edge; ++y) {
        const std::int64_t begin = boxes.at(box, 0, y, z);
#pragma omp simd
        for (std::int64_t i = begin; i < begin + boxes.edge; ++i) {
            const double twice = density[i] + density[i - boxes.plane()];
            out[i] = is_open * (out[i] - gained * (twice - at_rest) / twice);
        }
    }
}

// Of the low faces along d of one plane, beta0^2 / density over the square of the width.
inline void set_coefficients(const State& state, const Level& level, std::size_t d,
                             std::int64_t box, std::int64_t z) {
    const Boxes& boxes = state.boxes;
    const Problem& problem = state.problem;
    const std::int64_t height = state.height(box, z);
    const double beta = d == 2 ? problem.beta_of_face(height) : problem.beta_of_cell(height);
    const bool is_closed = d == 2 && state.is_wall(height);
    const double over = beta / problem.width();
    const double twice_square = is_closed ? 0 : 2 * over * over;
    const double* const density = state.previous_density.data();
    double* const out = level.faces[d].data();
    const std::int64_t step = boxes.step(d);
    const std::int64_t count = boxes.edge + (d == 0 ? 1 : 0);
    for (std::int64_t y = 0; y < boxes.edge + (d == 1 ? 1 : 0); ++y) {
        const std::int64_t begin = boxes.at(box, 0, y, z);
#pragma omp simd
        for (std::int64_t i = begin; i < begin + count; ++i) {
            out[i] = twice_square / (density[i] + density[i - step]);
        }
    }
}

inline void set_coefficients(const State& state, const Level& level) {
    for_planes(state.boxes, [&](std::int64_t box, std::int64_t z) {
        for (std::size_t d = 0; d < 3; ++d) {
            set_coefficients(state, level, d, box, z);
        }
        if (z == state.boxes.edge - 1) {
            set_coefficients(state, level, 2, box, z + 1);
        }
    });
}

// div(beta0 U) of the predicted velocities, whose layer around has the high faces.
inline void set_right(const State& state, const Level& level) {
    const Boxes& boxes = state.boxes;
    const Problem& problem = state.problem;
    const double* const u = state.predicted[0].data();
    const double* const v = state.predicted[1].data();
    const double* const w = state.predicted[2].data();
    double* const out = level.right.data();
    for_planes(boxes, [&, u, v, w, out](std::int64_t box, std::int64_t z) {
        const std::int64_t height = state.height(box, z);
        const double inverse = 1 / problem.width();
        const double beta = problem.beta_of_cell(height) * inverse;
        const double low = problem.beta_of_face(height) * inverse;
        const double high =
            state.is_wall(height + 1) ? 0 : problem.beta_of_face(height + 1) * inverse;
        for (std::int64_t y = 0; y < boxes.edge; ++y) {
            const std::int64_t begin = boxes.at(box, 0, y, z);
#pragma omp simd
            for (std::int64_t i = begin; i < begin + boxes.edge; ++i) {
                out[i] = beta * ((u[i + 1] - u[i]) + (v[i + boxes.row()] - v[i])) +
                         (high * w[i + boxes.plane()] - low * w[i]);
            }
        }
    });
}

// U of the faces along d in a plane: as predicted, less beta0 / density grad phi.
inline void correct_faces(const State& state, const Level& level, std::size_t d, std::int64_t box,
                          std::int64_t z) {
    const Boxes& boxes = state.boxes;
    const Problem& problem = state.problem;
    const std::int64_t height = state.height(box, z);
    const double beta = d == 2 ? problem.beta_of_face(height) : problem.beta_of_cell(height);
    const double factor = problem.width() / beta;
    const double* const coefficient = level.faces[d].data();
    const double* const phi = level.phi.data();
    const double* const from = state.predicted[d].data();
    double* const out = state.velocity[d].data();
    const std::int64_t step = boxes.step(d);
    for (std::int64_t y = 0; y < boxes.edge; ++y) {
        const std::int64_t begin = boxes.at(box, 0, y, z);
#pragma omp simd
        for (std::int64_t i = begin; i < begin + boxes.edge; ++i) {
            out[i] = from[i] - factor * coefficient[i] * (phi[i] - phi[i - step]);
        }
    }
}

// The flux of density through a face, of what lies upwind.
inline double flux(double speed, double low, double high) {
    return speed * (speed > 0 ? low : high);
}

// The density over beta0 is what beta0 U carries: between what it was in the cell and beside it.
inline void advect_plane(const State& state, std::int64_t box, std::int64_t z) {
    const Boxes& boxes = state.boxes;
    const Problem& problem = state.problem;
    const std::int64_t k = state.height(box, z);
    const bool is_top = state.is_wall(k + 1);
    const double low = problem.beta_of_face(k);
    const double high = is_top ? 0 : problem.beta_of_face(k + 1);
    // Of the flux through the lower and the upper face, from below and above it.
    const std::array<double, 4> shares{
        low / problem.beta_of_cell(k - 1), low / problem.beta_of_cell(k),
        high / problem.beta_of_cell(k), high / problem.beta_of_cell(k + 1)};
    const double* const r = state.previous_density.data();
    const double* const u = state.velocity[0].data();
    const double* const v = state.velocity[1].data();
    const double* const w = state.velocity[2].data();
    double* const out = state.density.data();
    const double factor = problem.time_step() / problem.width();
    const std::int64_t row = boxes.row();
    const std::int64_t plane = boxes.plane();
    for (std::int64_t y = 0; y < boxes.edge; ++y) {
        const std::int64_t begin = boxes.at(box, 0, y, z);
#pragma omp simd
        for (std::int64_t i = begin; i < begin + boxes.edge; ++i) {
            const double along_x = flux(u[i + 1], r[i], r[i + 1]) - flux(u[i], r[i - 1], r[i]);
            const double along_y =
                flux(v[i + row], r[i], r[i + row]) - flux(v[i], r[i - row], r[i]);
            const double along_z = flux(w[i + plane], shares[2] * r[i], shares[3] * r[i + plane]) -
                                   flux(w[i], shares[0] * r[i - plane], shares[1] * r[i]);
            out[i] = r[i] - factor * (along_x + along_y + along_z);
        }
    }
}

// A test puts a faulty one in its place.
struct Kernels {
    void smooth(const Level& level, int color) const { smooth_color(level, color); }
    void predict(const State& state) const {
        for_planes(state.boxes, [&](std::int64_t box, std::int64_t z) {
            for (std::size_t d = 0; d < 3; ++d) {
                predict_faces(state, d, box, z);
            }
            pull_down(state, box, z);
        });
    }
    void correct(const State& state, const Level& level) const {
        for_planes(state.boxes, [&](std::int64_t box, std::int64_t z) {
            for (std::size_t d = 0; d < 3; ++d) {
                correct_faces(state, level, d, box, z);
            }
        });
    }
    void advect(const State& state) const {
        for_planes(state.boxes,
                   [&](std::int64_t box, std::int64_t z) { advect_plane(state, box, z); });
    }
};

}  // namespace machmeter::proxies::lowmach
