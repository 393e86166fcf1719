// Forces on the own atoms of a rank from the list of near pairs.
#pragma once

#include <omp.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "proxies/common/lanes.hpp"
#include "proxies/ljmd/atoms.hpp"
#include "proxies/ljmd/lattice.hpp"
#include "proxies/ljmd/pairs.hpp"

namespace machmeter::proxies::ljmd {

// Operations for each listed pair: 3 differences, 5 for the square of the distance, a quotient, 2
// for its third power, 3 for the force, 6 to add it up.
inline constexpr double flops_per_pair = 20;

// Whether the potential energy is computed too.
template <bool with_energy>
inline Lanes force_on(const Lanes& at, const std::uint32_t* neighbors, std::size_t count,
                      const Lanes* position, double shift) {
    const Lanes square_of_cutoff = in_all_lanes(cutoff * cutoff);
    const Lanes one = in_all_lanes(1);
    const Lanes half = in_all_lanes(0.5);
    const Lanes none = in_all_lanes(0);
    const Columns mine = columns_of(at, at, at, at);
    Columns sum{none, none, none};
    Lanes energy = none;
    for (std::size_t k = 0; k < count; k += lane_count) {
        const Columns other = columns_of(position[neighbors[k]], position[neighbors[k + 1]],
                                         position[neighbors[k + 2]], position[neighbors[k + 3]]);
        const Lanes x = mine.x - other.x;
        const Lanes y = mine.y - other.y;
        const Lanes z = mine.z - other.z;
        const Lanes square = x * x + y * y + z * z;
        const auto within = square < square_of_cutoff;
        const Lanes inverse = one / square;
        const Lanes sixth = inverse * inverse * inverse;
        const Lanes force = within ? sixth * (sixth - half) * inverse : none;
        sum.x += force * x;
        sum.y += force * y;
        sum.z += force * z;
        if constexpr (with_energy) {
            energy += within ? sixth * (sixth - one) - in_all_lanes(shift / 4) : none;
        }
    }
    // Half of a pair's energy belongs to each of its atoms.
    return Lanes{48 * sum_of_lanes(sum.x), 48 * sum_of_lanes(sum.y), 48 * sum_of_lanes(sum.z),
                 2 * sum_of_lanes(energy)};
}

// The kernel of the proxy; a test puts a faulty one in its place.
struct PairForces {
    template <bool with_energy>
    void compute(const PairList& list, Atoms& atoms, double shift) const {
        const std::vector<ThreadPairs>& threads = list.threads();
        const Lanes* const position = atoms.position.data();
#pragma omp parallel
        {
            const ThreadPairs& mine = threads[static_cast<std::size_t>(omp_get_thread_num())];
            for (std::size_t i = mine.first; i < mine.last; ++i) {
                const std::size_t begin = mine.begins[i - mine.first];
                const std::size_t end = mine.begins[i - mine.first + 1];
                atoms.force[i] = force_on<with_energy>(position[i], mine.neighbors.data() + begin,
                                                       end - begin, position, shift);
            }
        }
    }
};

}  // namespace machmeter::proxies::ljmd
