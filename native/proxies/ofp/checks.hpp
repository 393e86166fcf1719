// What has to hold after a solve, by ways that the solve does not take.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/values/random_bits.hpp"
#include "proxies/common/faults.hpp"
#include "proxies/ofp/solver.hpp"

namespace machmeter::proxies::ofp {

// Of all ranks.
struct Deviations {
    // Of the residual that the solve has from the balance of every cell at the pressure that it
    // found, over the first residual.
    double residual = 0;
    // Of (u, A v) from (A u, v), relative.
    double symmetry = 0;
    // Energy norm of the error over that at the start: it falls with every iteration.
    double error = 0;
    // The residual over the first one.
    double reduction = 0;

    // Why the solve is wrong; empty where it is right.
    [[nodiscard]] std::string fault() const {
        constexpr double rounding = 1e-11;
        return first_fault({
            {symmetry <= rounding, "the matrix is not symmetric"},
            {residual <= rounding, "the residual is not the balance of the cells"},
            {error < 1, "the pressure is no nearer to the solution than at the start"},
        });
    }
};

// The same on every rank layout: by the number of a cell of the cube.
template <class SolverOf>
void fill(const SolverOf& solver, const Field& field, std::uint64_t seed) {
    for_rows(solver.block(), [&](std::int64_t begin, std::int64_t y, std::int64_t z) {
        for (std::int64_t x = 0; x < solver.block().count[0]; ++x) {
            const std::uint64_t number = solver.problem().number(solver.cell(x, y, z));
            field.data()[begin + x] = uniform(seed, number) - 0.5;
        }
    });
}

inline double scalar_product(const Block& block, const Field& a, const Field& b) {
    return sum_rows(block, [&](std::int64_t begin) {
        double sum = 0;
        for (std::int64_t i = begin; i < begin + block.count[0]; ++i) {
            sum += a.data()[i] * b.data()[i];
        }
        return sum;
    });
}

template <class SolverOf, class Ranks>
double asymmetry(SolverOf& solver, Ranks& ranks) {
    const Block& block = solver.block();
    const Field u(block);
    const Field v(block);
    const Field product(block);
    fill(solver, u, 11);
    fill(solver, v, 12);
    solver.halo().exchange(u.data());
    solver.halo().exchange(v.data());
    std::array<double, 3> sums{};
    sums[2] = solver.kernel()(block, solver.matrix(), v, product);
    sums[0] = scalar_product(block, u, product);
    sums[2] = std::abs(sums[2]) + solver.kernel()(block, solver.matrix(), u, product);
    sums[1] = scalar_product(block, product, v);
    ranks.sum(sums);
    return std::abs(sums[0] - sums[1]) / sums[2];
}

// Of one cell: of the residual's deviation, and of the error in the energy norm at the end and at
// the start.
template <class SolverOf>
std::array<double, 3> squares_of(const SolverOf& solver, const Cell& cell, std::int64_t i) {
    const Problem& problem = solver.problem();
    const Block& block = solver.block();
    const double* const found = solver.found().data();
    const auto at = [&](const Cell& other) {
        return problem.inside(other)
                   ? found[block.at(other[0] - block.first[0], other[1] - block.first[1],
                                    other[2] - block.first[2])]
                   : 0.0;
    };
    const double solution = problem.solution(cell);
    const double right =
        problem.balance(cell, [&](const Cell& other) { return problem.solution(other); });
    const double left = problem.balance(cell, at);
    const double deviation = right - left - solver.residual().data()[i];
    return {deviation * deviation, (solution - found[i]) * (right - left), solution * right};
}

// Sums over the cells of this rank.
template <class SolverOf>
std::array<double, 3> squares(const SolverOf& solver) {
    const Block& block = solver.block();
    const std::int64_t rows = block.count[1] * block.count[2];
    double deviation = 0;
    double end = 0;
    double start = 0;
#pragma omp parallel for schedule(static) reduction(+ : deviation, end, start)
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t y = r % block.count[1];
        const std::int64_t z = r / block.count[1];
        for (std::int64_t x = 0; x < block.count[0]; ++x) {
            const auto of_cell = squares_of(solver, solver.cell(x, y, z), block.at(x, y, z));
            deviation += of_cell[0];
            end += of_cell[1];
            start += of_cell[2];
        }
    }
    return {deviation, end, start};
}

// Every rank calls this after the last iteration.
template <class SolverOf, class Ranks>
Deviations check(SolverOf& solver, Ranks& ranks) {
    Deviations found;
    found.symmetry = asymmetry(solver, ranks);
    solver.halo().exchange(solver.found().data());
    std::array<double, 3> sums = squares(solver);
    ranks.sum(sums);
    found.residual = std::sqrt(sums[0]) / solver.first_norm();
    found.error = std::sqrt(std::abs(sums[1] / sums[2]));
    found.reduction = solver.reduction();
    return found;
}

}  // namespace machmeter::proxies::ofp
