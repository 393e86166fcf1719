// What has to hold after the iterations, by ways that they do not take.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <vector>

#include "core/values/random_bits.hpp"
#include "proxies/common/faults.hpp"
#include "proxies/common/of_all_ranks.hpp"
#include "proxies/pwdft/states.hpp"

namespace machmeter::proxies::pwdft {

// Of all ranks; each is 0 in exact arithmetic, or below.
struct Deviations {
    // Of the states' overlaps from those of orthonormal ones.
    double overlap = 0;
    // Of H applied once more to the states from what the iterations have, relative.
    double applied = 0;
    // Of H from its definition in plane waves, for random coefficients, relative.
    double definition = 0;
    // Of a band from itself after a way to the grid and back, and of its norm there (Parseval).
    double round_trip = 0;
    // Of the sum of energies from that of the start: it may only fall.
    double rise = 0;

    // Why the result is wrong; empty where it is right.
    [[nodiscard]] std::string fault() const {
        constexpr double rounding = 1e-11;
        return first_fault({
            {round_trip <= rounding, "a wave function is not itself after a transform and back"},
            {definition <= rounding, "H is not what its waves define"},
            {overlap <= 1e-9, "the states are not orthonormal"},
            {applied <= 1e-9, "H of the states is not what the iterations used"},
            {rise < 0, "the energies did not fall"},
        });
    }
};

// The coefficient of a wave, known on every rank; 0 outside the sphere.
inline std::complex<double> random_coefficient(const Sphere& sphere, const Wave& wave) {
    if (!sphere.holds(wave)) {
        return 0;
    }
    const std::uint64_t number = sphere.number(wave);
    return {uniform(901, number) - 0.5, uniform(902, number) - 0.5};
}

inline Wave sum_of(const Wave& a, const Wave& b, int sign) {
    return {a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2]};
}

// Kinetic and local part by the definition: a wave of the potential moves a coefficient by itself.
inline std::complex<double> local_by_definition(const Sphere& sphere, const Wave& wave) {
    std::complex<double> sum = sphere.kinetic(wave) * random_coefficient(sphere, wave);
    for (const PotentialWave& one : potential_waves) {
        for (const int sign : {-1, 1}) {
            sum += one.strength / 2 * random_coefficient(sphere, sum_of(wave, one.wave, sign));
        }
    }
    return sum;
}

// Squares of this rank: of the deviation, and of all.
struct Squares {
    double deviation = 0;
    double all = 0;

    void add(double re, double im, std::complex<double> expected) {
        deviation += std::norm(std::complex<double>(re, im) - expected);
        all += std::norm(expected);
    }
    template <class Ranks>
    [[nodiscard]] double relative(Ranks& ranks) const {
        const double of_all = ranks.sum(all);
        return std::sqrt(ranks.sum(deviation) / of_all);
    }
};

template <class StatesOf, class Ranks>
double definition_deviation(StatesOf& states, Ranks& ranks) {
    auto& hamiltonian = states.hamiltonian();
    const Sphere& sphere = hamiltonian.sphere();
    const Share& share = hamiltonian.share();
    Bands in(1, share.waves);
    Bands out(1, share.waves);
    std::vector<double> products(2 * projector_count);
    share.each([&](std::size_t i, const Wave& wave) {
        const std::complex<double> value = random_coefficient(sphere, wave);
        in.re[i] = value.real();
        in.im[i] = value.imag();
        for (std::size_t site = 0; site < projector_count; ++site) {
            const auto product = std::conj(projector(sphere, site, wave)) * value;
            products[2 * site] += product.real();
            products[2 * site + 1] += product.imag();
        }
    });
    ranks.sum(products);
    hamiltonian.apply(in, out);
    Squares squares;
    share.each([&](std::size_t i, const Wave& wave) {
        std::complex<double> expected = local_by_definition(sphere, wave);
        for (std::size_t site = 0; site < projector_count; ++site) {
            expected += projector_energy * projector(sphere, site, wave) *
                        std::complex<double>(products[2 * site], products[2 * site + 1]);
        }
        squares.add(out.re[i], out.im[i], expected);
    });
    return squares.relative(ranks);
}

// Of the first state.
template <class StatesOf, class Ranks>
double round_trip_deviation(StatesOf& states, Ranks& ranks) {
    auto& transform = states.hamiltonian().transform();
    const Bands& band = states.states();
    std::vector<double> re(band.waves);
    std::vector<double> im(band.waves);
    transform.to_grid(band.re_of(0), band.im_of(0));
    double on_grid = 0;
    for (std::size_t p = 0; p < transform.grid().re.size(); ++p) {
        on_grid += transform.grid().re[p] * transform.grid().re[p] +
                   transform.grid().im[p] * transform.grid().im[p];
    }
    transform.from_grid(re.data(), im.data());
    Squares squares;
    for (std::size_t i = 0; i < band.waves; ++i) {
        squares.add(re[i], im[i], {band.re_of(0)[i], band.im_of(0)[i]});
    }
    const double norm = ranks.sum(squares.all);
    const double points = std::pow(static_cast<double>(transform.sphere().grid), 3);
    const double parseval = std::abs(ranks.sum(on_grid) / points / norm - 1);
    double worst = squares.relative(ranks);
    raise(worst, parseval);
    return worst;
}

template <class StatesOf, class Ranks>
double overlap_deviation(StatesOf& states, Ranks& ranks) {
    Matrix overlap(states.states().count, states.states().count);
    add_overlaps(states.states(), states.states(), overlap, 0, 0);
    ranks.sum(overlap.re);
    ranks.sum(overlap.im);
    double worst = 0;
    for (std::size_t i = 0; i < overlap.rows; ++i) {
        for (std::size_t j = 0; j < overlap.columns; ++j) {
            const std::size_t at = overlap.at(i, j);
            const double re = overlap.re[at] - (i == j ? 1 : 0);
            raise(worst, std::abs(re));
            raise(worst, std::abs(overlap.im[at]));
        }
    }
    return worst;
}

template <class StatesOf, class Ranks>
double applied_deviation(StatesOf& states, Ranks& ranks) {
    Bands fresh(states.states().count, states.states().waves);
    states.hamiltonian().apply(states.states(), fresh);
    Squares squares;
    for (std::size_t i = 0; i < fresh.re.size(); ++i) {
        squares.add(states.applied().re[i], states.applied().im[i], {fresh.re[i], fresh.im[i]});
    }
    return squares.relative(ranks);
}

// Every rank calls this after the last iteration.
template <class StatesOf, class Ranks>
Deviations check(StatesOf& states, Ranks& ranks) {
    Deviations found;
    found.overlap = overlap_deviation(states, ranks);
    found.applied = applied_deviation(states, ranks);
    found.definition = definition_deviation(states, ranks);
    found.round_trip = round_trip_deviation(states, ranks);
    found.rise = states.sum_of_energies() - states.first_sum();
    return found;
}

}  // namespace machmeter::proxies::pwdft
