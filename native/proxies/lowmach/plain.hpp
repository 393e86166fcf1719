// The equations of a step by their definitions, a cell or face at a time, for checks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "proxies/lowmach/state.hpp"

namespace machmeter::proxies::lowmach {

// A cell of a box of this rank.
struct Spot {
    std::int64_t box = 0;
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;

    [[nodiscard]] std::int64_t index(const Boxes& boxes) const { return boxes.at(box, x, y, z); }
    [[nodiscard]] Spot next(std::size_t d, std::int64_t by = 1) const {
        return {box, x + (d == 0 ? by : 0), y + (d == 1 ? by : 0), z + (d == 2 ? by : 0)};
    }
};

struct Plain {
    const State& state;
    const Field& phi;

    [[nodiscard]] double value(const Field& field, const Spot& at) const {
        return field.data()[at.index(state.boxes)];
    }
    [[nodiscard]] double beta_of_cell(const Spot& at) const {
        return state.problem.beta_of_cell(state.height(at.box, at.z));
    }
    // Of the low face along d; 0 at walls, through which nothing goes.
    [[nodiscard]] double beta_of_face(const Spot& at, std::size_t d) const {
        const std::int64_t height = state.height(at.box, at.z);
        if (d != 2) {
            return state.problem.beta_of_cell(height);
        }
        return state.is_wall(height) ? 0 : state.problem.beta_of_face(height);
    }

    [[nodiscard]] double divergence(const Faces& velocity, const Spot& at) const {
        double sum = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const Spot high = at.next(d);
            sum += beta_of_face(high, d) * value(velocity[d], high);
            sum -= beta_of_face(at, d) * value(velocity[d], at);
        }
        return sum / state.problem.width();
    }

    [[nodiscard]] double correction(const Spot& at, std::size_t d) const {
        const double density = 0.5 * (value(state.previous_density, at) +
                                      value(state.previous_density, at.next(d, -1)));
        const double gradient =
            (value(phi, at) - value(phi, at.next(d, -1))) / state.problem.width();
        return beta_of_face(at, d) / density * gradient;
    }

    // Through the low face along d.
    [[nodiscard]] double flux(const Spot& at, std::size_t d) const {
        const double carrier = beta_of_face(at, d) * value(state.velocity[d], at);
        const Spot upwind = carrier > 0 ? at.next(d, -1) : at;
        return carrier * value(state.previous_density, upwind) / beta_of_cell(upwind);
    }
    [[nodiscard]] double density(const Spot& at) const {
        double gained = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            gained += flux(at, d) - flux(at.next(d), d);
        }
        return value(state.previous_density, at) +
               state.problem.time_step() / state.problem.width() * gained;
    }

    // The speed along e at the low face along d.
    [[nodiscard]] double speed(const Spot& at, std::size_t d, std::size_t e) const {
        const Field& field = state.previous[e];
        if (d == e) {
            return value(field, at);
        }
        const Spot behind = at.next(d, -1);
        return (value(field, at) + value(field, behind) + value(field, at.next(e)) +
                value(field, behind.next(e))) /
               4;
    }
    [[nodiscard]] double prediction(const Spot& at, std::size_t d) const {
        const std::int64_t height = state.height(at.box, at.z);
        if (d == 2 && state.is_wall(height)) {
            return 0;
        }
        const Field& field = state.previous[d];
        double rate = 0;
        for (std::size_t e = 0; e < 3; ++e) {
            const double along = speed(at, d, e);
            const Spot low = along > 0 ? at.next(e, -1) : at;
            rate -= along * (value(field, low.next(e)) - value(field, low)) / state.problem.width();
        }
        if (d == 2) {
            const Spot below = at.next(2, -1);
            const double density =
                (value(state.previous_density, at) + value(state.previous_density, below)) / 2;
            const double at_rest = (beta_of_cell(at) + beta_of_cell(below)) / 2;
            rate -= Problem::gravity * (density - at_rest) / density;
        }
        return value(field, at) + state.problem.time_step() * rate;
    }
};

}  // namespace machmeter::proxies::lowmach
