// What has to hold after the last step, by ways that the steps do not take.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "proxies/common/faults.hpp"
#include "proxies/common/of_all_ranks.hpp"
#include "proxies/fvcore/dynamics.hpp"
#include "proxies/fvcore/plain.hpp"

namespace machmeter::proxies::fvcore {

// Of all ranks.
struct Deviations {
    // Of air and of every tracer, from its mass at the start, relative.
    double mass = 0;
    // Of the tracer that is 1 everywhere.
    double constant = 0;
    // Beyond the bounds of the start, in their range: the scheme is monotone in each dimension,
    // not in both together.
    double overshoot = 0;
    // Of some rows after the last step from a plain program.
    double row = 0;
    // Near a pole a Courant number is a small difference over a small area.
    double rounding_of_row = 0;
    // Of the rows around a rank's from those of their owners.
    double halo = 0;
    // Of a row of columns after the last remap from a plain program, and of their masses.
    double columns = 0;
    std::int64_t missing_steps = 0;
    std::int64_t steps = 0;
    std::int64_t latitudes = 0;

    // Why the steps are wrong; empty where they are right.
    [[nodiscard]] std::string fault() const {
        // Rounding of single cells adds up.
        const auto number = static_cast<double>(steps);
        const double drift = 1e-12 + 1e-15 * number;
        // Next to a pole about 0.1 x latitudes cells cross an edge in a step.
        const double by_pole = 1e-16 * static_cast<double>(latitudes) * std::sqrt(number);
        return first_fault({
            {missing_steps == 0, std::to_string(missing_steps) + " steps were not taken"},
            {halo == 0, "rows around a rank's differ from their owners' by " + short_text(halo)},
            {row <= rounding_of_row,
             "the last step differs from a plain program by " + short_text(row)},
            {columns <= 1e-11,
             "the last remap of layers differs from a plain program by " + short_text(columns)},
            {mass <= drift, "mass is not conserved, but for " + short_text(mass) + " of it"},
            {constant <= drift + by_pole,
             "a constant mixing ratio changed by " + short_text(constant)},
            {overshoot <= 0.05, "mixing ratios exceed the bounds of the start by " +
                                    short_text(overshoot) + " of their range"},
        });
    }
};

// What start_of gives is within.
inline constexpr double lowest_start = 0.1;
inline constexpr double highest_start = 1.11;

// Calls `body(field, global row, state's row, row of its air)` for every row of this rank.
template <class DynamicsOf, class Body>
void for_rows_of(const DynamicsOf& dynamics, std::int64_t level, Body&& body) {
    const Block& block = dynamics.block();
    for (std::int64_t f = 0; f < block.fields; ++f) {
        for (std::int64_t j = 0; j < block.rows.count; ++j) {
            body(f, block.rows.first + j, dynamics.now().data() + block.at(level, f, j),
                 dynamics.now().data() + block.at(level, 0, j));
        }
    }
}

// Of one level of this rank: mass of each field now, then at the start.
template <class DynamicsOf>
std::vector<double> masses_of_level(const DynamicsOf& dynamics, std::int64_t level) {
    const Block& block = dynamics.block();
    const Sphere& sphere = dynamics.sphere();
    std::vector<double> masses(static_cast<std::size_t>(2 * block.fields), 0);
    for_rows_of(dynamics, level,
                [&](std::int64_t f, std::int64_t row, const double* values, const double* air) {
                    double now = 0;
                    double start = 0;
                    for (std::int64_t i = 0; i < block.longitudes; ++i) {
                        now += f == 0 ? air[i] : air[i] * values[i];
                        start += start_of(sphere, f, block.levels.first + level, row, i);
                    }
                    masses[static_cast<std::size_t>(f)] += now * sphere.area(row);
                    masses[static_cast<std::size_t>(block.fields + f)] += start * sphere.area(row);
                });
    return masses;
}

template <class DynamicsOf, class Ranks>
double mass_deviation(const DynamicsOf& dynamics, Ranks& ranks) {
    const Block& block = dynamics.block();
    std::vector<std::vector<double>> by_level(static_cast<std::size_t>(block.levels.count));
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < block.levels.count; ++k) {
        by_level[static_cast<std::size_t>(k)] = masses_of_level(dynamics, k);
    }
    const auto fields = static_cast<std::size_t>(block.fields);
    std::vector<double> masses(2 * fields, 0);
    for (const std::vector<double>& of_level : by_level) {
        for (std::size_t n = 0; n < masses.size(); ++n) {
            masses[n] += of_level[n];
        }
    }
    ranks.sum(masses);
    double worst = 0;
    for (std::size_t f = 0; f < fields; ++f) {
        raise(worst, std::abs(masses[f] / masses[fields + f] - 1));
    }
    return worst;
}

// Of tracers: from 1 of the first, and beyond the bounds of the start.
template <class DynamicsOf>
std::array<double, 2> ratio_deviations(const DynamicsOf& dynamics) {
    double constant = 0;
    double beyond = 0;
    for (std::int64_t k = 0; k < dynamics.block().levels.count; ++k) {
        for_rows_of(
            dynamics, k,
            [&](std::int64_t f, std::int64_t /*row*/, const double* values, const double* /*air*/) {
                for (std::int64_t i = 0; i < dynamics.block().longitudes; ++i) {
                    if (f == 1) {
                        raise(constant, std::abs(values[i] - 1));
                    } else if (f > 1) {
                        raise(beyond, lowest_start - values[i]);
                        raise(beyond, values[i] - highest_start);
                    }
                }
            });
    }
    return {constant, beyond / (highest_start - lowest_start)};
}

