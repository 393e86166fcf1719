// A k-d tree over points in a cube: halves at the median of the widest side (Bentley, CACM 18,
// 1975), with the box of all that is below every node, and how many points lie within a radius.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "codes/common/touch.hpp"
#include "core/memory/memory.hpp"
#include "core/values/random_bits.hpp"

namespace machmeter::kdtree {

// Coordinates are whole numbers, so that the square of a distance below `farthest` is exact in any
// order of operations, and a count the same however it is computed.
inline constexpr std::uint32_t edge = 1U << 14U;
inline constexpr double farthest = edge / 4.0;

struct Point {
    std::array<float, 3> at;
    std::uint32_t number;
};

inline Point make_point(std::uint64_t number) {
    const auto along = [&](std::uint64_t axis) {
        return static_cast<float>(std::floor(uniform(axis + 1, number) * edge));
    };
    return {{along(0), along(1), along(2)}, static_cast<std::uint32_t>(number)};
}

// The square of the radius within which a point finds `found` others in the mean, itself included.
inline float squared_radius(std::uint64_t points, std::uint64_t found) {
    const double share = static_cast<double>(found) / static_cast<double>(points);
    const double radius = edge * std::cbrt(3 * share / (4 * std::numbers::pi));
    return static_cast<float>(std::floor(std::pow(std::min(radius, farthest - 1), 2)));
}

struct Box {
    std::array<float, 3> low;
    std::array<float, 3> high;

    [[nodiscard]] std::size_t widest() const {
        std::size_t found = 0;
        for (std::size_t axis = 1; axis < low.size(); ++axis) {
            found = high[axis] - low[axis] > high[found] - low[found] ? axis : found;
        }
        return found;
    }
};

inline Box box_of(const Point* begin, const Point* end) {
    Box box{begin->at, begin->at};
    for (const Point* point = begin; point != end; ++point) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            box.low[axis] = std::min(box.low[axis], point->at[axis]);
            box.high[axis] = std::max(box.high[axis], point->at[axis]);
        }
    }
    return box;
}

class Tree {
   public:
    static constexpr std::size_t leaf_points = 32;
    // Below so many points a part is built without further tasks.
    static constexpr std::size_t grain = 4096;
    static constexpr std::size_t queries_of_task = 256;

    Tree(std::uint64_t points, codes::Touch touch, std::size_t page_bytes, int threads)
        : points_(points),
          threads_(threads),
          levels_(levels_of(points)),
          boxes_((std::size_t{2} << levels_) - 1),
          given_(points * sizeof(Point), page_bytes),
          entries_(points * sizeof(Point), page_bytes),
          counts_(points * sizeof(std::uint32_t), page_bytes),
          coordinates_(points * 3 * sizeof(float), page_bytes) {
        for (const Memory* memory : {&given_, &entries_, &counts_, &coordinates_}) {
            codes::touch_pages(*memory, touch, page_bytes, threads);
        }
        Point* const given = given_.as<Point>();
#pragma omp parallel for num_threads(threads_) schedule(static)
        for (std::uint64_t number = 0; number < points_; ++number) {
            given[number] = make_point(number);
        }
    }

    [[nodiscard]] std::uint64_t points() const { return points_; }
    [[nodiscard]] std::size_t leaves() const { return std::size_t{1} << levels_; }
    [[nodiscard]] Point* entries() const { return entries_.as<Point>(); }
    [[nodiscard]] std::uint32_t* counts() const { return counts_.as<std::uint32_t>(); }
    [[nodiscard]] const Box& leaf_box(std::size_t leaf) const {
        return boxes_[leaves() - 1 + leaf];
    }
    // The first point of a leaf in the order of the tree; of one beyond the last, the end.
    [[nodiscard]] std::size_t leaf_begin(std::size_t leaf) const {
        std::size_t begin = 0;
        std::size_t end = points_;
        for (std::size_t half = leaves() / 2; half > 0; half /= 2) {
            const std::size_t middle = begin + (end - begin) / 2;
            if ((leaf & half) == 0) {
                end = middle;
            } else {
                begin = middle;
            }
        }
        return leaf == leaves() ? points_ : begin;
    }
    [[nodiscard]] double data_bytes() const {
        return static_cast<double>(points_) * (2 * sizeof(Point) + 3 * sizeof(float) + 4) +
               static_cast<double>(boxes_.size() * sizeof(Box));
    }

