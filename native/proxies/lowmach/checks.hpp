// What has to hold after the last step, by ways that the steps do not take.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "proxies/common/faults.hpp"
#include "proxies/common/of_all_ranks.hpp"
#include "proxies/lowmach/flow.hpp"
#include "proxies/lowmach/plain.hpp"

namespace machmeter::proxies::lowmach {

// Of all ranks.
struct Deviations {
    // div(beta0 U) after the last projection over that before, and what the solve allows.
    double divergence = 0;
    double most_divergence = 0;
    // From the definitions, over the largest speed: of the prediction, and of its difference from
    // the velocity as beta0 / density grad phi.
    double prediction = 0;
    double correction = 0;
    // Of the density from the balance of its cell, over the largest at rest, which is 1.
    double balance = 0;
    // Of the mass, relative, and of density over that at rest beyond the bounds of the start.
    double mass = 0;
    double bounds = 0;
    // Cells of layers around boxes that are not their owners', in a message of numbers and in the
    // result.
    double lost = 0;
    double stale = 0;
    double kinetic_energy = 0;

    // Why the flow is wrong; empty where it is right.
    [[nodiscard]] std::string fault() const {
        constexpr double rounding = 1e-12;
        constexpr double of_bounds = 1e-9;
        return first_fault({
            {lost == 0, whole_text(lost) + " cells around boxes do not get what their owners send"},
            {stale == 0, whole_text(stale) + " cells around boxes are not those of their owners"},
            {prediction <= rounding,
             "a predicted velocity is off by " + short_text(prediction) + " of the largest speed"},
            {correction <= rounding,
             "a velocity is corrected by another than the gradient, off by " +
                 short_text(correction) + " of the largest speed"},
            {divergence <= most_divergence, "the projection leaves " + short_text(divergence) +
                                                " of the divergence, above " +
                                                short_text(most_divergence)},
            {balance <= rounding,
             "a density is off by " + short_text(balance) + " from the balance of its cell"},
            {mass <= rounding, "the mass changed by " + short_text(mass)},
            {bounds <= of_bounds,
             "a density is " + short_text(bounds) + " beyond the bounds of the start"},
        });
    }
};

// `body(cell)` for each cell of a plane.
template <class Body>
void for_plane(const Boxes& boxes, std::int64_t box, std::int64_t z, Body&& body) {
    for (std::int64_t y = 0; y < boxes.edge; ++y) {
        for (std::int64_t x = 0; x < boxes.edge; ++x) {
            body(Spot{box, x, y, z});
        }
    }
}

// Cells of the layers around all boxes, of those that a fill of this reach sets, whose value is not
// `expected(cell of the cube)`.
template <class Expected>
double wrong_around(const State& state, const Field& field, Reach reach, Expected&& expected) {
    const Boxes& boxes = state.boxes;
    double wrong = 0;
    const auto outside = [&](std::int64_t i) { return i < 0 || i >= boxes.edge ? 1 : 0; };
#pragma omp parallel for schedule(static) reduction(+ : wrong)
    for (std::int64_t box = 0; box < boxes.count; ++box) {
        for (std::int64_t z = -1; z <= boxes.edge; ++z) {
            for (std::int64_t y = -1; y <= boxes.edge; ++y) {
                for (std::int64_t x = -1; x <= boxes.edge; ++x) {
                    const int sides = outside(x) + outside(y) + outside(z);
                    const bool is_set = sides == 1 || (reach == Reach::all && sides > 1);
                    const double value = field.data()[boxes.at(box, x, y, z)];
                    wrong += is_set && value != expected(state.cell(box, x, y, z)) ? 1 : 0;
                }
            }
        }
    }
    return wrong;
}

// A fill of the cells' numbers brings those of the neighbors, mirrored at walls.
template <class Ranks>
double lost_cells(const State& state, Ghosts<Ranks>& ghosts, const Field& spare, Reach reach) {
    const std::int64_t edge = state.problem.edge;
    const auto number = [&](const Place& cell) {
        const std::int64_t x = (cell[0] + edge) % edge;
        const std::int64_t y = (cell[1] + edge) % edge;
        const std::int64_t z = std::clamp<std::int64_t>(cell[2], 0, edge - 1);
        return static_cast<double>(1 + x + edge * (y + edge * z));
    };
    spare.clear(state.boxes);
    for_planes(state.boxes, [&](std::int64_t box, std::int64_t plane) {
        for_plane(state.boxes, box, plane, [&](const Spot& at) {
            spare.data()[at.index(state.boxes)] = number(state.cell(at.box, at.x, at.y, at.z));
        });
    });
    ghosts.fill(state.boxes, spare);
    return wrong_around(state, spare, reach, number);
}

// Cells of a field that another fill changes.
template <class Ranks>
double stale_cells(const State& state, Ghosts<Ranks>& ghosts, const Field& spare,
                   const Field& field, bool is_vertical) {
    const std::int64_t count = state.boxes.padded();
    std::copy_n(field.data(), count, spare.data());
    ghosts.fill(state.boxes, spare);
    if (is_vertical) {
        close_top(state, spare);
    }
    double changed = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : changed)
    for (std::int64_t i = 0; i < count; ++i) {
        changed += spare.data()[i] != field.data()[i] ? 1 : 0;
    }
    return changed;
}

