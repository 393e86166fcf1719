// What has to hold after the steps, by ways that they do not take.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/values/random_bits.hpp"
#include "proxies/common/faults.hpp"
#include "proxies/common/of_all_ranks.hpp"
#include "proxies/nwp/model.hpp"
#include "proxies/nwp/plain.hpp"

namespace machmeter::proxies::nwp {

// Of all ranks, relative.
struct Deviations {
    // Of the last step from the same one done again.
    double again = std::numeric_limits<double>::infinity();
    // Of the mass from that at the start.
    double mass = 0;
    // Of the density's moment along x, which of a mirror image of itself is 0; of a storm that
    // lasts rounding makes none.
    double mirror = 0;
    // Of what is around a patch from what is there in the domain.
    double around = 0;
    // From plain formulas, of some cells: the changes by the flow, a substep, and radiation.
    double slow = 0;
    double substep = 0;
    double radiation = 0;

    // Why the result is wrong; empty where it is right.
    [[nodiscard]] std::string fault() const {
        constexpr double rounding = 1e-11;
        return first_fault({
            {around <= rounding, "columns of neighbors are not what they are in the domain"},
            {slow <= rounding, "the flow carries other values than by its fluxes"},
            {substep <= rounding, "an acoustic step is not what its equations say"},
            {radiation <= rounding, "columns are not heated as their beams say"},
            {again <= rounding, "the last step gives something else when it is done again"},
            {mass <= rounding, "mass was not conserved"},
            {mirror <= 1e-6, "the air is not the mirror image of itself"},
        });
    }
};

// Compares values in the size of the largest.
class Compared {
   public:
    void add(double found, double expected) {
        raise(difference_, std::abs(found - expected));
        raise(largest_, std::abs(expected));
    }
    // Over all ranks; of a field that is 0 everywhere the difference itself.
    template <class Ranks>
    double relative(Ranks& ranks) const {
        const double largest = largest_of(ranks, largest_);
        return largest_of(ranks, difference_) / (largest > 0 ? largest : 1);
    }

