// The flow at the start: a few waves, each about 50 cells long, half of them balanced by rotation.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "codes/shallow/grid.hpp"

namespace machmeter::shallow {

// SI units. rotation: the Coriolis parameter; filter: of Robert (1966) and Asselin (Mon. Wea. Rev.
// 100, 1972). Heights are times gravity.
struct Physics {
    double rotation = 1e-4;
    double spacing = 1e5;
    double step = 90;
    double filter = 1e-3;
    double mean_height = 5e4;
};

// Three products of a function of x and one of y are the stream function; a term along one axis.
using Terms = std::array<double, 3>;

class Waves {
   public:
    Waves(Grid grid, const Physics& physics) : physics_(physics) {
        for (std::size_t i = 0; i < grid.columns; ++i) {
            const auto at = static_cast<double>(i);
            const Terms corner = along_x(at + 0.5, grid.columns);
            const Terms before = along_x(at - 0.5, grid.columns);
            const Terms center = along_x(at, grid.columns);
            for (std::size_t term = 0; term < corner.size(); ++term) {
                corners_[term].push_back(corner[term]);
                slopes_[term].push_back((corner[term] - before[term]) / physics.spacing);
                centers_[term].push_back(center[term]);
            }
        }
    }

    // The cells of a row, without those beyond its ends.
    void fill_row(std::size_t row, const Grid& grid, double* u, double* v, double* p) const {
        const auto at = static_cast<double>(row);
        const Terms corner = along_y(at + 0.5, grid.rows);
        const Terms before = along_y(at - 0.5, grid.rows);
        const Terms center = along_y(at, grid.rows);
        Terms slope{};
        for (std::size_t term = 0; term < slope.size(); ++term) {
            slope[term] = (corner[term] - before[term]) / physics_.spacing;
        }
        for (std::size_t i = 0; i < grid.columns; ++i) {
            u[i] = -sum(corners_, i, slope);
            v[i] = sum(slopes_, i, corner);
            p[i] = physics_.mean_height + 0.5 * physics_.rotation * sum(centers_, i, center);
        }
    }

   private:
    using Lines = std::array<std::vector<double>, 3>;

    // Whole waves fit around the grid.
    static double angle(double at, std::size_t cells, std::size_t length) {
        const auto waves = static_cast<double>(cells < length ? 1 : cells / length);
        return 2 * std::numbers::pi * waves * at / static_cast<double>(cells);
    }
    static Terms along_x(double at, std::size_t columns) {
        constexpr double size = 1e7;
        const double x = angle(at, columns, 64);
        return {size * std::sin(x), 0.4 * size * std::sin(x + 1), 0.4 * size * std::cos(x + 1)};
    }
    static Terms along_y(double at, std::size_t rows) {
        const double y = angle(at, rows, 48);
        return {std::cos(y), std::cos(2 * y), std::sin(2 * y)};
    }
    static double sum(const Lines& lines, std::size_t i, const Terms& terms) {
        return lines[0][i] * terms[0] + lines[1][i] * terms[1] + lines[2][i] * terms[2];
    }

    Physics physics_;
    Lines corners_;
    Lines slopes_;
    Lines centers_;
};

}  // namespace machmeter::shallow