    // Halves all points, as they are given, by tasks, and writes their coordinates side by side.
    void build() {
        const Point* const given = given_.as<Point>();
#pragma omp parallel num_threads(threads_)
        {
#pragma omp for schedule(static)
            for (std::uint64_t number = 0; number < points_; ++number) {
                entries()[number] = given[number];
            }
#pragma omp single
            split(0, 0, points_, 0);
#pragma omp for schedule(static)
            for (std::uint64_t place = 0; place < points_; ++place) {
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    along(axis)[place] = entries()[place].at[axis];
                }
            }
        }
    }

    // Of every place in `order` how many points lie within the radius, by tasks. GCC's runtime runs
    // a taskloop of more than 64 tasks a thread on one thread, so each task is created by itself.
    void search(const std::vector<std::uint32_t>& order, float squared) const {
#pragma omp parallel num_threads(threads_)
#pragma omp single
        for (std::size_t begin = 0; begin < order.size(); begin += queries_of_task) {
#pragma omp task
            search_some(order, begin, squared);
        }
    }

    [[nodiscard]] std::uint32_t count_within(std::size_t place, float squared) const {
        const std::array<float, 3> center = {along(0)[place], along(1)[place], along(2)[place]};
        return count_below({0, 0, points_, 0}, center, squared);
    }

   private:
    struct Part {
        std::size_t node;
        std::size_t begin;
        std::size_t end;
        std::size_t level;
    };

    static std::size_t levels_of(std::uint64_t points) {
        std::size_t levels = 0;
        while ((points >> levels) > leaf_points) {
            ++levels;
        }
        return levels;
    }

    [[nodiscard]] float* along(std::size_t axis) const {
        return coordinates_.as<float>() + axis * points_;
    }

    void search_some(const std::vector<std::uint32_t>& order, std::size_t begin,
                     float squared) const {
        const std::size_t end = std::min(begin + queries_of_task, order.size());
        for (std::size_t i = begin; i < end; ++i) {
            counts()[order[i]] = count_within(order[i], squared);
        }
    }

    void split(std::size_t node, std::size_t begin, std::size_t end, std::size_t level) {
        Point* const all = entries();
        boxes_[node] = box_of(all + begin, all + end);
        if (level == levels_) {
            return;
        }
        const std::size_t axis = boxes_[node].widest();
        const std::size_t middle = begin + (end - begin) / 2;
        std::nth_element(
            all + begin, all + middle, all + end,
            [axis](const Point& a, const Point& b) { return a.at[axis] < b.at[axis]; });
#pragma omp task if (end - begin > grain)
        split(2 * node + 1, begin, middle, level + 1);
        split(2 * node + 2, middle, end, level + 1);
    }

    [[nodiscard]] std::uint32_t count_below(const Part& part, const std::array<float, 3>& center,
                                            float squared) const {
        const Box& box = boxes_[part.node];
        float nearest = 0;
        float far = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const float below = box.low[axis] - center[axis];
            const float above = center[axis] - box.high[axis];
            const float outside = std::max({below, above, 0.0F});
            const float across = std::max(-below, -above);
            nearest += outside * outside;
            far += across * across;
        }
        if (nearest > squared) {
            return 0;
        }
        if (far <= squared) {
            return static_cast<std::uint32_t>(part.end - part.begin);
        }
        if (part.level == levels_) {
            return count_in_leaf(part.begin, part.end, center, squared);
        }
        const std::size_t middle = part.begin + (part.end - part.begin) / 2;
        return count_below({2 * part.node + 1, part.begin, middle, part.level + 1}, center,
                           squared) +
               count_below({2 * part.node + 2, middle, part.end, part.level + 1}, center, squared);
    }

    [[nodiscard]] std::uint32_t count_in_leaf(std::size_t begin, std::size_t end,
                                              const std::array<float, 3>& center,
                                              float squared) const {
        const float* const x = along(0);
        const float* const y = along(1);
        const float* const z = along(2);
        std::uint32_t count = 0;
#pragma omp simd reduction(+ : count)
        for (std::size_t i = begin; i < end; ++i) {
            const float dx = x[i] - center[0];
            const float dy = y[i] - center[1];
            const float dz = z[i] - center[2];
            count += dx * dx + dy * dy + dz * dz <= squared ? 1U : 0U;
        }
        return count;
    }

    std::uint64_t points_;
    int threads_;
    std::size_t levels_;
    std::vector<Box> boxes_;
    Memory given_;
    Memory entries_;
    Memory counts_;
    Memory coordinates_;
};

}  // namespace machmeter::kdtree
