// Values on the grid points of a domain and on layers around it; rows along x are full, and padded
// to whole groups of four.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "proxies/beampic/domain.hpp"

namespace machmeter::proxies::beampic {

// Of a row, padded.
inline std::int64_t width_of(const Domain& domain) { return groups_of(domain.edge) * lane_count; }

// Layers below and above the domain, along y and z alike.
struct Guards {
    std::int64_t below = 0;
    std::int64_t above = 0;

    [[nodiscard]] std::int64_t both() const { return below + above; }
};

template <class Value>
class Block {
   public:
    // All 0, touched first by the threads that use the rows.
    Block(const Domain& domain, const Guards& guards)
        : guards_(guards),
          width_(width_of(domain)),
          rows_(domain.y.count + guards.both()),
          planes_(domain.z.count + guards.both()),
          values_(new Value[static_cast<std::size_t>(size())]) {
        clear();
    }

    void clear() const {
#pragma omp parallel for schedule(static)
        for (std::int64_t r = 0; r < rows_ * planes_; ++r) {
            std::fill_n(values_.get() + r * width_, width_, Value{});
        }
    }

    [[nodiscard]] std::int64_t width() const { return width_; }
    [[nodiscard]] std::int64_t rows() const { return rows_; }
    [[nodiscard]] std::int64_t planes() const { return planes_; }
    [[nodiscard]] std::int64_t size() const { return width_ * rows_ * planes_; }
    [[nodiscard]] Value* data() const { return values_.get(); }
    // By their places in the domain; -1 is the first layer below.
    [[nodiscard]] Value* row(std::int64_t y, std::int64_t z) const {
        return values_.get() + ((z + guards_.below) * rows_ + y + guards_.below) * width_;
    }

   private:
    Guards guards_;
    std::int64_t width_;
    std::int64_t rows_;
    std::int64_t planes_;
    std::unique_ptr<Value[]> values_;
};

inline constexpr Guards charge_guards{0, 1};
inline constexpr Guards field_guards{0, 1};
inline constexpr Guards potential_guards{1, 2};

}  // namespace machmeter::proxies::beampic
