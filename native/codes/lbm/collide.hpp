// Collisions with two relaxation times (Ginzburg, Verhaeghe and d'Humieres, Commun. Comput. Phys.
// 3, 2008) and a force along x, with the equilibrium of an incompressible fluid (He and Luo, J.
// Stat. Phys. 88, 1997).
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "codes/lbm/directions.hpp"
#include "proxies/common/lanes.hpp"

namespace machmeter::lbm {

// In units of cells and steps; the density is about 1.
struct Fluid {
    double viscosity;
    double force;

    // What even parts of populations keep less of: 1 / (3 viscosity + 1/2).
    [[nodiscard]] double even_rate() const { return 1 / (3 * viscosity + 0.5); }
    // (1 / even - 1/2) (1 / odd - 1/2) = 3/16 puts walls half-way between cells.
    [[nodiscard]] double odd_rate() const { return 1 / (0.5 + 3.0 / 16 / (3 * viscosity)); }
};

// Where each population of consecutive cells is.
using Places = std::array<double*, directions>;

template <class Value>
Value load_from(const double* from) {
    Value value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class Value>
void store_to(double* to, const Value& value) {
    std::memcpy(to, &value, sizeof value);
}

// Cells `begin` and those after it, one for each lane of `Value`: populations that arrived at
// `places` collide, and each then lies where its opposite was (Bailey et al., ICPP 2009).
template <class Value>
inline void collide(const Fluid& fluid, const Places& places, std::size_t begin) {
    std::array<Value, directions> f;
    for (std::size_t q = 0; q < directions; ++q) {
        f[q] = load_from<Value>(places[q] + begin);
    }
    std::array<Value, pairs> odd;
    Value density = f[0];
    for (std::size_t k = 0; k < pairs; ++k) {
        odd[k] = f[2 * k + 1] - f[2 * k + 2];
        density += f[2 * k + 1] + f[2 * k + 2];
    }
    const Value x = odd[0] + (odd[3] + odd[4]) + (odd[5] + odd[6]);
    const Value y = odd[1] + (odd[3] - odd[4]) + (odd[7] + odd[8]);
    const Value z = odd[2] + (odd[5] - odd[6]) + (odd[7] - odd[8]);
    const std::array<Value, pairs> along = {x, y, z, x + y, x - y, x + z, x - z, y + z, y - z};
    const double half_force = fluid.force / 2;
    const Value velocity = x + half_force;
    const Value base = density - 1.5 * (velocity * velocity + y * y + z * z);
    const double even_rate = fluid.even_rate();
    const double half_even = even_rate / 2;
    const double half_odd = fluid.odd_rate() / 2;
    store_to<Value>(places[0] + begin, f[0] - even_rate * (f[0] - rest_weight * base));
    const auto relax = [&](std::size_t k, double force, double weight) {
        const Value speed = along[k] + force / 2;
        const Value even =
            half_even * (f[2 * k + 1] + f[2 * k + 2] - 2 * weight * (base + 4.5 * (speed * speed)));
        const Value change = half_odd * (odd[k] - 6 * weight * along[k]) - 3 * weight * force;
        store_to<Value>(places[2 * k + 2] + begin, f[2 * k + 1] - even - change);
        store_to<Value>(places[2 * k + 1] + begin, f[2 * k + 2] - even + change);
    };
    relax(0, fluid.force, axis_weight);
    relax(1, 0, axis_weight);
    relax(2, 0, axis_weight);
    relax(3, fluid.force, diagonal_weight);
    relax(4, fluid.force, diagonal_weight);
    relax(5, fluid.force, diagonal_weight);
    relax(6, fluid.force, diagonal_weight);
    relax(7, 0, diagonal_weight);
    relax(8, 0, diagonal_weight);
}

inline void collide_cells(const Fluid& fluid, const Places& places, std::size_t count) {
    constexpr auto lanes = static_cast<std::size_t>(proxies::lane_count);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        collide<proxies::Lanes>(fluid, places, i);
    }
    for (; i < count; ++i) {
        collide<double>(fluid, places, i);
    }
}

}  // namespace machmeter::lbm
