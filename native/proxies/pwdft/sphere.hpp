// Plane waves: the vectors of a sphere, as columns along z that ranks share.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "proxies/common/shares.hpp"

namespace machmeter::proxies::pwdft {

// In units of the reciprocal lattice of a cube.
using Wave = std::array<int, 3>;

// Vectors (x, y, z) with first <= z < first + count; on which rank.
struct Column {
    int x = 0;
    int y = 0;
    int first = 0;
    int count = 0;
    int rank = 0;
};

// The point of the Brillouin zone, and the cube's edge in atomic units: no two waves have the same
// kinetic energy.
inline constexpr std::array<double, 3> zone_point{0.11, 0.23, 0.37};

struct Sphere {
    std::size_t grid = 0;
    int radius = 0;
    double edge = 0;
    std::vector<Column> columns;

    // All with |wave| <= grid / 4, so that products of two fit into the grid. Columns go to the
    // rank that has fewest waves so far, the longest first.
    Sphere(std::size_t points, int ranks)
        : grid(points),
          radius(static_cast<int>(points / 4)),
          edge(0.6 * static_cast<double>(points)) {
        for (int y = -radius; y <= radius; ++y) {
            for (int x = -radius; x <= radius; ++x) {
                const int left = radius * radius - x * x - y * y;
                if (left >= 0) {
                    const int most = static_cast<int>(std::sqrt(static_cast<double>(left)) + 1e-9);
                    columns.push_back({x, y, -most, 2 * most + 1, 0});
                }
            }
        }
        std::stable_sort(columns.begin(), columns.end(),
                         [](const Column& a, const Column& b) { return a.count > b.count; });
        share_out(ranks);
    }

    [[nodiscard]] bool holds(const Wave& wave) const {
        return wave[0] * wave[0] + wave[1] * wave[1] + wave[2] * wave[2] <= radius * radius;
    }

    // Half the square of a wave at the zone point, Hartree.
    [[nodiscard]] double kinetic(const Wave& wave) const {
        constexpr double pi = 3.14159265358979323846;
        double square = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const double component = 2 * pi / edge * (wave[d] + zone_point[d]);
            square += component * component;
        }
        return square / 2;
    }

    // The same for a wave whatever the ranks.
    [[nodiscard]] std::uint64_t number(const Wave& wave) const {
        const auto width = static_cast<std::uint64_t>(grid);
        std::uint64_t number = 0;
        for (std::size_t d = 3; d-- > 0;) {
            number = number * width + static_cast<std::uint64_t>(wave[d] + radius);
        }
        return number;
    }

    // Each to the rank with the fewest waves, of several the first.
    void share_out(int ranks) {
        using Load = std::pair<std::int64_t, int>;
        std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
        for (int rank = 0; rank < ranks; ++rank) {
            least.emplace(0, rank);
        }
        for (Column& column : columns) {
            const auto [waves, rank] = least.top();
            least.pop();
            column.rank = rank;
            least.emplace(waves + column.count, rank);
        }
    }

    // Where a component is on the grid.
    [[nodiscard]] std::size_t place(int component) const {
        return component < 0 ? grid - static_cast<std::size_t>(-component)
                             : static_cast<std::size_t>(component);
    }
};

// What one rank has: its columns, one after the other, and its planes of the grid.
struct Share {
    std::vector<Column> columns;
    std::size_t waves = 0;
    std::size_t first_plane = 0;
    std::size_t planes = 0;

    Share(const Sphere& sphere, int rank, int ranks)
        : first_plane(first_of_share(sphere.grid, rank, ranks)),
          planes(share_of(sphere.grid, rank, ranks).count) {
        for (const Column& column : sphere.columns) {
            if (column.rank == rank) {
                columns.push_back(column);
                waves += static_cast<std::size_t>(column.count);
            }
        }
    }

    // Calls `use(number of the wave here, wave)`.
    template <class Use>
    void each(Use&& use) const {
        std::size_t i = 0;
        for (const Column& column : columns) {
            for (int z = column.first; z < column.first + column.count; ++z) {
                use(i++, Wave{column.x, column.y, z});
            }
        }
    }
};

}  // namespace machmeter::proxies::pwdft
