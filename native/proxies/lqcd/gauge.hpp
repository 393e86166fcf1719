// The links between the sites of a lattice and the Dirac operator that they define, by position
// alone and one site at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "proxies/lqcd/lattice.hpp"
#include "proxies/lqcd/su3.hpp"

namespace machmeter::proxies::lqcd {

// The weights of one step and of three in the improved difference (Naik, Nucl. Phys. B 316, 1989).
inline constexpr double one_step = 9.0 / 8;
inline constexpr double three_steps = -1.0 / 24;

class Gauge {
   public:
    // rotation: of the colors at each site, a random one for every number but 0. What can be
    // measured does not depend on it.
    explicit Gauge(const Site& whole, std::uint64_t rotation = 0)
        : whole_(whole), rotation_(rotation) {}

    // The site so many steps further, around the lattice.
    [[nodiscard]] Site moved(Site site, std::size_t d, std::int64_t steps) const {
        site[d] = (site[d] + steps + whole_[d]) % whole_[d];
        return site;
    }
    [[nodiscard]] std::uint64_t number(const Site& site) const {
        return static_cast<std::uint64_t>(
            site[0] + whole_[0] * (site[1] + whole_[1] * (site[2] + whole_[2] * site[3])));
    }

    // From a site to the next along a dimension.
    [[nodiscard]] Matrix link(const Site& site, std::size_t d) const {
        constexpr std::uint64_t seed = 1;
        const Matrix plain = random_su3(seed, number(site) * dimensions + d);
        return rotation_ == 0
                   ? plain
                   : product(product(turn(site), plain), dagger(turn(moved(site, d, 1))));
    }
    // The right side of the equation to solve.
    [[nodiscard]] Color source(const Site& site) const {
        constexpr std::uint64_t seed = 2;
        const Color plain = random_color(seed, number(site));
        return rotation_ == 0 ? plain : product(turn(site), plain);
    }

    // The sign of so many steps forward (Kogut and Susskind, Phys. Rev. D 11, 1975), whose fermions
    // change theirs around the end of time.
    [[nodiscard]] double sign(const Site& site, std::size_t d, std::int64_t steps) const {
        std::int64_t odd = 0;
        for (std::size_t before = 0; before < d; ++before) {
            odd += site[before];
        }
        const bool is_around = d + 1 == dimensions && site[d] + steps >= whole_[d];
        return (odd & 1) == (is_around ? 1 : 0) ? 1 : -1;
    }

    // The same for a whole path of one step or three: its weight and sign times its links.
    [[nodiscard]] Matrix path(const Site& site, std::size_t d, std::int64_t steps) const {
        Matrix matrix = link(site, d);
        for (std::int64_t step = 1; step < steps; ++step) {
            matrix = product(matrix, link(moved(site, d, step), d));
        }
        return scaled(weight(steps) * sign(site, d, steps), matrix);
    }

    // What the Dirac operator D gives at one site, `of(site)` being the field: one link after the
    // other, no product of links.
    template <class Of>
    [[nodiscard]] Color dirac(const Site& site, Of&& of) const {
        Color sum{};
        for (std::size_t d = 0; d < dimensions; ++d) {
            for (const std::int64_t steps : {std::int64_t{1}, farthest}) {
                Color ahead = of(moved(site, d, steps));
                for (std::int64_t step = steps; step-- > 0;) {
                    ahead = product(link(moved(site, d, step), d), ahead);
                }
                add(sum, weight(steps) * sign(site, d, steps), ahead);
                const Site from = moved(site, d, -steps);
                Color behind = of(from);
                for (std::int64_t step = 0; step < steps; ++step) {
                    behind = product(dagger(link(moved(from, d, step), d)), behind);
                }
                add(sum, -weight(steps) * sign(from, d, steps), behind);
            }
        }
        return sum;
    }

   private:
    [[nodiscard]] Matrix turn(const Site& site) const {
        return random_su3(rotation_, number(site));
    }
    static double weight(std::int64_t steps) { return steps == 1 ? one_step : three_steps; }

    Site whole_;
    std::uint64_t rotation_;
};

}  // namespace machmeter::proxies::lqcd
