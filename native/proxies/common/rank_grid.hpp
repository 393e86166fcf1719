// Ranks in a grid, numbered along its first dimension first.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace machmeter::proxies {

// And the place of one of them.
template <std::size_t dimensions>
struct RankGrid {
    using Places = std::array<int, dimensions>;

    // Along each dimension.
    Places ranks;
    Places place{};

    RankGrid(const Places& along, int rank) : ranks(along) {
        for (std::size_t d = 0; d < dimensions; ++d) {
            place[d] = rank % ranks[d];
            rank /= ranks[d];
        }
    }

    [[nodiscard]] int rank_at(const Places& at) const {
        int rank = 0;
        for (std::size_t d = dimensions; d-- > 0;) {
            rank = rank * ranks[d] + at[d];
        }
        return rank;
    }

    // The rank so many steps further along a dimension, around the grid.
    [[nodiscard]] int neighbor(std::size_t dimension, int step) const {
        Places at = place;
        const int count = ranks[dimension];
        at[dimension] = (at[dimension] + step + count) % count;
        return rank_at(at);
    }

    // So many steps further along each dimension; -1 beyond the grid.
    [[nodiscard]] int neighbor_within(const Places& steps) const {
        Places at = place;
        for (std::size_t d = 0; d < dimensions; ++d) {
            at[d] += steps[d];
            if (at[d] < 0 || at[d] >= ranks[d]) {
                return -1;
            }
        }
        return rank_at(at);
    }

    // All that differ from this one along a dimension alone, in order and with it.
    [[nodiscard]] std::vector<int> line(std::size_t dimension) const {
        std::vector<int> line;
        Places at = place;
        for (at[dimension] = 0; at[dimension] < ranks[dimension]; ++at[dimension]) {
            line.push_back(rank_at(at));
        }
        return line;
    }
};

// The squarest grid of so many ranks with `fits(few, many)`, few <= many; {0, 0} where there is
// none.
template <class Fits>
std::array<int, 2> squarest_grid(int ranks, Fits&& fits) {
    std::array<int, 2> best{};
    for (int few = 1; few <= ranks / few; ++few) {
        if (ranks % few == 0 && fits(few, ranks / few)) {
            best = {few, ranks / few};
        }
    }
    return best;
}

}  // namespace machmeter::proxies