// Of the cells of a plane, or of more: sums, and the largest deviations.
struct Findings {
    double before = 0;
    double after = 0;
    double mass = 0;
    double first_mass = 0;
    double kinetic = 0;
    double speed = 0;
    double prediction = 0;
    double correction = 0;
    double balance = 0;
    double bounds = 0;

    void add(const Findings& other) {
        before += other.before;
        after += other.after;
        mass += other.mass;
        first_mass += other.first_mass;
        kinetic += other.kinetic;
        raise(speed, other.speed);
        raise(prediction, other.prediction);
        raise(correction, other.correction);
        raise(balance, other.balance);
        raise(bounds, other.bounds);
    }
};

inline void check_cell(const State& state, const Plain& plain, const Spot& at, Findings& found) {
    const std::int64_t i = at.index(state.boxes);
    const double density = state.density.data()[i];
    const Place cell = state.cell(at.box, at.x, at.y, at.z);
    const double before = plain.divergence(state.predicted, at);
    const double after = plain.divergence(state.velocity, at);
    found.before += before * before;
    found.after += after * after;
    found.mass += density;
    found.first_mass += state.problem.density(cell[0], cell[1], cell[2]);
    const double share = density / state.problem.beta_of_cell(cell[2]);
    raise(found.bounds, share - (1 + Problem::noise));
    raise(found.bounds, 1 - Problem::noise - Problem::bubble - share);
    raise(found.balance, std::abs(density - plain.density(at)));
    for (std::size_t d = 0; d < 3; ++d) {
        const double velocity = state.velocity[d].data()[i];
        const double predicted = state.predicted[d].data()[i];
        raise(found.speed, std::abs(velocity));
        raise(found.prediction, std::abs(predicted - plain.prediction(at, d)));
        raise(found.correction, std::abs(predicted - velocity - plain.correction(at, d)));
        found.kinetic += 0.5 * density * velocity * velocity;
    }
}

// Planes are added up in order, so that threads do not change the sums.
inline Findings check_cells(const State& state, const Field& phi) {
    const Boxes& boxes = state.boxes;
    const Plain plain{state, phi};
    std::vector<Findings> of_planes(static_cast<std::size_t>(boxes.count * boxes.edge));
    for_planes(boxes, [&](std::int64_t box, std::int64_t z) {
        Findings& found = of_planes[static_cast<std::size_t>(box * boxes.edge + z)];
        for_plane(boxes, box, z, [&](const Spot& at) { check_cell(state, plain, at, found); });
    });
    Findings found;
    for (const Findings& one : of_planes) {
        found.add(one);
    }
    return found;
}

// Every rank calls this after the last step.
template <class FlowOf, class Ranks>
Deviations check(FlowOf& flow, Ranks& ranks) {
    const State& state = flow.state();
    Deviations found;
    const Findings mine = check_cells(state, flow.phi());
    double lost = lost_cells(state, flow.sides(), flow.spare(), Reach::sides);
    lost += lost_cells(state, flow.all(), flow.spare(), Reach::all);
    double stale = stale_cells(state, flow.sides(), flow.spare(), state.density, false);
    for (std::size_t d = 0; d < 3; ++d) {
        stale += stale_cells(state, flow.all(), flow.spare(), state.velocity[d], d == 2);
    }
    std::array<double, 7> sums{mine.before,  mine.after, mine.mass, mine.first_mass,
                               mine.kinetic, lost,       stale};
    ranks.sum(sums);
    found.divergence = std::sqrt(sums[1] / sums[0]);
    found.most_divergence = 10 * target_of(state.problem);
    found.mass = std::abs(sums[2] / sums[3] - 1);
    found.kinetic_energy = sums[4] * std::pow(state.problem.width(), 3);
    found.lost = sums[5];
    found.stale = sums[6];
    const double speed = largest_of(ranks, mine.speed);
    found.prediction = largest_of(ranks, mine.prediction) / speed;
    found.correction = largest_of(ranks, mine.correction) / speed;
    found.balance = largest_of(ranks, mine.balance);
    found.bounds = largest_of(ranks, mine.bounds);
    return found;
}

}  // namespace machmeter::proxies::lowmach
