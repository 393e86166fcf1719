// The equations of the model for one cell at a time, as they are written down.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/nwp/acoustic.hpp"
#include "proxies/nwp/atmosphere.hpp"
#include "proxies/nwp/patch.hpp"
#include "proxies/nwp/radiation.hpp"
#include "proxies/nwp/state.hpp"

namespace machmeter::proxies::nwp::plain {

// Of a cell of a patch.
struct Cell {
    std::int64_t i = 0;
    std::int64_t k = 0;
    std::int64_t j = 0;

    [[nodiscard]] Cell moved(std::size_t dimension, std::int64_t by) const {
        Cell to = *this;
        (dimension == 0 ? to.i : dimension == 1 ? to.j : to.k) += by;
        return to;
    }
};

// Values of fields at cells.
class View {
   public:
    View(const Patch& patch, const double* values) : patch_(&patch), values_(values) {}
    double operator()(const Cell& cell) const {
        return values_[patch_->at(cell.i, cell.k, cell.j)];
    }

   private:
    const Patch* patch_;
    const double* values_;
};

// The value on the face before a cell, from the side that the flow comes from: of fifth order along
// x and y, of third upwards.
inline double upwind(const View& of, const Cell& cell, std::size_t dimension, bool is_forward) {
    // The n-th cell against the flow, 1 the nearest; 0 and below beyond the face.
    const auto value = [&](std::int64_t n) {
        return of(cell.moved(dimension, is_forward ? -n : n - 1));
    };
    if (dimension == 2) {
        return (-value(2) + 5 * value(1) + 2 * value(0)) / 6;
    }
    return (2 * value(3) - 13 * value(2) + 47 * value(1) + 27 * value(0) - 3 * value(-1)) / 60;
}

// The change by the flow of what is on faces across dimension `on`, or in cells where it is 3.
inline double slow(const Patch& patch, const State& state, const View& of, std::size_t on,
                   const Cell& cell) {
    double change = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const View momentum(patch, state[d]);
        const auto flux = [&](const Cell& face) {
            const double mass =
                on < 3 ? (momentum(face) + momentum(face.moved(on, -1))) / 2 : momentum(face);
            const double second = on < 3 ? 0 : (of(face) + of(face.moved(d, -1))) / 2;
            return mass * (upwind(of, face, d, mass > 0) - second);
        };
        change -= (flux(cell.moved(d, 1)) - flux(cell)) / spacing;
    }
    return change;
}

// A momentum after a substep.
inline double momentum(const Substep& on, std::size_t d, const Cell& cell) {
    const Cell before = cell.moved(d, -1);
    const View stiffness(on.patch, on.diagnosed.stiffness.data());
    const View pressure(on.patch, on.pressure);
    const View of_density(on.patch, on.state[density]);
    double force =
        -(stiffness(cell) + stiffness(before)) / 2 * (pressure(cell) - pressure(before)) / spacing;
    if (d == 2) {
        const double lighter = (of_density(cell) + of_density(before)) / 2;
        const double squeezed = (pressure(cell) + pressure(before)) / 2;
        force -= gravity * (lighter - (gamma - 1) / potential_temperature * squeezed);
    }
    const View now(on.patch, on.state[d]);
    const View by_flow(on.patch, on.slow[d]);
    return now(cell) + on.seconds * (by_flow(cell) + force);
}

// Density, heat and pressure after a substep.
inline std::array<double, 3> cell_after(const Substep& on, const Cell& cell) {
    const View warmth(on.patch, on.diagnosed.warmth.data());
    double out = 0;
    double carried = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const View momentum(on.patch, on.state[d]);
        for (const std::int64_t side : {0, 1}) {
            const Cell face = cell.moved(d, side);
            const double mass = (side == 0 ? -1 : 1) * momentum(face);
            out += mass / spacing;
            carried += mass * (warmth(face) + warmth(face.moved(d, -1))) / 2 / spacing;
        }
    }
    const View of_density(on.patch, on.state[density]);
    const View of_heat(on.patch, on.state[heat]);
    const View by_flow(on.patch, on.slow[heat]);
    const double change = on.seconds * (by_flow(cell) - carried);
    const double after = of_heat(cell) + change;
    return {of_density(cell) - on.seconds * out, after, after + damping * change};
}

// The heat of every level of a column after radiation of so many seconds.
inline std::vector<double> column_after(const Patch& patch, const Atmosphere& air,
                                        const Diagnosed& diagnosed, const Sky& sky,
                                        const State& state, double seconds, std::int64_t i,
                                        std::int64_t j) {
    const auto levels = static_cast<std::size_t>(patch.levels);
    const View warmth(patch, diagnosed.warmth.data());
    const View of_density(patch, state[density]);
    const View of_heat(patch, state[heat]);
    const int bands = sky.bands(patch.first[1] + j);
    std::vector<double> gained(levels, 0.0);
    const auto pass = [&](double beam, std::int64_t k, int band) {
        const double temperature = warmth({i, k, j}) * air.exner(k);
        const double black = stefan_boltzmann * std::pow(temperature, 4);
        const double depth = absorption(band) * (air.density(k) + of_density({i, k, j})) * spacing;
        const double after = beam * std::exp(-depth) + black * (1 - std::exp(-depth));
        gained[static_cast<std::size_t>(k)] += (beam - after) / bands;
        return after;
    };
    for (int band = 0; band < bands; ++band) {
        double down = 0;
        for (std::int64_t k = patch.levels - 1; k >= 0; --k) {
            down = pass(down, k, band);
        }
        double up = stefan_boltzmann * std::pow(warmth({i, 0, j}) * air.exner(0), 4);
        for (std::int64_t k = 0; k < patch.levels; ++k) {
            up = pass(up, k, band);
        }
    }
    std::vector<double> after(levels);
    for (std::int64_t k = 0; k < patch.levels; ++k) {
        const auto level = static_cast<std::size_t>(k);
        after[level] =
            of_heat({i, k, j}) + seconds * gained[level] / (heat_capacity * spacing * air.exner(k));
    }
    return after;
}

}  // namespace machmeter::proxies::nwp::plain
