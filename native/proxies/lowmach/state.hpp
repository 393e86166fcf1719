// Density and velocities on the boxes of one rank: densities of cells, velocities of their faces.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/lowmach/boxes.hpp"
#include "proxies/lowmach/curve.hpp"
#include "proxies/lowmach/problem.hpp"

namespace machmeter::proxies::lowmach {

using Faces = std::array<Field, 3>;

struct State {
    State(const Problem& of, const Curve& curve, int rank)
        : problem(of),
          boxes{curve.first(rank + 1) - curve.first(rank), of.box},
          velocity{Field(boxes), Field(boxes), Field(boxes)},
          predicted{Field(boxes), Field(boxes), Field(boxes)},
          previous{Field(boxes), Field(boxes), Field(boxes)},
          density(boxes),
          previous_density(boxes) {
        for (std::int64_t box = 0; box < boxes.count; ++box) {
            Place place = curve.place(curve.first(rank) + box);
            for (std::int64_t& cells : place) {
                cells *= of.box;
            }
            origins.push_back(place);
        }
    }

    // Of a cell of a box, in the cube.
    [[nodiscard]] Place cell(std::int64_t box, std::int64_t x, std::int64_t y,
                             std::int64_t z) const {
        const Place& origin = origins[static_cast<std::size_t>(box)];
        return {origin[0] + x, origin[1] + y, origin[2] + z};
    }
    [[nodiscard]] std::int64_t height(std::int64_t box, std::int64_t z) const {
        return origins[static_cast<std::size_t>(box)][2] + z;
    }
    [[nodiscard]] bool is_wall(std::int64_t face) const {
        return face == 0 || face == problem.edge;
    }

    Problem problem;
    Boxes boxes;
    // After a step, before its projection, and before the step.
    Faces velocity;
    Faces predicted;
    Faces previous;
    Field density;
    Field previous_density;
    // The first cell of each box, in the cube.
    std::vector<Place> origins;
};

// The start, without the layers around.
inline void set_start(const State& state) {
    const Problem& problem = state.problem;
    for_planes(state.boxes, [&](std::int64_t box, std::int64_t z) {
        for (std::int64_t y = 0; y < state.boxes.edge; ++y) {
            for (std::int64_t x = 0; x < state.boxes.edge; ++x) {
                const std::int64_t i = state.boxes.at(box, x, y, z);
                const auto [a, b, c] = state.cell(box, x, y, z);
                state.density.data()[i] = problem.density(a, b, c);
                state.velocity[0].data()[i] = problem.velocity_x(a, b, c);
                state.velocity[1].data()[i] = 0;
                state.velocity[2].data()[i] = problem.velocity_z(a, b, c);
            }
        }
    });
}

// No flow through the top wall: the layer around the boxes below it mirrors the faces inside.
inline void close_top(const State& state, const Field& vertical) {
    const Boxes& boxes = state.boxes;
    for (std::int64_t box = 0; box < boxes.count; ++box) {
        if (state.is_wall(state.height(box, boxes.edge))) {
            double* const first = vertical.data() + boxes.at(box, -1, -1, boxes.edge);
            std::fill_n(first, boxes.plane(), 0.0);
        }
    }
}

}  // namespace machmeter::proxies::lowmach
