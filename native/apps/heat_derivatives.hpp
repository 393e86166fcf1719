// A heat problem with its temperatures, and its derivatives by teams of threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apps/conjugate_gradients.hpp"
#include "apps/heat_problem.hpp"

namespace machmeter::heat {

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
        if (thread == 0) {
            clear_padding(grid, arrays);
        }
        assemble(share);
        const Solved own = solve(grid, share, arrays, sums, thread, tolerance);
        if (thread == 0) {
            solved = own;
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
