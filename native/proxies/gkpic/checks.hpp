// What has to hold after a run, by ways that the run does not take.
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
#include "proxies/gkpic/plain.hpp"
#include "proxies/gkpic/simulation.hpp"

namespace machmeter::proxies::gkpic {

// How far numbers that were computed in another order may be from each other.
inline constexpr double rounding = 1e-11;

// Of all ranks; each is 0 in exact arithmetic, but for the residual and the weights.
struct Deviations {
    // Particles that are missing, or that are not those there were.
    double particles = 0;
    // Particles beyond the domain of their rank.
    double astray = 0;
    // Of the charge of the grid from that of the particles, over that of their sizes.
    double charge = 0;
    // Of the field equation, over the largest density.
    double residual = 0;
    // Of what particles read from what the potential defines, over the largest.
    double field = 0;
    // Of some particles from where the plain formulas put them in the last substep.
    double motion = 0;
    // Of the charge on a random potential from the particles in it, over that of the sizes.
    double adjoint = 0;
    // Mean square of the weights, which are shares of a particle: noise of a grid that is finer
    // than the gyration makes them grow without bound.
    double weights = 0;

    // Why the run is wrong; empty where it is right.
    [[nodiscard]] std::string fault() const {
        const double converged = std::ldexp(1 + 1e-3, -iterations);
        const auto within = [](double value, double most, const std::string& what) {
            return Condition{value <= most, what + ": " + short_text(value / most) +
                                                " times the tolerance of " + short_text(most)};
        };
        return first_fault({
            {particles == 0, "particles were lost, doubled or confused: " + whole_text(particles)},
            {weights < 1,
             "weights of particles exceed 1, since the simulation is unstable or its charge wrong: "
             "request more particles in a cell, fewer steps, or fewer points on each surface"},
            {astray == 0, "particles are beyond the domain of their rank: " + whole_text(astray)},
            within(charge, rounding, "the charge of the grid is not that of the particles"),
            within(residual, converged, "the potential does not solve the field equation"),
            within(field, rounding, "the field is not the slope of the potential"),
            within(motion, rounding, "particles are not where their equations put them"),
            within(adjoint, rounding, "deposit and gather are not adjoint"),
        });
    }
};

template <class Run, class Ranks>
double lost(const Run& run, Ranks& ranks) {
    const Particles& particles = run.particles();
    const std::int64_t each = run.loading().in_interval(run.grid(), run.domain());
    const auto mark = [](std::int64_t id) { return mix(static_cast<std::uint64_t>(id) + 1); };
    std::uint64_t found = 0;
    std::uint64_t expected = 0;
#pragma omp parallel for schedule(static) reduction(+ : found)
    for (std::int64_t i = 0; i < particles.count(); ++i) {
        found += mark(static_cast<std::int64_t>(particles[number][i]));
    }
#pragma omp parallel for schedule(static) reduction(+ : expected)
    for (std::int64_t i = 0; i < each * run.domain().count; ++i) {
        const std::int64_t interval = run.domain().first + i / each;
        const std::int64_t index = run.domain().copy + i % each * run.domain().copies;
        expected += mark(interval * run.loading().in_interval(run.grid()) + index);
    }
    const double missing =
        std::abs(ranks.sum(static_cast<double>(particles.count() - each * run.domain().count)));
    return missing + (sum_of_marks(ranks, found - expected) == 0 ? 0 : 1);
}

template <class Run>
double astray(const Run& run) {
    std::int64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (std::int64_t i = 0; i < run.particles().count(); ++i) {
        count += run.shift().away(run.particles()[toroidal][i]) != 0 ? 1 : 0;
    }
    return static_cast<double>(count);
}

// The charge of the last substep from the weights that it is of; copies of a domain have the same.
template <class Run, class Ranks>
double charge_deviation(const Run& run, Ranks& ranks) {
    std::array<double, 3> sums{run.domain().copy == 0 ? run.charge().total() : 0,
                               run.sampled().weight,
                               run.particles().sum([](double one) { return std::abs(one); })};
    ranks.sum(sums);
    return std::abs(sums[0] - sums[1]) / sums[2];
}

// The potential on the planes of a rank as its definition has it.
template <class Run>
struct Potential {
    const Run& run;
    const double* values;

