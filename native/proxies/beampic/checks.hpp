// What has to hold after the last step, by ways that the steps do not take.
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
#include "proxies/beampic/green.hpp"
#include "proxies/beampic/plain.hpp"
#include "proxies/beampic/simulation.hpp"
#include "proxies/common/faults.hpp"
#include "proxies/common/of_all_ranks.hpp"

namespace machmeter::proxies::beampic {

// Of all ranks.
struct Deviations {
    // Of the charge of the grid from that of the particles.
    double charge = 0;
    // Of the sum over the grid of charge times any function from that over the particles.
    double deposit = 0;
    // Of the potential at some points from the sum over all charged cells, relative.
    double potential = 0;
    // Of the force of the bunch on itself from 0, over the sum of its magnitude.
    double self_force = 0;
    // Of some particles from a plain last push, in units of the fastest motion.
    double push = 0;
    // Of the mean position and velocity from one oscillating particle, in units of the radius.
    double motion = 0;
    double lost = 0;
    double strays = 0;
    double not_marked = 0;
    int steps = 0;

    // Why the run is wrong; empty where it is right.
    [[nodiscard]] std::string fault() const {
        constexpr double rounding = 1e-12;
        constexpr double of_sums = 1e-10;
        const auto off = [](double deviation) { return ", off by " + short_text(deviation); };
        return first_fault({
            {steps > 0, "no step was done"},
            {lost == 0,
             "particles were lost or doubled: their number is off by " + whole_text(lost)},
            {not_marked == 0,
             "some particles were lost and others doubled: their number is right, but not which "
             "ones they are"},
            {strays == 0, whole_text(strays) + " particles are outside their domain"},
            {charge <= rounding,
             "the charge of the grid is not that of the particles" + off(charge)},
            {deposit <= rounding, "the charge is not where the particles were" + off(deposit)},
            {potential <= of_sums,
             "the potential is not the sum over all charged cells" + off(potential)},
            {self_force <= of_sums,
             "the bunch exerts a force on itself, relative by " + short_text(self_force)},
            {push <= rounding, "the last push is not that of a plain program" + off(push)},
            {motion <= of_sums,
             "the bunch as a whole does not oscillate as one particle" + off(motion)},
        });
    }
};

// `use(x, y, z, charge, rows of the potential)` of each charged point of this rank, summed up.
template <std::size_t count, class SimulationOf, class Use>
std::array<double, count> sum_of_points(const SimulationOf& simulation, Use&& use) {
    const Domain& domain = simulation.domain();
    std::array<double, count> all{};
#pragma omp parallel
    {
        std::array<double, count> mine{};
#pragma omp for schedule(static)
        for (std::int64_t r = 0; r < domain.y.count * domain.z.count; ++r) {
            const std::int64_t y = r % domain.y.count;
            const std::int64_t z = r / domain.y.count;
            const double* const charge = simulation.charge().row(y, z);
            for (std::int64_t x = 0; x < domain.edge; ++x) {
                if (charge[x] != 0) {
                    use(mine, Point{x, domain.y.first + y, domain.z.first + z}, charge[x]);
                }
            }
        }
#pragma omp critical
        for (std::size_t i = 0; i < count; ++i) {
            all[i] += mine[i];
        }
    }
    return all;
}

template <class SimulationOf>
double potential_at(const SimulationOf& simulation, const Point& point) {
    const Domain& domain = simulation.domain();
    return simulation.potential().row(point[1] - domain.y.first,
                                      point[2] - domain.z.first)[point[0]];
}

// In its domain, and where the field is known.
inline bool is_inside(const Problem& problem, const Bounds& bounds, const Particle& one) {
    const auto last = static_cast<double>(problem.edge - 2);
    return bounds.away_y(one[1]) == 0 && bounds.away_z(one[2]) == 0 &&
           std::all_of(one.begin(), one.begin() + 3,
                       [&](double at) { return at >= 1 && at <= last; });
}

// Charge, charge times a function, and three components of force and its magnitude.
template <class SimulationOf, class Ranks>
void check_charge(SimulationOf& simulation, Ranks& ranks, Deviations& found) {
    auto of_grid = sum_of_points<6>(
        simulation, [&](std::array<double, 6>& sums, const Point& point, double charge) {
            sums[0] += charge;
            sums[1] += charge * any_function(point);
            double square = 0;
            for (std::size_t d = 0; d < 3; ++d) {
                const double slope = plain_field(
                    point, d, [&](const Point& at) { return potential_at(simulation, at); });
                sums[2 + d] += charge * slope;
                square += slope * slope;
            }
            sums[5] += charge * std::sqrt(square);
        });
    ranks.sum(of_grid);
    const Particles& particles = simulation.particles();
    double of_particles = 0;
    double strays = 0;
    const Bounds bounds(simulation.domain());
#pragma omp parallel for schedule(static) reduction(+ : of_particles, strays)
    for (std::int64_t i = 0; i < particles.count(); ++i) {
        const Particle one = particles.at(i);
        of_particles += interpolated(position_before(one), any_function);
        strays += is_inside(simulation.problem(), bounds, one) ? 0 : 1;
    }
    std::array<double, 2> sums{of_particles * simulation.problem().charge(), strays};
    ranks.sum(sums);
    raise(found.charge, std::abs(of_grid[0] - 1));
    raise(found.deposit, std::abs(of_grid[1] - sums[0]));
    raise(found.strays, sums[1]);
    for (std::size_t d = 0; d < 3; ++d) {
        raise(found.self_force, std::abs(of_grid[2 + d]) / of_grid[5]);
    }
}

// Points at the lower faces of domains, which their neighbors know as guards, and in the middle.
inline Point point_to_check(const Domain& domain, std::uint64_t number) {
    const auto any = [&](std::uint64_t stream, std::int64_t below) {
        return static_cast<std::int64_t>(uniform(stream, number) * static_cast<double>(below));
    };
    const auto place = [&](std::uint64_t stream, int parts) {
        const Share share = share_of(domain.edge, static_cast<int>(any(stream, parts)), parts);
        return share.first + (number % 2 == 0 ? 0 : share.count / 2);
    };
    return {any(21, domain.edge), place(22, domain.ranks[0]), place(23, domain.ranks[1])};
}

template <class SimulationOf, class Ranks>
double potential_deviation(SimulationOf& simulation, Ranks& ranks) {
    constexpr std::size_t points = 4;
    const Domain& domain = simulation.domain();
    auto sums = sum_of_points<points>(
        simulation, [&](std::array<double, points>& of, const Point& point, double charge) {
            for (std::size_t i = 0; i < points; ++i) {
                const Point at = point_to_check(domain, i);
                of[i] += charge *
                         potential_of_cell(point[0] - at[0], point[1] - at[1], point[2] - at[2]);
            }
        });
    ranks.sum(sums);
    double worst = 0;
    // In the domain, or among the guards.
    const auto is_known = [](std::int64_t at, const Share& share) {
        return at >= share.first - 1 && at < share.end() + 2;
    };
    for (std::size_t i = 0; i < points; ++i) {
        const Point at = point_to_check(domain, i);
        if (is_known(at[1], domain.y) && is_known(at[2], domain.z)) {
            raise(worst, std::abs(potential_at(simulation, at) / sums[i] - 1));
        }
    }
    return largest_of(ranks, worst);
}

template <class SimulationOf, class Ranks>
double push_deviation(SimulationOf& simulation, Ranks& ranks) {
    const Problem& problem = simulation.problem();
    const double fastest = problem.phase_advance() * problem.radius();
    const Bounds bounds(simulation.domain());
    // A rank may have had none before it.
    double worst = ranks.sum(static_cast<double>(simulation.watched().size())) > 0
                       ? 0
                       : std::numeric_limits<double>::infinity();
    for (const Watched& one : simulation.watched()) {
        if (!is_inside(problem, bounds, one.before)) {
            return largest_of(ranks, std::numeric_limits<double>::infinity());
        }
        const Particle expected = plain_push(
            problem, one.before, [&](const Point& at) { return potential_at(simulation, at); });
        for (std::size_t c = 0; c < columns; ++c) {
            raise(worst,
                  std::abs(one.after[c] - expected[c]) / (c < 3 ? problem.radius() : fastest));
        }
    }
    // Those that stayed are as they were after the push.
    const Particles& particles = simulation.particles();
    for (const Watched& one : simulation.watched()) {
        const double* const numbers = particles[number_column];
        if (one.at < particles.count() && numbers[one.at] == one.after[number_column]) {
            for (std::size_t c = 0; c < columns; ++c) {
                raise(worst, std::abs(particles[c][one.at] - one.after[c]));
            }
        }
    }
    return largest_of(ranks, worst);
}

// The field of the bunch moves it as a whole nowhere, and the focusing force is linear.
template <class SimulationOf, class Ranks>
double motion_deviation(SimulationOf& simulation, Ranks& ranks) {
    const Problem& problem = simulation.problem();
    std::array<double, 6> now = simulation.sums();
    ranks.sum(now);
    double worst = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        double position = simulation.start()[d] * problem.charge() - problem.center();
        double velocity = simulation.start()[3 + d] * problem.charge();
        for (int step = 0; step < simulation.steps(); ++step) {
            velocity -= problem.phase_advance() * problem.phase_advance() * position;
            position += velocity;
        }
        raise(worst,
              std::abs(now[d] * problem.charge() - problem.center() - position) / problem.radius());
        raise(worst, std::abs(now[3 + d] * problem.charge() - velocity) /
                         (problem.phase_advance() * problem.radius()));
    }
    return worst;
}

