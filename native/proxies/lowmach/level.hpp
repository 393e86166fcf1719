// div(c grad phi) = right on the boxes of one level, and what multigrid does there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "proxies/lowmach/boxes.hpp"

namespace machmeter::proxies::lowmach {

struct Level {
    explicit Level(const Boxes& shape)
        : boxes(shape), phi(shape), right(shape), faces{Field(shape), Field(shape), Field(shape)} {}

    Boxes boxes;
    Field phi;
    Field right;
    // c over the square of the cells' width at the low face along each dimension, 0 at walls; the
    // layer behind the last cells has those of their high faces.
    std::array<Field, 3> faces;
};

// The arrays of a level as loops use them. Edge: an integer, or a constant one.
template <class Edge>
struct Stencil {
    const double* x;
    const double* y;
    const double* z;
    const double* right;
    Edge edge;

    Stencil(const Level& level, Edge of)
        : x(level.faces[0].data()),
          y(level.faces[1].data()),
          z(level.faces[2].data()),
          right(level.right.data()),
          edge(of) {}

    // As in Boxes.
    [[nodiscard]] std::int64_t row() const { return edge + 2; }
    [[nodiscard]] std::int64_t plane() const { return row() * row(); }

    [[nodiscard]] double laplacian(const double* p, std::int64_t i) const {
        const std::int64_t row = this->row();
        const std::int64_t plane = this->plane();
        return (x[i + 1] * (p[i + 1] - p[i]) - x[i] * (p[i] - p[i - 1])) +
               (y[i + row] * (p[i + row] - p[i]) - y[i] * (p[i] - p[i - row])) +
               (z[i + plane] * (p[i + plane] - p[i]) - z[i] * (p[i] - p[i - plane]));
    }
    [[nodiscard]] double diagonal(std::int64_t i) const {
        return (x[i] + x[i + 1]) + (y[i] + y[i + row()]) + (z[i] + z[i + plane()]);
    }
    [[nodiscard]] double residual(const double* p, std::int64_t i) const {
        return right[i] - laplacian(p, i);
    }
};

// `use(edge)`, as a constant where it is a usual one: rows at a constant distance need a register
// for each array instead of one for each neighbor.
template <class Use>
void with_constant(std::int64_t edge, Use&& use) {
    switch (edge) {
        case 8:
            return use(std::integral_constant<std::int64_t, 8>());
        case 16:
            return use(std::integral_constant<std::int64_t, 16>());
        case 32:
            return use(std::integral_constant<std::int64_t, 32>());
        default:
            return use(edge);
    }
}

// Operations of a cell and bytes of its arrays, read or written: of a sweep over both colors (which
// passes twice), of a residual, and of one taken to the next level and what comes back from there.
inline constexpr double flops_per_sweep = 25;
inline constexpr double bytes_per_sweep = 12 * sizeof(double);
inline constexpr double flops_per_residual = 18;
inline constexpr double bytes_per_residual = 5 * sizeof(double);
inline constexpr double flops_per_transfer = flops_per_residual + 1 + 4;
inline constexpr double bytes_per_transfer = bytes_per_residual + (2 + 2.0 / 8) * sizeof(double);

// By which a sweep goes further than to where a residual is 0: AMReX's for cells.
inline constexpr double relaxation = 1.15;

// That and 0 in turn.
inline constexpr auto every_second = [] {
    std::array<double, largest_box + 1> pattern{};
    for (std::size_t i = 0; i < pattern.size(); i += 2) {
        pattern[i] = relaxation;
    }
    return pattern;
}();

// Gauss-Seidel, overrelaxed, on the cells of one color, by the parity of x + y + z; edges of boxes
// are even, so that it is the same within every box. The layer around has the neighbors' phi.
template <class Edge>
void smooth_color(const Level& level, int color, Edge edge) {
    const Stencil<Edge> stencil(level, edge);
    double* const p = level.phi.data();
    for_planes(level.boxes, [=, &level](std::int64_t box, std::int64_t z) {
        std::array<double, largest_box> change;
        double* const by = change.data();
        for (std::int64_t y = 0; y < edge; ++y) {
            const std::int64_t begin = level.boxes.at(box, 0, y, z);
            const double* const on = every_second.data() + ((y + z + color) & 1);
            // All cells of the row, in vectors: memory is read in whole lines anyway. Those of the
            // other color stay to the last bit.
#pragma omp simd
            for (std::int64_t x = 0; x < edge; ++x) {
                by[x] = on[x] * (stencil.residual(p, begin + x) / stencil.diagonal(begin + x));
            }
#pragma omp simd
            for (std::int64_t x = 0; x < edge; ++x) {
                p[begin + x] -= by[x];
            }
        }
    });
}
inline void smooth_color(const Level& level, int color) {
    with_constant(level.boxes.edge, [&](auto edge) { smooth_color(level, color, edge); });
}

// The sum of the residual's squares on this rank.
template <class Edge>
double residual_square(const Level& level, Edge edge) {
    const Stencil<Edge> stencil(level, edge);
    const double* const p = level.phi.data();
    return sum_rows(level.boxes, [=](std::int64_t begin) {
        // GCC 12 takes no row in vectors whose residuals are added up as they come.
        std::array<double, largest_box> squares;
        double* const of = squares.data();
#pragma omp simd
        for (std::int64_t x = 0; x < edge; ++x) {
            const double residual = stencil.residual(p, begin + x);
            of[x] = residual * residual;
        }
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t x = 0; x < edge; ++x) {
            sum += of[x];
        }
        return sum;
    });
}
inline double residual_square(const Level& level) {
    double sum = 0;
    with_constant(level.boxes.edge, [&](auto edge) { sum = residual_square(level, edge); });
    return sum;
}

