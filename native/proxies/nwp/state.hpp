// What a model of the atmosphere steps: momenta on faces, density and heat in cells, as they differ
// from air at rest.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "proxies/nwp/atmosphere.hpp"
#include "proxies/nwp/exchange.hpp"
#include "proxies/nwp/patch.hpp"

namespace machmeter::proxies::nwp {

// Momenta on the faces towards smaller x, y and z; density, and density times potential
// temperature.
enum Variable : std::uint8_t { momentum_x, momentum_y, momentum_z, density, heat, variables };

struct State {
    std::array<Field, variables> fields;

    explicit State(const Patch& patch)
        : fields{Field(patch), Field(patch), Field(patch), Field(patch), Field(patch)} {}

    [[nodiscard]] double* operator[](std::size_t variable) const { return fields[variable].data(); }
    [[nodiscard]] std::array<double*, variables> all() const {
        std::array<double*, variables> all{};
        for (std::size_t v = 0; v < variables; ++v) {
            all[v] = (*this)[v];
        }
        return all;
    }

    // Of the patch and around it.
    void copy_from(const Patch& patch, const State& other) const {
        for_slabs(-halo, patch.count[1] + halo, [&](std::int64_t j) {
            for (std::size_t v = 0; v < variables; ++v) {
                const std::int64_t begin = patch.at(-halo, -margin, j);
                std::copy_n(other[v] + begin, patch.slab(), (*this)[v] + begin);
            }
        });
    }
};

// What follows from a state for a stage of a step: velocities, potential temperature, and by how
// much pressure rises with heat, gamma R (p / p0)^(R / cp), linear around air at rest.
struct Diagnosed {
    std::array<Field, 3> velocity;
    Field warmth;
    Field stiffness;

    explicit Diagnosed(const Patch& patch)
        : velocity{Field(patch), Field(patch), Field(patch)}, warmth(patch), stiffness(patch) {}

    // Also around the patch, but for the velocities that would need columns beyond it.
    void find(const Patch& patch, const Atmosphere& air, const State& state) const {
        for_slabs(-halo, patch.count[1] + halo, [&](std::int64_t j) {
            for (std::int64_t k = -margin; k <= patch.levels + margin - 1; ++k) {
                cells(patch, air, state, k, j);
            }
        });
        for_slabs(1 - halo, patch.count[1] + halo, [&](std::int64_t j) {
            for (std::int64_t k = -margin; k <= patch.levels + margin - 1; ++k) {
                faces(patch, air, state, k, j);
            }
        });
    }

   private:
    void cells(const Patch& patch, const Atmosphere& air, const State& state, std::int64_t k,
               std::int64_t j) const {
        const std::int64_t begin = patch.at(-halo, k, j);
        const double* const of_density = state[density] + begin;
        const double* const of_heat = state[heat] + begin;
        double* const to_warmth = warmth.data() + begin;
        double* const to_stiffness = stiffness.data() + begin;
        const double rest_density = air.density(k);
        const double rest_heat = air.heat(k);
        const double rest_stiffness = gamma * gas_constant * air.exner(k);
        const double per_heat = rest_stiffness * (gamma - 1) / rest_heat;
#pragma omp simd
        for (std::int64_t i = 0; i < patch.row(); ++i) {
            to_warmth[i] = (rest_heat + of_heat[i]) / (rest_density + of_density[i]);
            to_stiffness[i] = rest_stiffness + per_heat * of_heat[i];
        }
    }

    void faces(const Patch& patch, const Atmosphere& air, const State& state, std::int64_t k,
               std::int64_t j) const {
        const std::int64_t begin = patch.at(1 - halo, k, j);
        const double* const of_density = state[density] + begin;
        const double rest = 2 * air.density(k);
        const double rest_below = air.density(k) + air.density(std::max(k - 1, -margin));
        // Below the lowest level nothing is read.
        const std::array<std::int64_t, 3> steps{1, patch.slab(), k > -margin ? patch.row() : 0};
        for (std::size_t d = 0; d < steps.size(); ++d) {
            const double* const momentum = state[d] + begin;
            const double* const before = of_density - steps[d];
            double* const to = velocity[d].data() + begin;
            const double at_rest = d == 2 ? rest_below : rest;
#pragma omp simd
            for (std::int64_t i = 0; i < patch.row() - 1; ++i) {
                to[i] = 2 * momentum[i] / (at_rest + of_density[i] + before[i]);
            }
        }
    }
};

}  // namespace machmeter::proxies::nwp
