// Ions through time, by velocity Verlet (Swope et al., J. Chem. Phys. 76, 1982).
#pragma once

#include <cstddef>
#include <cstdint>

#include "codes/coulomb/forces.hpp"

namespace machmeter::coulomb {

// About a hundredth of the period of an ion in its cage.
inline constexpr double time_step = 0.03;

// Half a step of velocities, then positions by `drift`.
inline void kick_and_drift(Ions& ions, double drift, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::size_t i = 0; i < ions.count; ++i) {
        for (std::size_t c = 0; c < 3; ++c) {
            ions.velocity[c][i] += time_step / 2 * ions.force[c][i] / ions.charge[i];
            ions.position[c][i] += drift * ions.velocity[c][i];
        }
    }
}

// From positions and velocities; forces are those at the end.
inline void move(Ions& ions, std::uint64_t steps, int threads) {
    add_up_forces(ions, threads);
    for (std::uint64_t step = 0; step < steps; ++step) {
        kick_and_drift(ions, time_step, threads);
        add_up_forces(ions, threads);
        kick_and_drift(ions, 0, threads);
    }
}

}  // namespace machmeter::coulomb
