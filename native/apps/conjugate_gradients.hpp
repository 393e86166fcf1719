// Conjugate gradients with Jacobi's preconditioner (Saad, Iterative Methods for Sparse Linear
// Systems, 2nd edition, algorithm 9.1) over the arrays of a heat problem, by one team of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/heat_problem.hpp"
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

// residual: its norm over that of the right-hand side, by the recurrence.
struct Solved {
    std::uint64_t iterations = 0;
    double residual = 0;
};

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
    return {iterations, std::sqrt(square / first_square)};
}

}  // namespace machmeter::heat
