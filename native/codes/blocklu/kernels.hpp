// What is done with blocks of a matrix, in single precision: factors of one, two solutions with
// them, and the product that all but a few percent of the time goes to.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace machmeter::blocklu {

#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t vector_bytes = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif
using Vector __attribute__((vector_size(vector_bytes), may_alias)) = float;

// A tile of 6 rows and 2 vectors of columns stays in registers: twelve sums, so that no addition
// waits for the one before, two vectors of one factor and an element of the other.
inline constexpr std::size_t tile_rows = 6;
inline constexpr std::size_t tile_vectors = 2;
inline constexpr std::size_t lanes = vector_bytes / sizeof(float);
inline constexpr std::size_t panel = tile_vectors * lanes;
// Of so many rows a panel is copied together, into the first cache; whole tiles, whole panels.
inline constexpr std::size_t depth = 192;
static_assert(depth % tile_rows == 0 && depth % panel == 0);

// A block with zeros up to whole tiles below it and whole panels at its right, row by row.
struct Shape {
    explicit Shape(std::size_t block)
        : block(block),
          rows((block + tile_rows - 1) / tile_rows * tile_rows),
          stride((block + panel - 1) / panel * panel) {}

    [[nodiscard]] std::size_t elements() const { return rows * stride; }
    [[nodiscard]] std::size_t bytes() const { return elements() * sizeof(float); }

    std::size_t block;
    std::size_t rows;
    std::size_t stride;
};

// `depth` rows of a panel.
struct alignas(64) Packed {
    std::array<float, depth * panel> elements;

    [[nodiscard]] float* row(std::size_t k) { return elements.data() + k * panel; }
    [[nodiscard]] const float* row(std::size_t k) const { return elements.data() + k * panel; }
    void take(std::size_t k, const float* from) {
        std::memcpy(row(k), from, panel * sizeof(float));
    }
};

// The tile at `target` less `length` columns of the rows at `left` times the rows of the panel.
inline void subtract_tile(float* target, const float* left, const Packed& right, std::size_t length,
                          std::size_t stride) {
    Vector sums[tile_rows][tile_vectors] = {};
    for (std::size_t k = 0; k < length; ++k) {
        const auto* const across = reinterpret_cast<const Vector*>(right.row(k));
        const Vector first = across[0];
        const Vector second = across[1];
        for (std::size_t row = 0; row < tile_rows; ++row) {
            const float along = left[row * stride + k];
            sums[row][0] += along * first;
            sums[row][1] += along * second;
        }
    }
    for (std::size_t row = 0; row < tile_rows; ++row) {
        auto* const to = reinterpret_cast<Vector*>(target + row * stride);
        to[0] -= sums[row][0];
        to[1] -= sums[row][1];
    }
}

// A panel of `target`, all rows, less rows `begin` to `end` of `right` times those columns of
// `left`; `target` and `left` may be of one block.
inline void subtract_panel(const Shape& shape, float* target, const float* left, const float* right,
                           std::size_t begin, std::size_t end) {
    Packed packed;
    for (std::size_t first = begin; first < end; first += depth) {
        const std::size_t length = std::min(depth, end - first);
        for (std::size_t k = 0; k < length; ++k) {
            packed.take(k, right + (first + k) * shape.stride);
        }
        for (std::size_t row = 0; row < shape.rows; row += tile_rows) {
            subtract_tile(target + row * shape.stride, left + row * shape.stride + first, packed,
                          length, shape.stride);
        }
    }
}

// target -= left right.
inline void subtract_product(const Shape& shape, float* target, const float* left,
                             const float* right) {
    for (std::size_t column = 0; column < shape.block; column += panel) {
        subtract_panel(shape, target + column, left, right + column, 0, shape.block);
    }
}

