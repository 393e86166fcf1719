// What has to hold of a k-d tree and of the counts that it gave, by other ways than the tree's own.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codes/kdtree/tree.hpp"
#include "proxies/common/faults.hpp"

namespace machmeter::kdtree {

// Points by the cubes of an edge of the radius or more that they lie in: neighbors are in 27 cubes.
class CellList {
   public:
    CellList(const Tree& tree, float squared)
        : tree_(tree),
          width_(width_for(squared, tree.points())),
          cells_((edge + width_ - 1) / width_),
          begins_(cells_ * cells_ * cells_ + 1, 0),
          members_(tree.points()) {
        for (std::size_t place = 0; place < tree.points(); ++place) {
            ++begins_[cell_of(place) + 1];
        }
        for (std::size_t cell = 1; cell < begins_.size(); ++cell) {
            begins_[cell] += begins_[cell - 1];
        }
        std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
        for (std::size_t place = 0; place < tree.points(); ++place) {
            members_[next[cell_of(place)]++] = static_cast<std::uint32_t>(place);
        }
    }

    [[nodiscard]] std::uint32_t count_within(std::size_t place, float squared) const {
        const Point& center = tree_.entries()[place];
        std::array<std::size_t, 3> low{};
        std::array<std::size_t, 3> high{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::size_t own = along(center.at[axis]);
            low[axis] = own == 0 ? 0 : own - 1;
            high[axis] = std::min(own + 1, cells_ - 1);
        }
        std::uint32_t count = 0;
        for (std::size_t x = low[0]; x <= high[0]; ++x) {
            for (std::size_t y = low[1]; y <= high[1]; ++y) {
                const std::size_t row = (x * cells_ + y) * cells_;
                for (std::size_t i = begins_[row + low[2]]; i < begins_[row + high[2] + 1]; ++i) {
                    count += is_within(center, tree_.entries()[members_[i]], squared) ? 1U : 0U;
                }
            }
        }
        return count;
    }

   private:
    // The radius at least, and so that there are no more cells than points.
    static std::size_t width_for(float squared, std::uint64_t points) {
        const double radius = std::sqrt(static_cast<double>(squared));
        const double by_points = edge / std::cbrt(static_cast<double>(points));
        return static_cast<std::size_t>(std::ceil(std::max({radius, by_points, 1.0})));
    }

    static bool is_within(const Point& a, const Point& b, float squared) {
        double sum = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double apart = static_cast<double>(a.at[axis]) - static_cast<double>(b.at[axis]);
            sum += apart * apart;
        }
        return sum <= static_cast<double>(squared);
    }

    [[nodiscard]] std::size_t along(float at) const {
        return static_cast<std::size_t>(at) / width_;
    }
    [[nodiscard]] std::size_t cell_of(std::size_t place) const {
        const Point& point = tree_.entries()[place];
        return (along(point.at[0]) * cells_ + along(point.at[1])) * cells_ + along(point.at[2]);
    }

    const Tree& tree_;
    std::size_t width_;
    std::size_t cells_;
    std::vector<std::size_t> begins_;
    std::vector<std::uint32_t> members_;
};

// Of how many places the count is done again.
inline constexpr std::size_t most_compared = 1U << 15U;

inline bool every_point_is_there(const Tree& tree) {
    std::vector<bool> seen(tree.points(), false);
    for (std::size_t place = 0; place < tree.points(); ++place) {
        const Point& point = tree.entries()[place];
        if (point.number >= tree.points() || seen[point.number] ||
            point.at != make_point(point.number).at) {
            return false;
        }
        seen[point.number] = true;
    }
    return true;
}

inline bool leaves_are_in_their_boxes(const Tree& tree) {
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        const Box& box = tree.leaf_box(leaf);
        for (std::size_t place = tree.leaf_begin(leaf); place < tree.leaf_begin(leaf + 1);
             ++place) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const float at = tree.entries()[place].at[axis];
                if (at < box.low[axis] || at > box.high[axis]) {
                    return false;
                }
            }
        }
    }
    return true;
}

// A pair counts twice, a point itself once.
inline bool counts_are_of_pairs(const Tree& tree) {
    std::uint64_t sum = 0;
    for (std::size_t place = 0; place < tree.points(); ++place) {
        sum += tree.counts()[place];
    }
    return sum >= tree.points() && (sum - tree.points()) % 2 == 0;
}

inline bool counts_are_by_cells(const Tree& tree, float squared) {
    const CellList cells(tree, squared);
    const std::size_t step = (tree.points() + most_compared - 1) / most_compared;
    for (std::size_t place = 0; place < tree.points(); place += step) {
        if (tree.counts()[place] != cells.count_within(place, squared)) {
            return false;
        }
    }
    return true;
}

// What is wrong; empty where nothing is.
inline std::string fault_of(const Tree& tree, float squared) {
    return proxies::first_fault({
        {every_point_is_there(tree), "a point is missing, twice there or elsewhere"},
        {leaves_are_in_their_boxes(tree), "a leaf has a point outside its box"},
        {counts_are_of_pairs(tree), "the counts are not those of pairs"},
        {counts_are_by_cells(tree, squared), "a count differs from that of a list of cells"},
    });
}

}  // namespace machmeter::kdtree
