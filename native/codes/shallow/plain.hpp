// The equations at one cell as they are written, with neighbors by whole coordinates: what the
// loops along rows are compared with.
#pragma once

#include <array>
#include <cstddef>

#include "codes/shallow/model.hpp"

namespace machmeter::shallow {

// Of u, v and p.
using Triple = std::array<double, 3>;

class Plain {
   public:
    Plain(const Grid& grid, const Physics& physics, const Level& level)
        : grid_(grid), physics_(physics), level_(level) {}

    [[nodiscard]] double u(long i, long j) const { return at(level_.u, i, j); }
    [[nodiscard]] double v(long i, long j) const { return at(level_.v, i, j); }
    [[nodiscard]] double p(long i, long j) const { return at(level_.p, i, j); }
    [[nodiscard]] double flux_x(long i, long j) const {
        return (p(i, j) + p(i + 1, j)) / 2 * u(i, j);
    }
    [[nodiscard]] double flux_y(long i, long j) const {
        return (p(i, j) + p(i, j + 1)) / 2 * v(i, j);
    }
    [[nodiscard]] double height_at_corner(long i, long j) const {
        return (p(i, j) + p(i + 1, j) + p(i, j + 1) + p(i + 1, j + 1)) / 4;
    }
    [[nodiscard]] double vorticity(long i, long j) const {
        const double turning =
            (v(i + 1, j) - v(i, j)) / physics_.spacing - (u(i, j + 1) - u(i, j)) / physics_.spacing;
        return (physics_.rotation + turning) / height_at_corner(i, j);
    }
    [[nodiscard]] double kinetic(long i, long j) const {
        const auto square = [](double one) { return one * one; };
        const double along_x = (square(u(i - 1, j)) + square(u(i, j))) / 2;
        const double along_y = (square(v(i, j - 1)) + square(v(i, j))) / 2;
        return (along_x + along_y) / 2;
    }

    // Per second.
    [[nodiscard]] Triple changes(long i, long j) const {
        const double dx = physics_.spacing;
        const double flux_y_at_u =
            (flux_y(i, j) + flux_y(i + 1, j) + flux_y(i, j - 1) + flux_y(i + 1, j - 1)) / 4;
        const double flux_x_at_v =
            (flux_x(i, j) + flux_x(i - 1, j) + flux_x(i, j + 1) + flux_x(i - 1, j + 1)) / 4;
        return {(vorticity(i, j) + vorticity(i, j - 1)) / 2 * flux_y_at_u -
                    (head(i + 1, j) - head(i, j)) / dx,
                -(vorticity(i, j) + vorticity(i - 1, j)) / 2 * flux_x_at_v -
                    (head(i, j + 1) - head(i, j)) / dx,
                -(flux_x(i, j) - flux_x(i - 1, j)) / dx - (flux_y(i, j) - flux_y(i, j - 1)) / dx};
    }

   private:
    [[nodiscard]] static std::size_t around(long at, std::size_t size) {
        const auto cells = static_cast<long>(size);
        return static_cast<std::size_t>((at + cells) % cells);
    }
    [[nodiscard]] double at(const Field& field, long i, long j) const {
        return field.row(around(j, grid_.rows))[around(i, grid_.columns)];
    }
    [[nodiscard]] double head(long i, long j) const { return p(i, j) + kinetic(i, j); }

    Grid grid_;
    Physics physics_;
    const Level& level_;
};

}  // namespace machmeter::shallow
