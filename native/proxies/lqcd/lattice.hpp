// A periodic lattice of four dimensions, shared out over ranks as blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/common/rank_grid.hpp"
#include "proxies/common/shares.hpp"

namespace machmeter::proxies::lqcd {

inline constexpr std::size_t dimensions = 4;
// How far a site is from the farthest that its equation takes in.
inline constexpr std::int64_t farthest = 3;

using Site = std::array<std::int64_t, dimensions>;  // x, y, z, t

// Prime factors, the largest first.
inline std::vector<int> factors_of(int number) {
    std::vector<int> factors;
    for (int divisor = 2; number > 1; ++divisor) {
        for (; number % divisor == 0; number /= divisor) {
            factors.insert(factors.begin(), divisor);
        }
    }
    return factors;
}

// Extents of the lattice, and how many blocks share each.
struct Sharing {
    Site whole{};
    std::array<int, dimensions> ranks{1, 1, 1, 1};

    [[nodiscard]] double sites() const {
        double product = 1;
        for (const std::int64_t extent : whole) {
            product *= static_cast<double>(extent);
        }
        return product;
    }
};

// A lattice of edge^4 sites; each prime factor of the ranks divides the dimension in which blocks
// are longest, as MILC shares out its lattice. Of equally long ones the last, so that rows along x
// stay whole.
inline Sharing shared_out(std::int64_t edge, int ranks) {
    Sharing sharing{{edge, edge, edge, edge}};
    for (const int factor : factors_of(ranks)) {
        std::size_t longest = 0;
        for (std::size_t d = 1; d < dimensions; ++d) {
            if (sharing.ranks[d] <= sharing.ranks[longest]) {
                longest = d;
            }
        }
        sharing.ranks[longest] *= factor;
    }
    return sharing;
}

// edge^4 sites for each rank: what would be divided is so many times longer.
inline Sharing replicated(std::int64_t edge, int ranks) {
    Sharing sharing = shared_out(edge, ranks);
    for (std::size_t d = 0; d < dimensions; ++d) {
        sharing.whole[d] *= sharing.ranks[d];
    }
    return sharing;
}

// The sites of one rank. Both ends of a block are even, so that a site's parity is that of its
// place in the block too. A row is the sites of one parity at equal y, z and t: of its half()
// sites, site i has x = 2 i + offset.
struct Block : RankGrid<dimensions> {
    Site whole{};
    Site first{};
    Site count{};

    Block(const Sharing& sharing, int rank) : RankGrid(sharing.ranks, rank), whole(sharing.whole) {
        for (std::size_t d = 0; d < dimensions; ++d) {
            const Share pairs = share_of(whole[d] / 2, place[d], ranks[d]);
            first[d] = 2 * pairs.first;
            count[d] = 2 * pairs.count;
        }
    }

    [[nodiscard]] std::int64_t half() const { return count[0] / 2; }
    [[nodiscard]] std::int64_t rows() const { return count[1] * count[2] * count[3]; }
    // Of one parity.
    [[nodiscard]] std::int64_t sites() const { return half() * rows(); }
    [[nodiscard]] bool is_divided(std::size_t d) const { return ranks[d] > 1; }

    // The place in the block of a row's site with x = 0.
    [[nodiscard]] Site place_of(std::int64_t row) const {
        return {0, row % count[1], row / count[1] % count[2], row / (count[1] * count[2])};
    }
    [[nodiscard]] std::int64_t row_at(const Site& at) const {
        return at[1] + count[1] * (at[2] + count[2] * at[3]);
    }
    [[nodiscard]] std::int64_t offset(int parity, std::int64_t row) const {
        const Site at = place_of(row);
        return (at[1] + at[2] + at[3] + parity) & 1;
    }

    // In the lattice.
    [[nodiscard]] Site site(int parity, std::int64_t row, std::int64_t i) const {
        Site at = place_of(row);
        at[0] = 2 * i + offset(parity, row);
        for (std::size_t d = 0; d < dimensions; ++d) {
            at[d] += first[d];
        }
        return at;
    }
};

}  // namespace machmeter::proxies::lqcd
