// A doubly periodic grid, and a field on it whose rows have one more cell at either end, so that
// loops along a row read neighbors without a test; rows wrap by their number.
#pragma once

#include <cstddef>
#include <utility>

#include "core/memory/memory.hpp"

namespace machmeter::shallow {

struct Grid {
    std::size_t columns;
    std::size_t rows;

    [[nodiscard]] std::size_t cells() const { return columns * rows; }
    // From a row to the next, so that every row begins with a line of the cache.
    [[nodiscard]] std::size_t stride() const { return line + (columns + line) / line * line; }
    [[nodiscard]] std::size_t above(std::size_t row) const { return row + 1 == rows ? 0 : row + 1; }
    [[nodiscard]] std::size_t below(std::size_t row) const { return row == 0 ? rows - 1 : row - 1; }

    static constexpr std::size_t line = 8;
};

// number: of the field among all. The first cells of unlike fields lie in unlike sets of a cache.
class Field {
   public:
    Field(Grid grid, std::size_t number, std::size_t page_bytes)
        : stride_(grid.stride()),
          first_((number * 5 + 1) * Grid::line),
          memory_((first_ + grid.rows * grid.stride()) * sizeof(double), page_bytes) {}

    [[nodiscard]] const Memory& memory() const { return memory_; }
    // Cells -1 and `columns` of a row are copies of the last and the first.
    [[nodiscard]] double* row(std::size_t number) const {
        return memory_.as<double>() + first_ + number * stride_;
    }

   private:
    std::size_t stride_;
    std::size_t first_;
    Memory memory_;
};

inline void wrap(double* row, std::size_t columns) {
    row[-1] = row[columns - 1];
    row[columns] = row[0];
}

}  // namespace machmeter::shallow
