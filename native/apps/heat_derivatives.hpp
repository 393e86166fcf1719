// A heat problem with its temperatures, and its derivatives by teams of threads, each by conjugate
// gradients with Jacobi's preconditioner (Saad, Iterative Methods for Sparse Linear Systems, 2nd
// edition, algorithm 9.1).
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apps/heat_problem.hpp"
#include "core/clock/clock.hpp"
#include "core/openmp/padding.hpp"

namespace machmeter::heat {

// Sums over a team, added in the order of the threads: the same on every thread and every time.
class TeamSums {
   public:
    using Pair = std::array<double, 2>;

    explicit TeamSums(int threads) : lines_(2 * static_cast<std::size_t>(threads)) {}

    // Called by every thread of the team. `round` is 0 and 1 in turn, so that no thread overwrites
    // what another still reads.
    Pair add(int round, int thread, const Pair& own) {
        const std::size_t threads = lines_.size() / 2;
        Line* const lines = lines_.data() + (round == 0 ? 0 : threads);
        lines[thread].parts = own;
#pragma omp barrier
        Pair all{};
        for (std::size_t other = 0; other < threads; ++other) {
            all[0] += lines[other].parts[0];
            all[1] += lines[other].parts[1];
        }
        return all;
    }

   private:
    struct alignas(padded_bytes) Line {
        Pair parts{};
    };

    std::vector<Line> lines_;
};

// residual: its norm over that of the right-hand side, by the recurrence; seconds: of the first
// thread of the team, before the iterations and in them.
struct Solved {
    std::uint64_t iterations = 0;
    double residual = 0;
    double assembly_seconds = 0;
    double solve_seconds = 0;
};

// Of a cell in an iteration: 15 for the product with its scalar product, 9 to advance, 3 for the
// next search; 17 arrays read or written.
inline constexpr double flops_per_cell = 27;
inline constexpr double bytes_per_cell = 17 * sizeof(double);

// The loops take their arrays one by one, and stay out of line, so that compilers see everywhere
// that nothing overlaps.

// product = A search over a share; returns search . product.
[[gnu::noinline]] inline double apply_matrix(const Grid& grid, const Share& share,
                                             const Arrays& a) {
    const Grid shape = grid;
    const std::size_t last = share.last;
    const double* __restrict const diagonal = a.diagonal;
    const double* __restrict const east = a.east;
    const double* __restrict const north = a.north;
    const double* __restrict const top = a.top;
    const double* __restrict const search = a.search;
    double* __restrict const product = a.product;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = share.first; i < last; ++i) {
        const double neighbors =
            over_faces(shape, east, north, top, i, [search](std::size_t j) { return search[j]; });
        product[i] = diagonal[i] * search[i] - neighbors;
        sum += search[i] * product[i];
    }
    return sum;
}

// Moves on by `step` along the search; returns r . z and r . r of the new residual.
[[gnu::noinline]] inline TeamSums::Pair advance(const Share& share, const Arrays& a, double step) {
    const std::size_t last = share.last;
    const double* __restrict const search = a.search;
    const double* __restrict const product = a.product;
    const double* __restrict const inverse_diagonal = a.inverse_diagonal;
    double* __restrict const solution = a.solution;
    double* __restrict const residual = a.residual;
    double preconditioned = 0;
    double plain = 0;
#pragma omp simd reduction(+ : preconditioned, plain)
    for (std::size_t i = share.first; i < last; ++i) {
        solution[i] += step * search[i];
        const double r = residual[i] - step * product[i];
        residual[i] = r;
        preconditioned += r * r * inverse_diagonal[i];
        plain += r * r;
    }
    return {preconditioned, plain};
}

[[gnu::noinline]] inline void turn_search(const Share& share, const Arrays& a, double keep) {
    const std::size_t last = share.last;
    const double* __restrict const inverse_diagonal = a.inverse_diagonal;
    const double* __restrict const residual = a.residual;
    double* __restrict const search = a.search;
#pragma omp simd
    for (std::size_t i = share.first; i < last; ++i) {
        search[i] = inverse_diagonal[i] * residual[i] + keep * search[i];
    }
}

// Solves A solution = residual from zero, by every thread of a team after the assembly, until the
// residual is `tolerance` times what it was.
inline Solved solve(const Grid& grid, const Share& share, const Arrays& a, TeamSums& sums,
                    int thread, double tolerance) {
    const std::uint64_t most_iterations = 1000 + 20 * grid.edge;
#pragma omp barrier
    std::fill(a.solution + share.first, a.solution + share.last, 0.0);
    std::fill(a.search + share.first, a.search + share.last, 0.0);
    std::fill(a.product + share.first, a.product + share.last, 0.0);
    auto [energy, square] = sums.add(0, thread, advance(share, a, 0));
    const double first_square = square;
    turn_search(share, a, 0);
#pragma omp barrier
    std::uint64_t iterations = 0;
    while (square > tolerance * tolerance * first_square && iterations < most_iterations) {
        const double curvature = sums.add(1, thread, {apply_matrix(grid, share, a), 0})[0];
        const TeamSums::Pair next = sums.add(0, thread, advance(share, a, energy / curvature));
        turn_search(share, a, next[0] / energy);
        energy = next[0];
        square = next[1];
        ++iterations;
#pragma omp barrier
    }
    return {iterations, std::sqrt(square / first_square), 0, 0};
}