    [[nodiscard]] double at(std::int64_t plane, std::int64_t surface, double place) const {
        const Grid& grid = run.grid();
        if (surface < 0 || surface >= grid.surfaces) {
            return 0;
        }
        const double* const row = values + plane * grid.plane() + surface * grid.row();
        return plain::between(grid, place, [&](std::int64_t j) { return row[j]; });
    }
    // At the angle of a node, on a surface so many further.
    [[nodiscard]] double beside(std::int64_t plane, std::int64_t surface, std::int64_t j,
                                std::int64_t step) const {
        const std::int64_t other =
            std::clamp<std::int64_t>(surface + step, 0, run.grid().surfaces - 1);
        return at(plane, surface + step,
                  plain::same_angle(run.grid(), surface, other, j, run.domain().first + plane));
    }
    [[nodiscard]] double average(std::int64_t plane, std::int64_t surface, std::int64_t j) const {
        const auto here = static_cast<double>(j);
        const double reach = Average::points(run.grid(), surface);
        return (at(plane, surface, here + reach) + at(plane, surface, here - reach) +
                beside(plane, surface, j, Average::surfaces) +
                beside(plane, surface, j, -Average::surfaces)) /
               4;
    }
    // What particles read: two fields and the potential.
    [[nodiscard]] std::array<double, 3> node(std::int64_t plane, std::int64_t surface,
                                             std::int64_t j) const {
        const Grid& grid = run.grid();
        const std::int64_t inner = surface > 0 ? -1 : 0;
        const std::int64_t outer = surface + 1 < grid.surfaces ? 1 : 0;
        const double across = static_cast<double>(outer - inner) * grid.spacing();
        const double along =
            2 * radians_per_turn * grid.radius(surface) / static_cast<double>(grid.points);
        const auto here = static_cast<double>(j);
        return {(beside(plane, surface, j, inner) - beside(plane, surface, j, outer)) / across,
                (at(plane, surface, here - 1) - at(plane, surface, here + 1)) / along,
                at(plane, surface, here)};
    }
};

// Of the planes of a rank: that of the field equation relative to the largest density, that of what
// particles read relative to the largest; and the largest. The potential of the next plane is
// exchanged anew.
template <class Run, class Ranks>
std::array<double, 3> field_deviations(Run& run, Ranks& ranks) {
    run.field().share_plane(ranks);
    const Grid& grid = run.grid();
    const Potential<Run> potential{run, run.field().potential()};
    const std::int64_t rows = (run.domain().count + 1) * grid.surfaces;
    std::array<double, 4> most{};
#pragma omp parallel
    {
        std::array<double, 4> mine{};
#pragma omp for schedule(static)
        for (std::int64_t r = 0; r < rows; ++r) {
            const std::int64_t plane = r / grid.surfaces;
            const std::int64_t i = r % grid.surfaces;
            const bool is_equation = plane < run.domain().count && i > 0 && i + 1 < grid.surfaces;
            for (std::int64_t j = 0; j < grid.points; ++j) {
                const std::array<double, 3> node = potential.node(plane, i, j);
                for (std::size_t c = 0; c < node.size(); ++c) {
                    const Lanes& found = run.field().nodes()[r * grid.row() + j];
                    raise(mine[2], std::abs(found[c] - node[c]));
                    raise(mine[3], std::abs(node[c]));
                }
                if (is_equation) {
                    const double density = run.field().density(i) * run.charge().row(plane, i)[j];
                    raise(mine[0],
                          std::abs(2 * node[2] - potential.average(plane, i, j) - density));
                    raise(mine[1], std::abs(density));
                }
            }
        }
#pragma omp critical
        for (std::size_t c = 0; c < most.size(); ++c) {
            raise(most[c], mine[c]);
        }
    }
    return {most[0] / most[1], most[2] / most[3], most[3]};
}

// Of the particles that the last push was sampled of, over their size or how far they went. Places
// in the grid are rounded as large numbers, and so is what acts there, `strongest` at most: weights
// change by up to 8 times as much.
template <class Run>
double motion_deviation(Run& run, double strongest) {
    constexpr double usual_weight = 1e-3;
    const Grid& grid = run.grid();
    const double rounded = 32 * std::numeric_limits<double>::epsilon() / rounding * strongest *
                           static_cast<double>(grid.planes + grid.surfaces + grid.points) *
                           grid.time_step();
    const Sampled& sampled = run.sampled();
    double worst = sampled.before.empty() ? std::numeric_limits<double>::infinity() : 0;
    for (std::size_t k = 0; k < sampled.before.size(); ++k) {
        const Particles::Values expected = plain::moved(grid, run.domain(), run.field().nodes(),
                                                        sampled.before[k], grid.time_step());
        const Particles::Values& before = sampled.before[k];
        const Particles::Values& found = sampled.after[k];
        for (const std::size_t c : {across, number}) {
            raise(worst, std::abs(found[c] - expected[c]));
        }
        for (const std::size_t c : {radius, poloidal, toroidal, parallel, weight}) {
            const double off = found[c] - expected[c];
            const double turns = c == poloidal || c == toroidal ? std::round(off) : 0;
            const double size = std::max({c == weight ? usual_weight : 1, std::abs(expected[c]),
                                          std::abs(expected[c] - before[c + radius_before])});
            raise(worst, std::abs(off - turns) / (size + rounded));
        }
    }
    return worst;
}

// Of <charge of the particles, p> from the sum of each weight times p where the particle is, for a
// random p. Leaves p in place of the field.
template <class Run, class Ranks>
double adjoint_deviation(Run& run, Ranks& ranks) {
    const Grid& grid = run.grid();
    const Domain& domain = run.domain();
    const Particles& particles = run.particles();
    run.compute_charge();
    double on_grid = 0;
    for (std::int64_t r = 0; r < (domain.count + 1) * grid.surfaces; ++r) {
        const std::int64_t plane = domain.first + r / grid.surfaces;
        const std::int64_t i = r % grid.surfaces;
        const std::int64_t turned =
            plane == grid.planes ? grid.turned[static_cast<std::size_t>(i)] : 0;
        for (std::int64_t j = 0; j <= grid.points; ++j) {
            const std::int64_t node = (plane % grid.planes * grid.surfaces + i) * grid.points +
                                      (j + turned) % grid.points;
            const double value = uniform(21, static_cast<std::uint64_t>(node));
            run.field().nodes()[r * grid.row() + j] = Lanes{0, 0, value, 0};
            const bool is_own = j < grid.points && r < domain.count * grid.surfaces;
            on_grid += is_own ? value * run.charge().row(r / grid.surfaces, i)[j] : 0;
        }
    }
    double of_particles = 0;
    double of_sizes = 0;
#pragma omp parallel for schedule(static) reduction(+ : of_particles, of_sizes)
    for (std::int64_t group = 0; group < particles.groups(); ++group) {
        const std::int64_t begin = group * lane_count;
        const Lanes gyration = gyroradii(run.mesh(), particles, begin);
        std::array<Stencil, lane_count> stencils;
        stencils_of(run.mesh(), particles, begin, gyration, stencils);
        for (std::int64_t i = begin; i < std::min(particles.count(), begin + lane_count); ++i) {
            const Stencil& stencil = stencils[static_cast<std::size_t>(i - begin)];
            const double value = gather(run.field().nodes(), grid.plane(), stencil)[3];
            of_particles += value * particles[weight][i];
            of_sizes += value * std::abs(particles[weight][i]);
        }
    }
    std::array<double, 3> sums{domain.copy == 0 ? on_grid : 0, of_particles, of_sizes};
    ranks.sum(sums);
    return std::abs(sums[0] - sums[1]) / sums[2];
}

// Means over all particles, and over all nodes, that the problem alone decides.
struct Results {
    double weight_square = 0;
    double potential_square = 0;
};

template <class Run, class Ranks>
Results results_of(const Run& run, Ranks& ranks) {
    const Grid& grid = run.grid();
    std::array<double, 4> sums{run.particles().sum([](double one) { return one * one; }),
                               static_cast<double>(run.particles().count()), 0, 0};
    for (std::int64_t r = 0; run.domain().copy == 0 && r < run.domain().count * grid.surfaces;
         ++r) {
        for (std::int64_t j = 0; j < grid.points; ++j) {
            const double one = run.field().nodes()[r * grid.row() + j][2];
            sums[2] += one * one;
            sums[3] += 1;
        }
    }
    ranks.sum(sums);
    return {sums[0] / sums[1], sums[2] / sums[3]};
}

// Every rank calls this after the last step; the field is no longer there afterwards.
template <class Run, class Ranks>
Deviations check(Run& run, Ranks& ranks) {
    Deviations found;
    found.weights = results_of(run, ranks).weight_square;
    found.particles = lost(run, ranks);
    found.astray = ranks.sum(astray(run));
    found.charge = charge_deviation(run, ranks);
    const std::array<double, 3> field = field_deviations(run, ranks);
    found.residual = largest_of(ranks, field[0]);
    found.field = largest_of(ranks, field[1]);
    found.motion = largest_of(ranks, motion_deviation(run, field[2]));
    found.adjoint = adjoint_deviation(run, ranks);
    return found;
}

}  // namespace machmeter::proxies::gkpic