template <class SimulationOf, class Ranks>
void check_particles(SimulationOf& simulation, Ranks& ranks, Deviations& found) {
    const Particles& particles = simulation.particles();
    const Share share = share_of(simulation.problem().particles, ranks.rank(), ranks.size());
    std::uint64_t marks = 0;
    for (std::int64_t i = 0; i < particles.count(); ++i) {
        marks += mix(static_cast<std::uint64_t>(particles[number_column][i]) + 1);
    }
    for (std::int64_t i = share.first; i < share.end(); ++i) {
        marks -= mix(static_cast<std::uint64_t>(i) + 1);
    }
    found.not_marked = sum_of_marks(ranks, marks) == 0 ? 0 : 1;
    found.lost = std::abs(ranks.sum(static_cast<double>(particles.count() - share.count)));
}

// Every rank calls this after the last step.
template <class SimulationOf, class Ranks>
Deviations check(SimulationOf& simulation, Ranks& ranks) {
    Deviations found;
    found.steps = simulation.steps();
    check_particles(simulation, ranks, found);
    check_charge(simulation, ranks, found);
    found.potential = potential_deviation(simulation, ranks);
    found.push = push_deviation(simulation, ranks);
    found.motion = motion_deviation(simulation, ranks);
    return found;
}

// What the problem alone decides.
struct Results {
    double field_energy = 0;
    double mean_square_radius = 0;
};

template <class SimulationOf, class Ranks>
Results results_of(SimulationOf& simulation, Ranks& ranks) {
    const auto energy = sum_of_points<1>(
        simulation, [&](std::array<double, 1>& sums, const Point& point, double charge) {
            sums[0] += 0.5 * charge * potential_at(simulation, point);
        });
    const Particles& particles = simulation.particles();
    const double center = simulation.problem().center();
    double squares = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : squares)
    for (std::int64_t i = 0; i < particles.count(); ++i) {
        const double x = particles[0][i] - center;
        const double y = particles[1][i] - center;
        const double z = particles[2][i] - center;
        squares += x * x + y * y + z * z;
    }
    std::array<double, 2> sums{energy[0], squares * simulation.problem().charge()};
    ranks.sum(sums);
    return {sums[0], sums[1]};
}

}  // namespace machmeter::proxies::beampic
