// Which cells of a box are fluid: a channel along x with walls above and below in y, that repeats
// along x and z, with balls at random places.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codes/lbm/directions.hpp"
#include "core/values/random_bits.hpp"

namespace machmeter::lbm {

using Sizes = std::array<std::size_t, 3>;
using Place = std::array<std::size_t, 3>;

class Geometry {
   public:
    static constexpr std::int32_t solid = -1;

    // solid_share: of all cells that balls fill, at least.
    Geometry(const Sizes& sizes, double solid_share)
        : sizes_(sizes), numbers_(sizes[0] * sizes[1] * sizes[2], 0) {
        const double wanted = solid_share * static_cast<double>(numbers_.size());
        double filled = 0;
        for (std::uint64_t ball = 0; filled < wanted; ++ball) {
            filled += static_cast<double>(fill_ball(ball));
        }
        for (std::int32_t& number : numbers_) {
            number = number == solid ? solid : static_cast<std::int32_t>(fluid_++);
        }
    }

    [[nodiscard]] const Sizes& sizes() const { return sizes_; }
    [[nodiscard]] std::size_t fluid() const { return fluid_; }
    [[nodiscard]] std::size_t bytes() const { return numbers_.size() * sizeof(std::int32_t); }

    // Of a fluid cell in the list, which goes along x, then y, then z; `solid` of others.
    [[nodiscard]] std::int32_t number(const Place& place) const {
        return numbers_[(place[2] * sizes_[1] + place[1]) * sizes_[0] + place[0]];
    }

    // The cell against a direction, from which what moves along it comes; whether it is fluid.
    [[nodiscard]] bool comes_from_fluid(const Place& place, std::size_t direction,
                                        Place& from) const {
        const Offset offset = offset_of(direction);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::size_t size = sizes_[axis];
            const bool leaves = (offset[axis] > 0 && place[axis] == 0) ||
                                (offset[axis] < 0 && place[axis] + 1 == size);
            if (leaves && axis == 1) {
                return false;
            }
            from[axis] = (place[axis] + size - static_cast<std::size_t>(offset[axis])) % size;
        }
        return number(from) != solid;
    }

   private:
    // How many cells became solid.
    std::size_t fill_ball(std::uint64_t ball) {
        constexpr std::uint64_t stream = 19;
        const auto radius = static_cast<long>(
            std::max<std::size_t>(2, *std::min_element(sizes_.begin(), sizes_.end()) / 16));
        Place center{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            center[axis] = static_cast<std::size_t>(uniform(stream + axis, ball) *
                                                    static_cast<double>(sizes_[axis]));
        }
        std::size_t filled = 0;
        for (long z = -radius; z <= radius; ++z) {
            for (long y = -radius; y <= radius; ++y) {
                for (long x = -radius; x <= radius; ++x) {
                    if (x * x + y * y + z * z <= radius * radius) {
                        filled += fill_cell(center, {x, y, z});
                    }
                }
            }
        }
        return filled;
    }

    std::size_t fill_cell(const Place& center, const std::array<long, 3>& offset) {
        Place place{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto size = static_cast<long>(sizes_[axis]);
            place[axis] = static_cast<std::size_t>(
                (static_cast<long>(center[axis]) + offset[axis] + size) % size);
        }
        std::int32_t& number = numbers_[(place[2] * sizes_[1] + place[1]) * sizes_[0] + place[0]];
        const bool is_new = number != solid;
        number = solid;
        return is_new ? 1 : 0;
    }

    Sizes sizes_;
    std::vector<std::int32_t> numbers_;
    std::size_t fluid_ = 0;
};

}  // namespace machmeter::lbm
