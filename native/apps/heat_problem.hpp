// Steady heat conduction in a cube and its derivatives by the conductivity, after SHEMAT-Suite: the
// arrays of a solve, and what every thread of a team does for its own cells. No clock here.
//
// div(k grad T) = 0 on edge^3 cells of size 1, T = 0 below and 1 above, insulated sides. Finite
// volumes with harmonic means at the faces give A(k) T = b(k); its derivative T' in the direction
// dk solves A T' = b' - A' T.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/memory/pages.hpp"
#include "core/values/random_bits.hpp"

namespace machmeter::heat {

// Cell (x, y, z) has the number x + edge * (y + edge * z).
struct Grid {
    std::size_t edge = 0;

    [[nodiscard]] std::size_t plane() const { return edge * edge; }
    [[nodiscard]] std::size_t cells() const { return edge * edge * edge; }
};

// An array over all cells, with a plane of zeros before the first cell and one behind the last:
// neighbors outside the cube are read too, and add nothing.
inline std::size_t padded_cells(const Grid& grid) { return grid.cells() + 2 * grid.plane(); }

// What one solve works on; each points at cell 0 of a padded array. A face array holds for each
// cell the conductance to the next one in x, y or z, 0 at the border.
struct Arrays {
    static constexpr std::size_t count = 9;

    double* east;
    double* north;
    double* top;
    double* diagonal;
    double* inverse_diagonal;
    double* solution;
    double* residual;
    double* search;
    double* product;

    [[nodiscard]] std::array<double*, count> all() const {
        return {east, north, top, diagonal, inverse_diagonal, solution, residual, search, product};
    }
};

inline Arrays arrays_at(const std::array<double*, Arrays::count>& cells) {
    return {cells[0], cells[1], cells[2], cells[3], cells[4],
            cells[5], cells[6], cells[7], cells[8]};
}

inline std::size_t array_bytes(const Grid& grid) { return padded_cells(grid) * sizeof(double); }

// The arrays of one solve, each from malloc; nothing is touched yet.
class MallocedArrays {
   public:
    explicit MallocedArrays(const Grid& grid) : plane_(grid.plane()) {
        for (auto& block : blocks_) {
            block.reset(static_cast<double*>(std::malloc(array_bytes(grid))));
        }
    }

    [[nodiscard]] bool complete() const {
        return std::all_of(blocks_.begin(), blocks_.end(),
                           [](const auto& b) { return b != nullptr; });
    }

    [[nodiscard]] Arrays arrays() const {
        std::array<double*, Arrays::count> cells{};
        for (std::size_t i = 0; i < cells.size(); ++i) {
            cells[i] = blocks_[i].get() + plane_;
        }
        return arrays_at(cells);
    }

   private:
    struct Free {
        void operator()(double* block) const { std::free(block); }
    };

    std::size_t plane_;
    std::array<std::unique_ptr<double, Free>, Arrays::count> blocks_;
};

// The arrays of all outer threads in one piece; the thread that works on a slice touches it first.
class SlicedArrays {
   public:
    SlicedArrays(const Grid& grid, int slices, std::size_t page_bytes)
        : grid_(grid),
          slice_bytes_(round_up(Arrays::count * array_bytes(grid), page_bytes)),
          memory_(slice_bytes_ * static_cast<std::size_t>(slices), page_bytes) {}

    [[nodiscard]] Arrays arrays(int slice) const {
        std::byte* const begin =
            memory_.as<std::byte>() + slice_bytes_ * static_cast<std::size_t>(slice);
        std::array<double*, Arrays::count> cells{};
        for (std::size_t i = 0; i < cells.size(); ++i) {
            cells[i] = reinterpret_cast<double*>(begin + i * array_bytes(grid_)) + grid_.plane();
        }
        return arrays_at(cells);
    }

    [[nodiscard]] std::size_t page_bytes() const { return memory_.describe().page_bytes; }

   private:
    Grid grid_;
    std::size_t slice_bytes_;
    Memory memory_;
};

// Cells first <= i < last of one thread: whole rows along x.
struct Share {
    std::size_t first = 0;
    std::size_t last = 0;
};

inline Share share_of(const Grid& grid, int thread, int threads) {
    const auto of = static_cast<std::size_t>(threads);
    const auto number = static_cast<std::size_t>(thread);
    return {grid.plane() * number / of * grid.edge, grid.plane() * (number + 1) / of * grid.edge};
}

// Between 0.32 and 3.2.
inline std::vector<double> rock_conductivity(const Grid& grid) {
    constexpr std::uint64_t seed = 1;
    std::vector<double> values(grid.cells());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = std::pow(10.0, uniform(seed, i) - 0.5);
    }
    return values;
}