   private:
    double difference_ = 0;
    double largest_ = 0;
};

inline constexpr std::uint64_t sampled_cells = 64;

// `use(cell)` for some cells of a patch by number alone, those of its corners first.
template <class Use>
void each_sample(const Patch& patch, Use&& use) {
    constexpr std::uint64_t seed = 31;
    const std::array<std::int64_t, 3> counts{patch.count[0], patch.levels, patch.count[1]};
    for (std::uint64_t n = 0; n < sampled_cells; ++n) {
        std::array<std::int64_t, 3> at{};
        for (std::size_t d = 0; d < at.size(); ++d) {
            const double share = uniform(seed, n * at.size() + d);
            const auto place = static_cast<std::int64_t>(share * static_cast<double>(counts[d]));
            const std::int64_t corner = (n >> d & 1U) == 0 ? 0 : counts[d] - 1;
            at[d] = n < 8 ? corner : place;
        }
        use(plain::Cell{at[0], at[1], at[2]});
    }
}

// A state by position alone, as large as those of a storm everywhere; beyond the ground and the top
// the nearest level again, and of the vertical momentum the opposite of what is as far on the other
// side.
inline double scrambled(const Patch& patch, std::size_t variable, const plain::Cell& cell) {
    constexpr std::array<double, variables> sizes{10, 10, 10, 0.01, 3};
    const bool on_faces = variable == momentum_z;
    const std::int64_t top = on_faces ? patch.levels : patch.levels - 1;
    const std::int64_t inside = std::clamp<std::int64_t>(cell.k, 0, top);
    const std::int64_t level = on_faces ? 2 * inside - cell.k : inside;
    if (on_faces && (level == 0 || level == top)) {
        return 0;
    }
    const std::int64_t x = (patch.first[0] + cell.i + patch.edge) % patch.edge;
    const std::int64_t y = (patch.first[1] + cell.j + patch.edge) % patch.edge;
    const std::int64_t number = x + patch.edge * (y + patch.edge * level);
    const double value = uniform(41 + variable, static_cast<std::uint64_t>(number)) - 0.5;
    return (level == cell.k || !on_faces ? 1 : -1) * sizes[variable] * value;
}

// Puts that in place of the state; returns by how much what is around a patch then differs from
// what is there in the domain.
template <class ModelOf, class Ranks>
double scramble(ModelOf& model, Ranks& ranks) {
    const Patch& patch = model.patch();
    const auto each = [&](std::int64_t beyond, std::int64_t above, auto&& use) {
        for (std::int64_t j = -beyond; j < patch.count[1] + beyond; ++j) {
            for (std::int64_t k = -above; k < patch.levels + above; ++k) {
                for (std::int64_t i = -beyond; i < patch.count[0] + beyond; ++i) {
                    for (std::size_t v = 0; v < variables; ++v) {
                        use(model.state()[v][patch.at(i, k, j)], scrambled(patch, v, {i, k, j}));
                    }
                }
            }
        }
    };
    each(0, 0, [](double& value, double expected) { value = expected; });
    model.complete();
    double worst = 0;
    each(halo, margin,
         [&](double& value, double expected) { raise(worst, std::abs(value - expected)); });
    return largest_of(ranks, worst);
}

template <class ModelOf, class Ranks>
double done_again(ModelOf& model, Ranks& ranks) {
    const Patch& patch = model.patch();
    const State found(patch);
    found.copy_from(patch, model.state());
    model.state().copy_from(patch, model.start());
    model.run(1);
    double worst = 0;
    for (std::size_t v = 0; v < variables; ++v) {
        Compared compared;
        for (std::int64_t j = -halo; j < patch.count[1] + halo; ++j) {
            for (std::int64_t k = 0; k < patch.levels; ++k) {
                for (std::int64_t i = -halo; i < patch.count[0] + halo; ++i) {
                    const std::int64_t at = patch.at(i, k, j);
                    compared.add(found[v][at], model.state()[v][at]);
                }
            }
        }
        raise(worst, compared.relative(ranks));
    }
    return worst;
}

// Of the density, as it differs from air at rest; by rows, as many numbers one after the other
// would lose digits.
inline double mass_of(const Patch& patch, const State& state) {
    double mass = 0;
    for (std::int64_t j = 0; j < patch.count[1]; ++j) {
        for (std::int64_t k = 0; k < patch.levels; ++k) {
            double row = 0;
            for (std::int64_t i = 0; i < patch.count[0]; ++i) {
                row += state[density][patch.at(i, k, j)];
            }
            mass += row;
        }
    }
    return mass;
}

// The fastest vertical flow, kg/(m^2 s): what the problem alone decides.
template <class ModelOf, class Ranks>
double fastest_rise(const ModelOf& model, Ranks& ranks) {
    const Patch& patch = model.patch();
    double fastest = 0;
    for (std::int64_t j = 0; j < patch.count[1]; ++j) {
        for (std::int64_t k = 0; k < patch.levels; ++k) {
            for (std::int64_t i = 0; i < patch.count[0]; ++i) {
                raise(fastest, std::abs(model.state()[momentum_z][patch.at(i, k, j)]));
            }
        }
    }
    return largest_of(ranks, fastest);
}

template <class ModelOf, class Ranks>
void check_sums(const ModelOf& model, double mass_at_start, Ranks& ranks, Deviations& found) {
    const Patch& patch = model.patch();
    const double middle = (static_cast<double>(patch.edge) - 1) / 2;
    std::array<double, 4> sums{};
    for (std::int64_t j = 0; j < patch.count[1]; ++j) {
        for (std::int64_t k = 0; k < patch.levels; ++k) {
            sums[1] += model.air().density(k) * static_cast<double>(patch.count[0]);
            for (std::int64_t i = 0; i < patch.count[0]; ++i) {
                const double moment = model.state()[density][patch.at(i, k, j)] *
                                      (static_cast<double>(patch.first[0] + i) - middle);
                sums[2] += moment;
                sums[3] += std::abs(moment);
            }
        }
    }
    sums[0] = mass_of(patch, model.state()) - mass_at_start;
    ranks.sum(sums);
    found.mass = std::abs(sums[0]) / sums[1];
    found.mirror = std::abs(sums[2]) / std::max(sums[3], std::numeric_limits<double>::min());
}

// What follows from the scrambled state, by that state's definition.
template <class ModelOf, class Ranks>
double check_diagnosed(ModelOf& model, Ranks& ranks) {
    const Patch& patch = model.patch();
    const Atmosphere& air = model.air();
    const Diagnosed& diagnosed = model.diagnosed();
    const auto whole = [&](const plain::Cell& cell) {
        return air.density(cell.k) + scrambled(patch, density, cell);
    };
    std::array<Compared, 5> compared;
    each_sample(patch, [&](const plain::Cell& cell) {
        const std::int64_t at = patch.at(cell.i, cell.k, cell.j);
        for (std::size_t d = 0; d < diagnosed.velocity.size(); ++d) {
            const double mean = (whole(cell) + whole(cell.moved(d, -1))) / 2;
            compared[d].add(diagnosed.velocity[d].data()[at], scrambled(patch, d, cell) / mean);
        }
        const double more = scrambled(patch, heat, cell);
        const double rest = air.heat(cell.k);
        compared[3].add(diagnosed.warmth.data()[at], (rest + more) / whole(cell));
        compared[4].add(diagnosed.stiffness.data()[at],
                        gamma * gas_constant * air.exner(cell.k) * (1 + (gamma - 1) * more / rest));
    });
    double worst = 0;
    for (const Compared& one : compared) {
        raise(worst, one.relative(ranks));
    }
    return worst;
}

// The changes by the flow.
template <class ModelOf, class Ranks>
double check_slow(ModelOf& model, Ranks& ranks) {
    const Patch& patch = model.patch();
    model.find_slow();
    const Diagnosed& diagnosed = model.diagnosed();
    double worst = 0;
    for (std::size_t d = 0; d <= diagnosed.velocity.size(); ++d) {
        const bool is_heat = d == diagnosed.velocity.size();
        const plain::View of(patch,
                             is_heat ? diagnosed.warmth.data() : diagnosed.velocity[d].data());
        Compared compared;
        each_sample(patch, [&](plain::Cell cell) {
            cell.k = d == 2 ? std::max<std::int64_t>(cell.k, 1) : cell.k;
            const double* const slow = model.slow()[is_heat ? std::size_t{heat} : d];
            compared.add(slow[patch.at(cell.i, cell.k, cell.j)],
                         plain::slow(patch, model.state(), of, d, cell));
        });
        raise(worst, compared.relative(ranks));
    }
    raise(worst, check_diagnosed(model, ranks));
    return worst;
}

// A substep, by the changes that were found last.
template <class ModelOf, class Ranks>
double check_substep(ModelOf& model, Ranks& ranks) {
    const Patch& patch = model.patch();
    const Substep on{patch,         model.air(),      model.diagnosed(),   model.slow(),
                     model.state(), model.pressure(), time_step / substeps};
    for_slabs(-halo, patch.count[1] + halo, [&](std::int64_t j) {
        const std::int64_t begin = patch.at(-halo, -margin, j);
        std::copy_n(model.state()[heat] + begin, patch.slab(), model.pressure() + begin);
    });
    std::array<Compared, variables + 1> compared;
    std::vector<std::array<double, 3>> expected;
    each_sample(patch, [&](const plain::Cell& cell) {
        expected.push_back({plain::momentum(on, 0, cell), plain::momentum(on, 1, cell),
                            cell.k > 0 ? plain::momentum(on, 2, cell) : 0});
    });
    const auto compare = [&](std::size_t first, const std::array<const double*, 3>& found) {
        std::size_t n = 0;
        each_sample(patch, [&](const plain::Cell& cell) {
            for (std::size_t d = 0; d < found.size(); ++d) {
                compared[first + d].add(found[d][patch.at(cell.i, cell.k, cell.j)], expected[n][d]);
            }
            ++n;
        });
    };
    model.parts().acoustic.momenta(on);
    compare(0, {model.state()[0], model.state()[1], model.state()[2]});
    const std::array<double*, 3> momenta{model.state()[0], model.state()[1], model.state()[2]};
    model.neighbors().fill_around(momenta);
    expected.clear();
    each_sample(patch,
                [&](const plain::Cell& cell) { expected.push_back(plain::cell_after(on, cell)); });
    model.parts().acoustic.cells(on);
    compare(density, {model.state()[density], model.state()[heat], model.pressure()});
    double worst = 0;
    for (const Compared& one : compared) {
        raise(worst, one.relative(ranks));
    }
    return worst;
}

template <class ModelOf, class Ranks>
double check_radiation(ModelOf& model, Ranks& ranks) {
    const Patch& patch = model.patch();
    // As long as a day, so that what is gained is no rounding of what is there.
    constexpr double seconds = 86'400;
    std::vector<std::vector<double>> expected;
    const auto each_column = [&](auto&& use) {
        for (const std::int64_t j : {std::int64_t{0}, patch.count[1] - 1}) {
            for (const std::int64_t i : {std::int64_t{0}, patch.count[0] - 1}) {
                use(i, j);
            }
        }
    };
    each_column([&](std::int64_t i, std::int64_t j) {
        expected.push_back(plain::column_after(patch, model.air(), model.diagnosed(), model.sky(),
                                               model.state(), seconds, i, j));
    });
    model.parts().radiation(patch, model.air(), model.diagnosed(), model.sky(), model.state(),
                            seconds);
    Compared compared;
    std::size_t n = 0;
    each_column([&](std::int64_t i, std::int64_t j) {
        for (std::int64_t k = 0; k < patch.levels; ++k) {
            compared.add(model.state()[heat][patch.at(i, k, j)],
                         expected[n][static_cast<std::size_t>(k)]);
        }
        ++n;
    });
    return compared.relative(ranks);
}

// Every rank calls this after the last step. The state does not outlive it.
template <class ModelOf, class Ranks>
Deviations check(ModelOf& model, double mass_at_start, Ranks& ranks) {
    Deviations found;
    if (model.steps() == 0) {
        return found;
    }
    check_sums(model, mass_at_start, ranks, found);
    constexpr int steps_of_mirror = 300;
    found.mirror = model.steps() <= steps_of_mirror ? found.mirror : 0;
    found.again = done_again(model, ranks);
    found.around = scramble(model, ranks);
    found.slow = check_slow(model, ranks);
    found.substep = check_substep(model, ranks);
    found.radiation = check_radiation(model, ranks);
    return found;
}

}  // namespace machmeter::proxies::nwp