// Rows `begin` to `end` of a panel become those of L^-1 panel, where those before are; all rows
// below lose what these contribute. L is below the diagonal of `lower`, 1 on it. No other panel is
// read: it may be of the same block as `lower`.
inline void eliminate_rows(const Shape& shape, float* at_panel, const float* lower,
                           std::size_t begin, std::size_t end) {
    Packed solved;
    for (std::size_t first = begin; first < shape.rows; first += tile_rows) {
        const std::size_t known = std::min(first, end) - begin;
        subtract_tile(at_panel + first * shape.stride, lower + first * shape.stride + begin, solved,
                      known, shape.stride);
        const std::size_t last = std::min(first + tile_rows, end);
        for (std::size_t row = first; row < last; ++row) {
            float* const own = at_panel + row * shape.stride;
            for (std::size_t k = first; k < row; ++k) {
                const float factor = lower[row * shape.stride + k];
                for (std::size_t i = 0; i < panel; ++i) {
                    own[i] -= factor * at_panel[k * shape.stride + i];
                }
            }
            solved.take(row - begin, own);
        }
    }
}

// target = L^-1 target, for a block at the right of a diagonal one.
inline void solve_right(const Shape& shape, float* target, const float* diagonal) {
    for (std::size_t column = 0; column < shape.block; column += panel) {
        for (std::size_t begin = 0; begin < shape.block; begin += depth) {
            eliminate_rows(shape, target + column, diagonal, begin,
                           std::min(begin + depth, shape.block));
        }
    }
}

// The first `columns` of a panel, times the inverse of U at the `corner`, which has as many: as
// many rows at a time as a vector has elements, turned, so that a vector is part of a column.
inline void divide_by_corner(const Shape& shape, float* at_panel, const float* corner,
                             std::size_t columns) {
    alignas(64) std::array<std::array<float, lanes>, panel> turned{};
    auto* const vectors = reinterpret_cast<Vector*>(turned.data());
    for (std::size_t first = 0; first < shape.rows; first += lanes) {
        float* const own = at_panel + first * shape.stride;
        const std::size_t rows = std::min(lanes, shape.rows - first);
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                turned[column][row] = own[row * shape.stride + column];
            }
        }
        for (std::size_t k = 0; k < columns; ++k) {
            const float* const upper = corner + k * shape.stride;
            const Vector solved = vectors[k] / upper[k];
            vectors[k] = solved;
            for (std::size_t column = k + 1; column < columns; ++column) {
                vectors[column] -= solved * upper[column];
            }
        }
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                own[row * shape.stride + column] = turned[column][row];
            }
        }
    }
}

// target = target U^-1, for a block below a diagonal one.
inline void solve_below(const Shape& shape, float* target, const float* diagonal) {
    for (std::size_t column = 0; column < shape.block; column += panel) {
        subtract_panel(shape, target + column, target, diagonal + column, 0, column);
        divide_by_corner(shape, target + column, diagonal + column * shape.stride + column,
                         std::min(panel, shape.block - column));
    }
}

// L and U of a block in its place: some columns by themselves, then what is at their right.
inline void factor_diagonal(const Shape& shape, float* diagonal) {
    constexpr std::size_t step = tile_rows * panel / 2;
    static_assert(step % tile_rows == 0 && step % panel == 0 && step <= depth);
    for (std::size_t begin = 0; begin < shape.block; begin += step) {
        const std::size_t end = std::min(begin + step, shape.block);
        for (std::size_t k = begin; k < end; ++k) {
            const float* const pivot = diagonal + k * shape.stride;
            for (std::size_t row = k + 1; row < shape.block; ++row) {
                float* const own = diagonal + row * shape.stride;
                own[k] /= pivot[k];
                for (std::size_t column = k + 1; column < end; ++column) {
                    own[column] -= own[k] * pivot[column];
                }
            }
        }
        for (std::size_t column = end; column < shape.block; column += panel) {
            eliminate_rows(shape, diagonal + column, diagonal, begin, end);
        }
    }
}

}  // namespace machmeter::blocklu
