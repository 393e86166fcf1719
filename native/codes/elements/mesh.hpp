// A box of hexahedra whose nodes do not lie quite on a grid, in blocks of four along a row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/values/random_bits.hpp"
#include "proxies/common/lanes.hpp"

namespace machmeter::elements {

// The first three components are coordinates.
using proxies::Lanes;

inline constexpr std::size_t corners = 8;
inline constexpr std::size_t colors = 8;
inline constexpr std::size_t block_size = proxies::lane_count;

// Along x, y and z.
using Place = std::array<std::size_t, 3>;

// Corner a of an element is bit 0 of a along x, bit 1 along y, bit 2 along z from its first.
inline std::size_t corner_along(std::size_t corner, std::size_t axis) {
    return corner >> axis & 1U;
}

class Mesh {
   public:
    // cells: along each edge, in whole blocks.
    explicit Mesh(std::size_t cells) : cells_(cells) {}

    [[nodiscard]] std::size_t cells() const { return cells_; }
    [[nodiscard]] std::size_t edge_nodes() const { return cells_ + 1; }
    [[nodiscard]] std::size_t elements() const { return cells_ * cells_ * cells_; }
    [[nodiscard]] std::size_t blocks() const { return elements() / block_size; }
    [[nodiscard]] std::size_t nodes() const { return edge_nodes() * edge_nodes() * edge_nodes(); }

    [[nodiscard]] std::size_t node(const Place& at) const {
        return at[0] + edge_nodes() * (at[1] + edge_nodes() * at[2]);
    }
    [[nodiscard]] Place place(std::size_t node) const {
        return {node % edge_nodes(), node / edge_nodes() % edge_nodes(),
                node / edge_nodes() / edge_nodes()};
    }
    // The first corner of the first element of a block.
    [[nodiscard]] Place block_place(std::size_t block) const {
        const std::size_t row = cells_ / block_size;
        return {block % row * block_size, block / row % cells_, block / row / cells_};
    }
    // Blocks of one color share no node.
    [[nodiscard]] std::size_t color(std::size_t block) const {
        const Place at = block_place(block);
        return at[0] / block_size % 2 + 2 * (at[1] % 2) + 4 * (at[2] % 2);
    }

    // Edges of about 1, moved by up to 0.1 along each axis.
    [[nodiscard]] Lanes rest(const Place& at) const {
        Lanes found{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            found[axis] = static_cast<double>(at[axis]) + 0.2 * uniform(axis, node(at)) - 0.1;
        }
        return found;
    }

   private:
    std::size_t cells_;
};

inline Place corner_place(const Place& first, std::size_t corner) {
    return {first[0] + corner_along(corner, 0), first[1] + corner_along(corner, 1),
            first[2] + corner_along(corner, 2)};
}

}  // namespace machmeter::elements