inline constexpr double solve_tolerance = 1e-8;
inline constexpr double reference_tolerance = 1e-12;
inline constexpr double largest_error = 1e-4;  // of the largest value of the reference

// One derivative: the end of its solve, and its values down the middle of the cube.
struct Derivative {
    Solved solved;
    std::vector<double> column;
};

inline std::vector<double> middle_column(const Grid& grid, const double* cells) {
    std::vector<double> column(grid.edge);
    const std::size_t middle = grid.edge / 2 * (grid.edge + 1);
    for (std::size_t z = 0; z < grid.edge; ++z) {
        column[z] = cells[middle + z * grid.plane()];
    }
    return column;
}

// `assemble(share)` and a solve by a team of this size; the solution is left in the arrays.
template <class Assemble>
Solved solve_with_team(const Grid& grid, const Arrays& arrays, int threads, double tolerance,
                       Assemble&& assemble) {
    TeamSums sums(threads);
    Solved solved;
#pragma omp parallel num_threads(threads)
    {
        const int thread = omp_get_thread_num();
        const Share share = share_of(grid, thread, threads);
        const std::uint64_t begin = monotonic_clock.now();
        if (thread == 0) {
            clear_padding(grid, arrays);
        }
        assemble(share);
        const std::uint64_t assembled = monotonic_clock.now();
        const Solved own = solve(grid, share, arrays, sums, thread, tolerance);
        if (thread == 0) {
            solved = own;
            solved.assembly_seconds = seconds_between(begin, assembled);
            solved.solve_seconds = seconds_between(assembled, monotonic_clock.now());
        }
    }
    return solved;
}

// The problem, its temperatures, and references of single derivatives. Solved by the outer team.
class Problem {
   public:
    Problem(std::size_t edge, int threads)
        : grid_{edge},
          threads_(threads),
          conductivity_(rock_conductivity(grid_)),
          temperatures_(temperatures_with(conductivity_)) {}

    [[nodiscard]] const Grid& grid() const { return grid_; }

    void derive(std::uint64_t number, const Arrays& arrays, int threads,
                Derivative& derivative) const {
        derivative.solved =
            solve_with_team(grid_, arrays, threads, solve_tolerance, [&](const Share& share) {
                assemble_derivative(grid_, share, conductivity_.data(),
                                    temperatures_.data() + grid_.plane(), number, arrays);
            });
        derivative.column = middle_column(grid_, arrays.solution);
    }

    // Central difference of the temperatures along a direction, down the middle.
    const std::vector<double>& difference(std::uint64_t number) {
        const auto known = differences_.find(number);
        if (known != differences_.end()) {
            return known->second;
        }
        constexpr double step = 1e-3;
        const std::vector<double> above = column_at(number, step);
        std::vector<double> column = column_at(number, -step);
        for (std::size_t z = 0; z < column.size(); ++z) {
            column[z] = (above[z] - column[z]) / (2 * step);
        }
        return differences_.emplace(number, std::move(column)).first->second;
    }

   private:
    // Padded, as the assembly reads neighbors.
    [[nodiscard]] std::vector<double> temperatures_with(const std::vector<double>& k) const {
        const MallocedArrays memory(grid_);
        if (!memory.complete()) {
            throw std::runtime_error("not enough memory for a cube of " +
                                     std::to_string(grid_.edge) + " cells an edge");
        }
        const Arrays arrays = memory.arrays();
        solve_with_team(grid_, arrays, threads_, reference_tolerance,
                        [&](const Share& share) { assemble_base(grid_, share, k.data(), arrays); });
        const double* const first = arrays.solution - grid_.plane();
        return {first, first + padded_cells(grid_)};
    }

    [[nodiscard]] std::vector<double> column_at(std::uint64_t number, double step) const {
        std::vector<double> changed = conductivity_;
        for (std::size_t i = 0; i < changed.size(); ++i) {
            changed[i] *= 1 + step * direction_at(number, i);
        }
        return middle_column(grid_, temperatures_with(changed).data() + grid_.plane());
    }

    Grid grid_;
    int threads_;
    std::vector<double> conductivity_;
    std::vector<double> temperatures_;
    std::map<std::uint64_t, std::vector<double>> differences_;
};

inline bool agrees(const std::vector<double>& column, const std::vector<double>& reference) {
    double largest = 0;
    for (const double value : reference) {
        largest = std::max(largest, std::abs(value));
    }
    bool right = column.size() == reference.size() && largest > 0;
    for (std::size_t z = 0; right && z < column.size(); ++z) {
        right = std::abs(column[z] - reference[z]) <= largest_error * largest;
    }
    return right;
}

}  // namespace machmeter::heat
