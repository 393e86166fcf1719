// The matrix of a block, and its product with a vector: the kernel of the proxy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "proxies/ofp/block.hpp"
#include "proxies/ofp/problem.hpp"

namespace machmeter::proxies::ofp {

// face[d] of a cell: the conductance to the next cell in dimension d, 0 at a wall; the layer before
// the block has those of its first cells.
struct Matrix {
    Field east;
    Field north;
    Field top;
    Field diagonal;
    Field inverse;

    Matrix(const Block& block, const Problem& problem)
        : east(block), north(block), top(block), diagonal(block), inverse(block) {
        for_rows(block, [&](std::int64_t begin, std::int64_t y, std::int64_t z) {
            for (std::int64_t x = 0; x < block.count[0]; ++x) {
                set_cell(block, problem, {x, y, z}, begin + x);
            }
        });
        // Behind the block's first faces.
        set_layer(block, problem, 0, east);
        set_layer(block, problem, 1, north);
        set_layer(block, problem, 2, top);
    }

   private:
    [[nodiscard]] static Cell global(const Block& block, const Cell& local) {
        return {block.first[0] + local[0], block.first[1] + local[1], block.first[2] + local[2]};
    }

    [[nodiscard]] static double face(const Block& block, const Problem& problem, const Cell& local,
                                     std::size_t d) {
        const Cell cell = global(block, local);
        Cell next = cell;
        next[d] += 1;
        const bool between = problem.inside(cell) && problem.inside(next);
        return between ? problem.conductance(cell, next) : 0;
    }

    void set_cell(const Block& block, const Problem& problem, const Cell& local, std::int64_t i) {
        east.data()[i] = face(block, problem, local, 0);
        north.data()[i] = face(block, problem, local, 1);
        top.data()[i] = face(block, problem, local, 2);
        const Cell cell = global(block, local);
        double sum = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            for (const int side : {-1, 1}) {
                Cell other = cell;
                other[d] += side;
                sum += problem.conductance(cell, other);
            }
        }
        diagonal.data()[i] = sum;
        inverse.data()[i] = 1 / sum;
    }

    static void set_layer(const Block& block, const Problem& problem, std::size_t d,
                          const Field& faces) {
        const std::size_t a = d == 0 ? 1 : 0;
        const std::size_t b = d == 2 ? 1 : 2;
        Cell local{};
        local[d] = -1;
        for (local[b] = 0; local[b] < block.count[b]; ++local[b]) {
            for (local[a] = 0; local[a] < block.count[a]; ++local[a]) {
                faces.data()[block.at(local[0], local[1], local[2])] =
                    face(block, problem, local, d);
            }
        }
    }
};

// Products, sums, the three updates of an iteration of the solve, and its two scalar products.
inline constexpr double flops_per_cell = 26;
// Of an iteration: the product reads four coefficients and the vector and writes one; the updates
// read five and write two, then read three and write one.
inline constexpr double bytes_per_cell = 17 * sizeof(double);

// A test puts a faulty one in its place.
struct Product {
    // product = A vector, whose layer around is that of the neighbors; returns this rank's part of
    // their scalar product.
    double operator()(const Block& block, const Matrix& matrix, const Field& vector,
                      const Field& product) const {
        return sum_rows(block, [&](std::int64_t begin) {
            return row(begin, block, matrix, vector.data(), product.data());
        });
    }

   private:
    // Compilers gather each element where the pointers are those of a closure.
    static double row(std::int64_t begin, const Block& block, const Matrix& matrix, const double* p,
                      double* out) {
        const double* const east = matrix.east.data();
        const double* const north = matrix.north.data();
        const double* const top = matrix.top.data();
        const double* const diagonal = matrix.diagonal.data();
        const std::int64_t row = block.row();
        const std::int64_t plane = block.plane();
        const std::int64_t end = begin + block.count[0];
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = begin; i < end; ++i) {
            const double value = diagonal[i] * p[i] -
                                 (east[i] * p[i + 1] + east[i - 1] * p[i - 1]) -
                                 (north[i] * p[i + row] + north[i - row] * p[i - row]) -
                                 (top[i] * p[i + plane] + top[i - plane] * p[i - plane]);
            out[i] = value;
            sum += p[i] * value;
        }
        return sum;
    }
};

}  // namespace machmeter::proxies::ofp
