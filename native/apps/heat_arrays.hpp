// The arrays that solves of a heat problem work on, and where they come from.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include "apps/heat_problem.hpp"
#include "core/memory/memory.hpp"

namespace machmeter::heat {

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

// The arrays of all outer threads in one piece; whoever works on a slice touches it first.
class SlicedArrays {
   public:
    SlicedArrays(const Grid& grid, int slices, std::size_t page_bytes)
        : grid_(grid),
          slice_bytes_(round_up(Arrays::count * array_bytes(grid), page_bytes)),
          buffer_(slice_bytes_ * static_cast<std::size_t>(slices), page_bytes) {}

    [[nodiscard]] Arrays arrays(int slice) const {
        std::byte* const begin =
            buffer_.as<std::byte>() + slice_bytes_ * static_cast<std::size_t>(slice);
        std::array<double*, Arrays::count> cells{};
        for (std::size_t i = 0; i < cells.size(); ++i) {
            cells[i] = reinterpret_cast<double*>(begin + i * array_bytes(grid_)) + grid_.plane();
        }
        return arrays_at(cells);
    }

    [[nodiscard]] std::size_t obtained_page_bytes() const { return buffer_.obtained_page_bytes(); }

   private:
    Grid grid_;
    std::size_t slice_bytes_;
    PageBuffer buffer_;
};

}  // namespace machmeter::heat