// The row beside each end and one between, of the first and the last level of this rank.
template <class DynamicsOf>
double row_deviation(const DynamicsOf& dynamics) {
    const Block& block = dynamics.block();
    double worst = 0;
    const std::int64_t to_last = std::max<std::int64_t>(1, block.levels.count - 1);
    for (std::int64_t level = 0; level < block.levels.count; level += to_last) {
        const Wind wind = dynamics.sphere().wind(dynamics.steps() - 1, block.levels.first + level);
        const PlainLevel plain(dynamics.sphere(), block,
                               dynamics.before().data() + block.at(level, 0, -halo_rows), wind);
        for (const std::int64_t row :
             {std::int64_t{1}, block.rows.count / 2, block.rows.count - 1}) {
            // The copies of a cap are one cell, which takes what crosses all longitudes.
            const bool is_cap = dynamics.sphere().is_cap(block.rows.first + row);
            std::vector<double> expected;
            // Some longitudes of it, for it takes a microsecond each.
            for (std::int64_t i = 0; i < block.longitudes; i += 1 + block.longitudes / 64) {
                if (i == 0 || !is_cap) {
                    expected = plain.after(row, i);
                }
                for (std::int64_t f = 0; f < block.fields; ++f) {
                    raise(worst, std::abs(dynamics.now().data()[block.at(level, f, row) + i] -
                                          expected[static_cast<std::size_t>(f)]));
                }
            }
        }
    }
    return worst;
}

// Of the halo of the last step.
template <class DynamicsOf>
double halo_deviation(DynamicsOf& dynamics) {
    const Block& block = dynamics.block();
    double* const values = dynamics.before().data();
    std::vector<double> had;
    had.reserve(static_cast<std::size_t>(2 * halo_rows * block.longitudes * block.fields *
                                         block.levels.count));
    const auto for_halo = [&](auto&& body) {
        for (std::int64_t n = 0; n < block.levels.count * block.fields; ++n) {
            for (const std::int64_t row : {-halo_rows, block.rows.count}) {
                double* const from = values + block.at(n / block.fields, n % block.fields, row);
                std::for_each(from, from + halo_rows * block.longitudes, body);
            }
        }
    };
    for_halo([&](double value) { had.push_back(value); });
    dynamics.halo().exchange(values);
    double worst = 0;
    std::size_t n = 0;
    for_halo([&](double value) { raise(worst, std::abs(value - had[n++])); });
    return worst;
}

// Of one column of the witness: of its mixing ratios and layers, and of its masses.
inline double column_deviation(const Witness& witness, const Block& block, std::int64_t i) {
    const auto column = [&](const std::vector<double>& row, std::int64_t f) {
        std::vector<double> values;
        for (std::int64_t k = 0; k < block.all_levels; ++k) {
            values.push_back(
                row[static_cast<std::size_t>((k * block.fields + f) * witness.columns + i)]);
        }
        return values;
    };
    const std::vector<double> old_air = column(witness.before, 0);
    const std::vector<double> air = column(witness.after, 0);
    double total = 0;
    for (const double mass : old_air) {
        total += mass;
    }
    double worst = 0;
    for (const double mass : air) {
        raise(worst, std::abs(mass * static_cast<double>(air.size()) / total - 1));
    }
    for (std::int64_t f = 1; f < block.fields; ++f) {
        const std::vector<double> old_ratio = column(witness.before, f);
        const std::vector<double> ratio = column(witness.after, f);
        const std::vector<double> expected = plain_remap(old_air, old_ratio);
        double gain = 0;
        for (std::size_t k = 0; k < air.size(); ++k) {
            raise(worst, std::abs(ratio[k] - expected[k]));
            gain += air[k] * ratio[k] - old_air[k] * old_ratio[k];
        }
        raise(worst, std::abs(gain / total));
    }
    return worst;
}

template <class DynamicsOf>
double columns_deviation(const DynamicsOf& dynamics) {
    const auto& witness = dynamics.witness();
    double worst = 0;
    for (std::int64_t i = 0; dynamics.remaps() > 0 && i < witness.columns; ++i) {
        raise(worst, column_deviation(witness, dynamics.block(), i));
    }
    return worst;
}

// Sum of air times the squares of all mixing ratios, which any error of a cell changes.
template <class DynamicsOf, class Ranks>
double square_of_ratios(const DynamicsOf& dynamics, Ranks& ranks) {
    double sum = 0;
    for (std::int64_t k = 0; k < dynamics.block().levels.count; ++k) {
        for_rows_of(dynamics, k,
                    [&](std::int64_t f, std::int64_t row, const double* values, const double* air) {
                        double of_row = 0;
                        for (std::int64_t i = 0; f > 0 && i < dynamics.block().longitudes; ++i) {
                            of_row += air[i] * values[i] * values[i];
                        }
                        sum += of_row * dynamics.sphere().area(row);
                    });
    }
    return ranks.sum(sum);
}

// Every rank calls this after the last of `steps` steps.
template <class DynamicsOf, class Ranks>
Deviations check(DynamicsOf& dynamics, Ranks& ranks, std::int64_t steps) {
    Deviations found;
    found.steps = steps;
    found.latitudes = dynamics.sphere().latitudes();
    found.missing_steps = steps - dynamics.steps();
    found.halo = largest_of(ranks, halo_deviation(dynamics));
    const auto latitudes = static_cast<double>(found.latitudes);
    found.rounding_of_row = 1e-12 + 2e-16 * latitudes * latitudes;
    found.row = largest_of(ranks, row_deviation(dynamics));
    found.columns = largest_of(ranks, columns_deviation(dynamics));
    found.mass = mass_deviation(dynamics, ranks);
    const std::array<double, 2> ratios = ratio_deviations(dynamics);
    found.constant = largest_of(ranks, ratios[0]);
    found.overshoot = largest_of(ranks, ratios[1]);
    return found;
}

}  // namespace machmeter::proxies::fvcore
