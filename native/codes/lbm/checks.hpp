// What has to hold of a run: mass, the last two steps by plain formulas, and the profile of a plain
// channel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "codes/lbm/plain.hpp"
#include "core/values/random_bits.hpp"
#include "proxies/common/faults.hpp"

namespace machmeter::lbm {

// Both propagate what is no number.
inline double larger(double largest, double error) {
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(largest, error);
}

// Of all cells, with what rounding loses (Kahan, Commun. ACM 8, 1965): what is added is positive.
inline double mass_of(const Lattice& lattice) {
    double sum = 0;
    double lost = 0;
    for (std::size_t q = 0; q < directions; ++q) {
        const double* const population = lattice.population(q);
        for (std::size_t cell = 0; cell < lattice.cells(); ++cell) {
            const double value = population[cell] - lost;
            const double next = sum + value;
            lost = (next - sum) - value;
            sum = next;
        }
    }
    return sum;
}

// One number of all bits: the same for any team.
inline std::uint64_t fingerprint_of(const Lattice& lattice) {
    std::uint64_t sum = 0;
#pragma omp parallel for num_threads(lattice.threads()) schedule(static) reduction(+ : sum)
    for (std::size_t cell = 0; cell < lattice.cells(); ++cell) {
        std::uint64_t own = cell;
        for (std::size_t q = 0; q < directions; ++q) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, lattice.population(q) + cell, sizeof bits);
            own = mix(own + golden_step + bits);
        }
        sum += own;
    }
    return sum;
}

// Some cells and what arrives at them two steps later, by plain formulas.
class Expected {
   public:
    static constexpr std::size_t most_cells = 1000;

    explicit Expected(const Lattice& lattice) {
        const Sizes& sizes = lattice.geometry().sizes();
        const std::size_t box = sizes[0] * sizes[1] * sizes[2];
        // Not a multiple of a row, so that cells of every column are among them.
        const std::size_t step = std::max<std::size_t>(1, box / most_cells) | 1U;
        for (std::size_t at = 0; at < box; at += step) {
            const Place place = {at % sizes[0], at / sizes[0] % sizes[1], at / sizes[0] / sizes[1]};
            if (lattice.geometry().number(place) != Geometry::solid) {
                places_.push_back(place);
            }
        }
        populations_.resize(places_.size());
#pragma omp parallel for num_threads(lattice.threads()) schedule(static)
        for (std::size_t i = 0; i < places_.size(); ++i) {
            populations_[i] = arriving(lattice, places_[i], 2);
        }
    }

    [[nodiscard]] double error_of(const Lattice& lattice) const {
        double largest = places_.empty() ? std::numeric_limits<double>::infinity() : 0;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const Populations found = arriving(lattice, places_[i], 0);
            for (std::size_t q = 0; q < directions; ++q) {
                largest = larger(largest, std::abs(found[q] - populations_[i][q]));
            }
        }
        return largest;
    }

   private:
    std::vector<Place> places_;
    std::vector<Populations> populations_;
};

// The largest error of the velocity in a channel between plain walls, which starts at rest, by the
// largest velocity: half-way walls make it a parabola without any other error than rounding. One
// thread: it is small.
inline double error_of_channel(const Fluid& fluid, std::size_t page_bytes) {
    constexpr std::size_t length = 6;
    constexpr std::size_t height = 9;
    // The slowest part of the start decays by exp(-pi^2 viscosity / height^2) in a step.
    const auto pairs_of_steps = static_cast<std::uint64_t>(1.5 * height * height / fluid.viscosity);
    Lattice channel(Geometry({length, height, 3}, 0), fluid, codes::Touch::owner, page_bytes, 1);
    channel.start({0, 0, 0});
    channel.run(pairs_of_steps);
    const double top = fluid.force / (2 * fluid.viscosity) * height * height / 4;
    double largest = 0;
    for (std::size_t y = 0; y < height; ++y) {
        const auto at = static_cast<double>(y) + 0.5;
        const double expected = fluid.force / (2 * fluid.viscosity) * at * (height - at);
        for (std::size_t x = 0; x < length; ++x) {
            for (std::size_t z = 0; z < 3; ++z) {
                const Moments moments = moments_of(arriving(channel, {x, y, z}, 0));
                const double along = moments.momentum[0] + fluid.force / 2;
                largest = larger(largest, std::abs(along - expected) / top);
                largest = larger(largest, std::abs(moments.momentum[1]) / top);
                largest = larger(largest, std::abs(moments.momentum[2]) / top);
            }
        }
    }
    return largest;
}

// What a correct run has at its end, made before it is timed.
struct Reference {
    double mass;
    std::uint64_t fingerprint;
    double last_steps;
    double channel;
};

// A run whose last two steps are compared with plain formulas.
inline Reference reference_of(Lattice& lattice, const std::array<double, 3>& velocity,
                              std::uint64_t pairs_of_steps, std::size_t page_bytes) {
    lattice.start(velocity);
    const double mass = mass_of(lattice);
    lattice.run(pairs_of_steps - 1);
    const Expected expected(lattice);
    lattice.run(1);
    return {mass, fingerprint_of(lattice), expected.error_of(lattice),
            error_of_channel(lattice.fluid(), page_bytes)};
}

inline constexpr double most_of_mass = 1e-13;
inline constexpr double most_of_last_steps = 1e-14;
inline constexpr double most_of_channel = 1e-10;

// What is wrong; empty where nothing is.
inline std::string fault_of(const Lattice& lattice, const Reference& reference) {
    const double mass = std::abs(mass_of(lattice) / reference.mass - 1);
    const auto text = [](double one) { return proxies::short_text(one); };
    return proxies::first_fault({
        {reference.channel <= most_of_channel,
         "the profile of a plain channel differs from the "
         "parabola by " +
             text(reference.channel) + " of its top"},
        {reference.last_steps <= most_of_last_steps,
         "the last two steps differ from plain formulas by " + text(reference.last_steps)},
        {mass <= most_of_mass, "the mass changed by " + text(mass) + " of itself"},
        {fingerprint_of(lattice) == reference.fingerprint,
         "two runs from the same start differ at the end"},
    });
}

}  // namespace machmeter::lbm
