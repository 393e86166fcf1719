// Forces between all ions, each pair from both of its sides: an ion against four at once.
#pragma once

#include <array>
#include <cstddef>

#include "codes/coulomb/ions.hpp"
#include "proxies/common/lane_math.hpp"
#include "proxies/common/lanes.hpp"

namespace machmeter::coulomb {

using proxies::Lanes;

// The distance to the nearest of all images, along one edge.
inline Lanes to_nearest(const Lanes& distance, double edge, double per_edge) {
    // Added to a number of few digits, it leaves the nearest whole one in the lowest bits.
    constexpr double to_whole = 6755399441055744.0;  // 1.5 * 2^52
    const Lanes edges = (distance * per_edge + to_whole) - to_whole;
    return distance - edges * edge;
}

// On an ion, of all others: F = q_i q_j (1/r + 1/screening) exp(-r/screening) r/r^2.
inline std::array<double, 3> force_on(const Ions& ions, std::size_t i) {
    constexpr auto lanes = static_cast<std::size_t>(proxies::lane_count);
    const auto& [x, y, z] = ions.position;
    const double edge = ions.box.edge;
    const double per_edge = 1 / edge;
    const double per_screening = 1 / ions.box.screening;
    const Lanes one = proxies::in_all_lanes(1);
    const Lanes zero = proxies::in_all_lanes(0);
    const Lanes own_x = proxies::in_all_lanes(x[i]);
    const Lanes own_y = proxies::in_all_lanes(y[i]);
    const Lanes own_z = proxies::in_all_lanes(z[i]);
    Lanes sum_x{};
    Lanes sum_y{};
    Lanes sum_z{};
    for (std::size_t j = 0; j < ions.padded(); j += lanes) {
        const Lanes dx = to_nearest(own_x - proxies::load(&x[j]), edge, per_edge);
        const Lanes dy = to_nearest(own_y - proxies::load(&y[j]), edge, per_edge);
        const Lanes dz = to_nearest(own_z - proxies::load(&z[j]), edge, per_edge);
        const Lanes square = dx * dx + dy * dy + dz * dz;
        // The ion itself has no distance: it adds nothing.
        const Lanes charge = square > zero ? proxies::load(&ions.charge[j]) : zero;
        const Lanes distance = proxies::root_of(square > zero ? square : one);
        const Lanes inverse = one / distance;
        const Lanes decay = proxies::exp_of(distance * -per_screening);
        const Lanes force = charge * decay * (inverse + per_screening) * inverse * inverse;
        sum_x += force * dx;
        sum_y += force * dy;
        sum_z += force * dz;
    }
    const double charge = ions.charge[i];
    return {charge * proxies::sum_of_lanes(sum_x), charge * proxies::sum_of_lanes(sum_y),
            charge * proxies::sum_of_lanes(sum_z)};
}

inline void add_up_forces(Ions& ions, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::size_t i = 0; i < ions.count; ++i) {
        const std::array<double, 3> force = force_on(ions, i);
        for (std::size_t c = 0; c < 3; ++c) {
            ions.force[c][i] = force[c];
        }
    }
}

}  // namespace machmeter::coulomb
