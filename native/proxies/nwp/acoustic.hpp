// What is faster than the flow, sound and buoyancy, in short steps forward and backward in time
// (Klemp and Wilhelmson, J. Atmos. Sci. 35, 1978).
#pragma once

#include <cstddef>
#include <cstdint>

#include "proxies/nwp/atmosphere.hpp"
#include "proxies/nwp/patch.hpp"
#include "proxies/nwp/state.hpp"

namespace machmeter::proxies::nwp {

// The share of the last change of heat that the pressure runs ahead: it damps sound (Klemp,
// Skamarock and Dudhia, Mon. Wea. Rev. 135, 2007).
inline constexpr double damping = 0.1;

// Operations of a cell in a substep: 7 for each horizontal momentum, 16 for the vertical one, 27
// for density, heat and pressure.
inline constexpr double flops_per_substep = 57;

// Where a substep works.
struct Substep {
    const Patch& patch;
    const Atmosphere& air;
    const Diagnosed& diagnosed;
    // The changes that the flow makes.
    const State& slow;
    const State& state;
    // Of the heat, ahead of time.
    double* pressure;
    double seconds;
};

// A test puts a faulty one in its place.
struct Acoustic {
    // The momenta by gradients of pressure, and by buoyancy.
    void momenta(const Substep& on) const {
        for_slabs(0, on.patch.count[1], [&](std::int64_t j) {
            for (std::int64_t k = 0; k < on.patch.levels; ++k) {
                horizontal(on, 0, 1, k, j);
                horizontal(on, 1, on.patch.slab(), k, j);
                if (k > 0) {
                    vertical(on, k, j);
                }
            }
        });
    }

    // Density and heat by the momenta.
    void cells(const Substep& on) const {
        for_slabs(0, on.patch.count[1], [&](std::int64_t j) {
            for (std::int64_t k = 0; k < on.patch.levels; ++k) {
                cells(on, k, j);
            }
        });
    }

   private:
    static void horizontal(const Substep& on, std::size_t d, std::int64_t step, std::int64_t k,
                           std::int64_t j) {
        const std::int64_t begin = on.patch.at(0, k, j);
        const double* const stiffness = on.diagnosed.stiffness.data() + begin;
        const double* const pressure = on.pressure + begin;
        const double* const slow = on.slow[d] + begin;
        double* const momentum = on.state[d] + begin;
        const double seconds = on.seconds;
        constexpr double factor = 0.5 / spacing;
#pragma omp simd
        for (std::int64_t i = 0; i < on.patch.count[0]; ++i) {
            const double gradient =
                factor * (stiffness[i] + stiffness[i - step]) * (pressure[i] - pressure[i - step]);
            momentum[i] += seconds * (slow[i] - gradient);
        }
    }

    // Buoyancy: by density, and by the pressure in air at rest.
    static void vertical(const Substep& on, std::int64_t k, std::int64_t j) {
        const std::int64_t begin = on.patch.at(0, k, j);
        const std::int64_t step = on.patch.row();
        const double* const stiffness = on.diagnosed.stiffness.data() + begin;
        const double* const pressure = on.pressure + begin;
        const double* const of_density = on.state[density] + begin;
        const double* const slow = on.slow[momentum_z] + begin;
        double* const momentum = on.state[momentum_z] + begin;
        const double seconds = on.seconds;
        constexpr double factor = 0.5 / spacing;
        constexpr double of_pressure = (gamma - 1) / potential_temperature;
#pragma omp simd
        for (std::int64_t i = 0; i < on.patch.count[0]; ++i) {
            const double gradient =
                factor * (stiffness[i] + stiffness[i - step]) * (pressure[i] - pressure[i - step]);
            const double weight = 0.5 * gravity *
                                  (of_density[i] + of_density[i - step] -
                                   of_pressure * (pressure[i] + pressure[i - step]));
            momentum[i] += seconds * (slow[i] - gradient - weight);
        }
    }

    static void cells(const Substep& on, std::int64_t k, std::int64_t j) {
        const std::int64_t begin = on.patch.at(0, k, j);
        const std::int64_t north = on.patch.slab();
        const std::int64_t up = on.patch.row();
        const double* const x = on.state[momentum_x] + begin;
        const double* const y = on.state[momentum_y] + begin;
        const double* const z = on.state[momentum_z] + begin;
        const double* const warmth = on.diagnosed.warmth.data() + begin;
        const double* const slow = on.slow[heat] + begin;
        double* const of_density = on.state[density] + begin;
        double* const of_heat = on.state[heat] + begin;
        double* const pressure = on.pressure + begin;
        const double seconds = on.seconds;
        const double per_spacing = on.seconds / spacing;
#pragma omp simd
        for (std::int64_t i = 0; i < on.patch.count[0]; ++i) {
            const double here = warmth[i];
            const double out = x[i + 1] - x[i] + y[i + north] - y[i] + z[i + up] - z[i];
            const double carried =
                x[i + 1] * (here + warmth[i + 1]) - x[i] * (here + warmth[i - 1]) +
                y[i + north] * (here + warmth[i + north]) - y[i] * (here + warmth[i - north]) +
                z[i + up] * (here + warmth[i + up]) - z[i] * (here + warmth[i - up]);
            const double change = seconds * slow[i] - per_spacing * 0.5 * carried;
            of_density[i] -= per_spacing * out;
            of_heat[i] += change;
            pressure[i] = of_heat[i] + damping * change;
        }
    }
};

}  // namespace machmeter::proxies::nwp