// The right side of the next level: the mean residual of eight cells.
template <class Edge>
void restrict_residual(const Level& fine, const Level& coarse, Edge edge) {
    const Stencil<Edge> stencil(fine, edge);
    const double* const p = fine.phi.data();
    double* const right = coarse.right.data();
    const Boxes& boxes = fine.boxes;
    for_planes(coarse.boxes, [=, &boxes, &coarse](std::int64_t box, std::int64_t z) {
        std::array<double, largest_box> sums;
        for (std::int64_t y = 0; y < coarse.boxes.edge; ++y) {
            const std::int64_t a = boxes.at(box, 0, 2 * y, 2 * z);
            const std::int64_t b = a + stencil.row();
            const std::int64_t c = a + stencil.plane();
            const std::int64_t d = b + stencil.plane();
#pragma omp simd
            for (std::int64_t x = 0; x < edge; ++x) {
                sums[static_cast<std::size_t>(x)] =
                    (stencil.residual(p, a + x) + stencil.residual(p, b + x)) +
                    (stencil.residual(p, c + x) + stencil.residual(p, d + x));
            }
            double* const out = right + coarse.boxes.at(box, 0, y, z);
            for (std::int64_t x = 0; x < coarse.boxes.edge; ++x) {
                const auto at = static_cast<std::size_t>(2 * x);
                out[x] = 0.125 * (sums[at] + sums[at + 1]);
            }
        }
    });
}
inline void restrict_residual(const Level& fine, const Level& coarse) {
    with_constant(fine.boxes.edge, [&](auto edge) { restrict_residual(fine, coarse, edge); });
}

// Adds the next level's phi, whose layer around is that of its neighbors: the mean of the cell that
// holds this one and of the three next to it on this one's sides, which is exact where phi is
// linear.
inline void add_interpolated(const Level& coarse, const Level& fine) {
    const double* const from = coarse.phi.data();
    double* const to = fine.phi.data();
    const Boxes& boxes = fine.boxes;
    for_planes(boxes, [=, &boxes, &coarse](std::int64_t box, std::int64_t z) {
        const std::int64_t up = (z % 2 == 0 ? -1 : 1) * coarse.boxes.plane();
        for (std::int64_t y = 0; y < boxes.edge; ++y) {
            const std::int64_t side = (y % 2 == 0 ? -1 : 1) * coarse.boxes.row();
            const double* const c = from + coarse.boxes.at(box, 0, y / 2, z / 2);
            double* const f = to + boxes.at(box, 0, y, z);
#pragma omp simd
            for (std::int64_t x = 0; x < coarse.boxes.edge; ++x) {
                const double mean = c[x] + c[x + side] + c[x + up];
                f[2 * x] += 0.25 * (mean + c[x - 1]);
                f[2 * x + 1] += 0.25 * (mean + c[x + 1]);
            }
        }
    });
}

// Coefficients of the next level: the mean of the four faces that make up one, of cells twice as
// wide.
inline void coarsen_faces(const Level& fine, const Level& coarse) {
    const Boxes& boxes = fine.boxes;
    const std::int64_t n = coarse.boxes.edge;
    for_planes(coarse.boxes, [&, n](std::int64_t box, std::int64_t z) {
        for (std::size_t d = 0; d < 3; ++d) {
            const double* const from = fine.faces[d].data();
            double* const to = coarse.faces[d].data();
            const std::int64_t a = boxes.step(d == 0 ? 1 : 0);
            const std::int64_t b = boxes.step(d == 2 ? 1 : 2);
            const auto set = [&](std::int64_t x, std::int64_t y, std::int64_t at_z) {
                const std::int64_t i = boxes.at(box, 2 * x, 2 * y, 2 * at_z);
                to[coarse.boxes.at(box, x, y, at_z)] =
                    (0.25 * 0.25) * ((from[i] + from[i + a]) + (from[i + b] + from[i + a + b]));
            };
            const std::int64_t planes = d == 2 && z == n - 1 ? 2 : 1;
            for (std::int64_t at_z = z; at_z < z + planes; ++at_z) {
                for (std::int64_t y = 0; y < n + (d == 1 ? 1 : 0); ++y) {
                    for (std::int64_t x = 0; x < n + (d == 0 ? 1 : 0); ++x) {
                        set(x, y, at_z);
                    }
                }
            }
        }
    });
}

}  // namespace machmeter::proxies::lowmach
