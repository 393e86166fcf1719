// Ions in a periodic box, and how they start: two kinds of nuclei on a crystal, out of its rest.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/values/random_bits.hpp"
#include "proxies/common/lanes.hpp"

namespace machmeter::coulomb {

// Lengths in those of a box of one ion: the density is 1.
struct Box {
    double edge;
    // The length in which electrons screen a charge.
    double screening;
};

inline constexpr double screening_length = 0.8;

// A component of each ion, and zeros up to whole vectors.
using Field = std::vector<double>;
using Vectors = std::array<Field, 3>;

struct Ions {
    std::size_t count;
    Box box;
    Vectors position;
    Vectors velocity;
    Vectors force;
    // The mass as well: a nucleus has about two units of mass for each charge.
    Field charge;

    explicit Ions(std::size_t ions)
        : count(ions), box{std::cbrt(static_cast<double>(ions)), screening_length} {
        constexpr auto lanes = static_cast<std::size_t>(proxies::lane_count);
        const std::size_t padded = (ions + lanes - 1) / lanes * lanes;
        for (Vectors* vectors : {&position, &velocity, &force}) {
            vectors->fill(Field(padded, 0.0));
        }
        charge.assign(padded, 0.0);
    }

    [[nodiscard]] std::size_t padded() const { return charge.size(); }
    [[nodiscard]] double data_bytes() const {
        return static_cast<double>(10 * padded() * sizeof(double));
    }
};

// Two ions in each of `cells`^3 cubes.
inline std::size_t ions_of(std::uint64_t cells) { return 2 * cells * cells * cells; }

// A body-centered cubic crystal whose ions are out of place and move; momentum is 0.
inline Ions crystal_of(std::uint64_t cells) {
    // One ion in six is of the heavier kind, as oxygen beside carbon.
    constexpr double heavier = 4.0 / 3;
    constexpr double share_of_heavier = 0.176;
    constexpr double most_moved = 0.08;
    constexpr double most_velocity = 0.25;
    Ions ions(ions_of(cells));
    const double step = ions.box.edge / static_cast<double>(cells);
    std::array<double, 3> momentum{};
    double mass = 0;
    for (std::size_t i = 0; i < ions.count; ++i) {
        const std::uint64_t cell = i / 2;
        const std::array<std::uint64_t, 3> cube = {cell % cells, cell / cells % cells,
                                                   cell / cells / cells};
        const double corner = i % 2 == 0 ? 0.25 : 0.75;
        ions.charge[i] = uniform(6, i) < share_of_heavier ? heavier : 1;
        mass += ions.charge[i];
        for (std::size_t c = 0; c < 3; ++c) {
            const double moved = most_moved * (2 * uniform(c, i) - 1);
            ions.position[c][i] = (static_cast<double>(cube[c]) + corner) * step + moved;
            ions.velocity[c][i] = most_velocity * (2 * uniform(3 + c, i) - 1);
            momentum[c] += ions.charge[i] * ions.velocity[c][i];
        }
    }
    for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t i = 0; i < ions.count; ++i) {
            ions.velocity[c][i] -= momentum[c] / mass;
        }
    }
    return ions;
}

}  // namespace machmeter::coulomb
