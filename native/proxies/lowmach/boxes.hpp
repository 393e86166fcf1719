// The boxes of one rank on one level: cells of each box with a layer of others' cells around it,
// one box behind the other.
#pragma once

#include <omp.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace machmeter::proxies::lowmach {

inline constexpr std::int64_t largest_box = 256;

struct Boxes {
    std::int64_t count = 0;
    // Cells along an edge of each.
    std::int64_t edge = 0;

    // From one row, plane and box to the next.
    [[nodiscard]] std::int64_t row() const { return edge + 2; }
    [[nodiscard]] std::int64_t plane() const { return row() * row(); }
    [[nodiscard]] std::int64_t volume() const { return plane() * row(); }
    [[nodiscard]] std::int64_t step(std::size_t d) const {
        return d == 0 ? 1 : d == 1 ? row() : plane();
    }
    // -1 and `edge` are the layer around.
    [[nodiscard]] std::int64_t at(std::int64_t box, std::int64_t x, std::int64_t y,
                                  std::int64_t z) const {
        return box * volume() + (x + 1) + row() * (y + 1) + plane() * (z + 1);
    }
    [[nodiscard]] std::int64_t cells() const { return count * edge * edge * edge; }
    [[nodiscard]] std::int64_t padded() const { return count * volume(); }
    // Below it a team costs more than it saves.
    [[nodiscard]] bool is_worth_a_team() const {
        constexpr std::int64_t least_cells = 4096;
        return cells() >= least_cells;
    }
};

// `body(box, z)` for every plane of every box: the same planes to the same thread each time.
template <class Body>
void for_planes(const Boxes& boxes, Body&& body) {
    const std::int64_t planes = boxes.count * boxes.edge;
#pragma omp parallel for schedule(static) if (boxes.is_worth_a_team())
    for (std::int64_t p = 0; p < planes; ++p) {
        body(p / boxes.edge, p % boxes.edge);
    }
}

// `body(index of its first cell)` for every row.
template <class Body>
void for_rows(const Boxes& boxes, Body&& body) {
    for_planes(boxes, [&](std::int64_t box, std::int64_t z) {
        for (std::int64_t y = 0; y < boxes.edge; ++y) {
            body(boxes.at(box, 0, y, z));
        }
    });
}

// The sum of `body(index of its first cell)` over all rows.
template <class Body>
double sum_rows(const Boxes& boxes, Body&& body) {
    const std::int64_t planes = boxes.count * boxes.edge;
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) if (boxes.is_worth_a_team())
    for (std::int64_t p = 0; p < planes; ++p) {
        double of_plane = 0;
        for (std::int64_t y = 0; y < boxes.edge; ++y) {
            of_plane += body(boxes.at(p / boxes.edge, 0, y, p % boxes.edge));
        }
        sum += of_plane;
    }
    return sum;
}

// A value for each cell, or for the face on its low side in one dimension. 0 at first; touched
// first by the thread that works on it.
class Field {
   public:
    explicit Field(const Boxes& boxes)
        : values_(new double[static_cast<std::size_t>(boxes.padded())]) {
        clear(boxes);
    }

    [[nodiscard]] double* data() const { return values_.get(); }

    // The layer around included.
    void clear(const Boxes& boxes) const {
        double* const values = values_.get();
        for_planes(boxes, [&](std::int64_t box, std::int64_t z) {
            const std::int64_t first = z == 0 ? -1 : z;
            const std::int64_t end = z == boxes.edge - 1 ? boxes.edge + 1 : z + 1;
            const std::int64_t begin = boxes.at(box, -1, -1, first);
            for (std::int64_t i = begin; i < begin + (end - first) * boxes.plane(); ++i) {
                values[i] = 0;
            }
        });
    }

   private:
    std::unique_ptr<double[]> values_;
};

}  // namespace machmeter::proxies::lowmach