// The share of its conductivity that a cell gains in direction number `derivative`.
inline double direction_at(std::uint64_t derivative, std::size_t cell) {
    constexpr std::uint64_t first_seed = 1000;
    return uniform(first_seed + derivative, cell) - 0.5;
}

// Fills the face arrays of a share with between(cell, next cell).
template <class Between>
void fill_faces(const Grid& grid, const Share& share, double* east, double* north, double* top,
                Between&& between) {
    const std::size_t edge = grid.edge;
    const std::size_t plane = grid.plane();
    for (std::size_t row = share.first; row < share.last; row += edge) {
        const bool last_north = row / edge % edge + 1 == edge;
        const bool last_top = row / plane + 1 == edge;
        for (std::size_t i = row; i < row + edge; ++i) {
            east[i] = i + 1 < row + edge ? between(i, i + 1) : 0;
            north[i] = last_north ? 0 : between(i, i + edge);
            top[i] = last_top ? 0 : between(i, i + plane);
        }
    }
}

// Bottom and top have a fixed temperature half a cell outside.
inline bool at_border(const Grid& grid, std::size_t cell) {
    return cell < grid.plane() || cell >= grid.cells() - grid.plane();
}

inline double temperature_outside(const Grid& grid, std::size_t cell) {
    return cell < grid.plane() ? 0 : 1;
}

inline void clear_padding(const Grid& grid, const Arrays& arrays) {
    for (double* cells : arrays.all()) {
        std::fill(cells - grid.plane(), cells, 0.0);
        std::fill(cells + grid.cells(), cells + grid.cells() + grid.plane(), 0.0);
    }
}

// Sum over the six faces of a cell: the face array times `of(neighbor)`.
template <class Of>
double over_faces(const Grid& grid, const double* east, const double* north, const double* top,
                  std::size_t i, Of&& of) {
    const std::size_t edge = grid.edge;
    const std::size_t plane = grid.plane();
    return east[i] * of(i + 1) + east[i - 1] * of(i - 1) + north[i] * of(i + edge) +
           north[i - edge] * of(i - edge) + top[i] * of(i + plane) + top[i - plane] * of(i - plane);
}

// The diagonal, once all face arrays are full.
inline void fill_diagonal(const Grid& grid, const Share& share, const double* k, const Arrays& a) {
    for (std::size_t i = share.first; i < share.last; ++i) {
        const double faces =
            over_faces(grid, a.east, a.north, a.top, i, [](std::size_t) { return 1.0; });
        a.diagonal[i] = faces + (at_border(grid, i) ? 2 * k[i] : 0);
        a.inverse_diagonal[i] = 1 / a.diagonal[i];
    }
}

inline void fill_conductances(const Grid& grid, const Share& share, const double* k,
                              const Arrays& a) {
    fill_faces(grid, share, a.east, a.north, a.top,
               [k](std::size_t i, std::size_t j) { return 2 * k[i] * k[j] / (k[i] + k[j]); });
}

// A(k) and b(k), by every thread of a team.
inline void assemble_base(const Grid& grid, const Share& share, const double* k, const Arrays& a) {
    fill_conductances(grid, share, k, a);
#pragma omp barrier
    fill_diagonal(grid, share, k, a);
    for (std::size_t i = share.first; i < share.last; ++i) {
        a.residual[i] = at_border(grid, i) ? 2 * k[i] * temperature_outside(grid, i) : 0;
    }
}

// A(k) and b' - A' T for a direction, by every thread of a team; `base` is T, padded.
inline void assemble_derivative(const Grid& grid, const Share& share, const double* k,
                                const double* base, std::uint64_t derivative, const Arrays& a) {
    // Arrays that the solve fills later hold the direction and its change of the faces.
    double* const dk = a.residual;
    double* const east = a.solution;
    double* const north = a.search;
    double* const top = a.product;
    for (std::size_t i = share.first; i < share.last; ++i) {
        dk[i] = k[i] * direction_at(derivative, i);
    }
    fill_conductances(grid, share, k, a);
#pragma omp barrier
    fill_faces(grid, share, east, north, top, [&](std::size_t i, std::size_t j) {
        const double sum = k[i] + k[j];
        return 2 * (k[j] * k[j] * dk[i] + k[i] * k[i] * dk[j]) / (sum * sum);
    });
    fill_diagonal(grid, share, k, a);
#pragma omp barrier
    for (std::size_t i = share.first; i < share.last; ++i) {
        const double outside = temperature_outside(grid, i);
        const double border = at_border(grid, i) ? 2 * dk[i] * (outside - base[i]) : 0;
        a.residual[i] = border + over_faces(grid, east, north, top, i,
                                            [&](std::size_t j) { return base[j] - base[i]; });
    }
}

}  // namespace machmeter::heat
