// What has to hold after a solve, by ways that the solve does not take.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "proxies/common/faults.hpp"
#include "proxies/common/of_all_ranks.hpp"
#include "proxies/lqcd/solver.hpp"

namespace machmeter::proxies::lqcd {

// Of all ranks, relative.
struct Deviations {
    // Of D at some sites from the sum over its links one after the other.
    double plain = 0;
    // Of what is beyond the block from what is there in the lattice.
    double beyond = 0;
    // Of (u, A v) from (A u, v).
    double symmetry = 0;
    // Of the residual that the solve has from right side - A found.
    double residual = 0;
    // x A x / 2 - b x over b b: below 0, its start, after every iteration.
    double form = 0;
    // The residual over the first one.
    double reduction = 0;

    // Why the solve is wrong; empty where it is right.
    [[nodiscard]] std::string fault() const {
        constexpr double rounding = 1e-11;
        return first_fault({
            {beyond <= rounding, "sites of neighbors are not what they are in the lattice"},
            {plain <= rounding, "the Dirac operator is not the sum over its links"},
            {symmetry <= rounding, "the matrix is not Hermitian"},
            {residual <= rounding, "the residual is not that of the solution"},
            {form < 0, "the solution is no nearer than at the start"},
        });
    }
};

// A field by position, on every rank layout the same.
inline Color test_color(const Gauge& gauge, std::uint64_t seed, const Site& site) {
    return random_color(seed, gauge.number(site));
}

template <class SolverOf>
void fill(const SolverOf& solver, const Field& field, int parity, std::uint64_t seed) {
    const Block& block = solver.block();
    for_rows(block, [&](std::int64_t row) {
        for (std::int64_t i = 0; i < block.half(); ++i) {
            field.set(row, i, test_color(solver.gauge(), seed, block.site(parity, row, i)));
        }
        field.wrap(block, row);
    });
}

inline double largest_part(const Color& a, const Color& b) {
    double largest = 0;
    for (std::size_t i = 0; i < colors; ++i) {
        raise(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

// What an even field by position has beyond the block, along every dimension in turn.
template <class SolverOf>
double beyond(const SolverOf& solver, const Field& field, std::uint64_t seed) {
    const Block& block = solver.block();
    const Gauge& gauge = solver.gauge();
    double worst = 0;
    const auto compare = [&](const Site& site, std::int64_t row, std::int64_t i) {
        raise(worst, largest_part(field.get(row, i), test_color(gauge, seed, site)));
    };
    for (std::int64_t row = 0; row < block.rows(); ++row) {
        for (std::int64_t i = 0; i < margin; ++i) {
            compare(gauge.moved(block.site(even, row, i), 0, block.count[0]), row,
                    block.half() + i);
            const std::int64_t last = block.half() - margin + i;
            compare(gauge.moved(block.site(even, row, last), 0, -block.count[0]), row, i - margin);
        }
        for (std::size_t d = 1; d < dimensions; ++d) {
            for (std::size_t which = 0; which < RowMap::steps.size(); ++which) {
                const std::int64_t steps = RowMap::steps[which];
                // Rows an odd number of steps away begin with the other of two places.
                const Site site = gauge.moved(block.site(odd, row, 0), d, steps);
                compare(site, solver.map().next(row, d, which), 0);
            }
        }
    }
    return worst;
}

// About so many sites of a rank are compared.
inline constexpr std::int64_t compared_sites = 1000;

// Of what D gives at sites of a parity of the field by position, from the plain sum.
template <class SolverOf>
double from_plain(const SolverOf& solver, const Field& given, int parity, std::uint64_t seed) {
    const Block& block = solver.block();
    const Gauge& gauge = solver.gauge();
    // Odd, so that rows are met at every place.
    const std::int64_t stride = block.sites() / compared_sites | 1;
    double worst = 0;
    for (std::int64_t number = 0; number < block.sites(); number += stride) {
        const std::int64_t row = number / block.half();
        const std::int64_t i = number % block.half();
        const Color expected = gauge.dirac(block.site(parity, row, i), [&](const Site& site) {
            return test_color(gauge, seed, site);
        });
        raise(worst, largest_part(given.get(row, i), expected));
    }
    return worst;
}

// The real part of (by position, field) over the even sites of this rank.
template <class SolverOf>
double with_test_field(const SolverOf& solver, const Field& field, std::uint64_t seed) {
    const Block& block = solver.block();
    return sum_rows(block, [&](std::int64_t row) {
        double sum = 0;
        for (std::int64_t i = 0; i < block.half(); ++i) {
            const Color color = test_color(solver.gauge(), seed, block.site(even, row, i));
            sum += scalar_product(color, field.get(row, i)).real();
        }
        return sum;
    });
}

// Two products with fields by position: they agree, and with the plain sum.
template <class SolverOf, class Ranks>
void check_matrix(SolverOf& solver, Ranks& ranks, Deviations& found) {
    constexpr std::array<std::uint64_t, 2> seeds{11, 12};
    const Field& field = solver.search();
    std::array<double, 2> crossed{};
    double scale = 0;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        fill(solver, field, even, seeds[i]);
        scale += solver.apply(field, solver.between(), solver.product());
        raise(found.beyond, beyond(solver, field, seeds[i]));
        raise(found.plain, from_plain(solver, solver.between(), odd, seeds[i]));
        crossed[i] = with_test_field(solver, solver.product(), seeds[1 - i]);
    }
    fill(solver, solver.between(), odd, seeds[0]);
    solver.dirac(even, solver.between(), solver.product());
    raise(found.plain, from_plain(solver, solver.product(), even, seeds[0]));
    ranks.sum(crossed);
    found.symmetry = std::abs(crossed[0] - crossed[1]) / scale;
    found.plain = largest_of(ranks, found.plain);
    found.beyond = largest_of(ranks, found.beyond);
}

// The residual by its definition, all sites; and the quadratic form that the solve makes smaller.
template <class SolverOf, class Ranks>
void check_solution(SolverOf& solver, Ranks& ranks, Deviations& found) {
    const Block& block = solver.block();
    const Field& field = solver.search();
    for_rows(block, [&](std::int64_t row) {
        for (std::int64_t i = 0; i < block.half(); ++i) {
            field.set(row, i, solver.found().get(row, i));
        }
        field.wrap(block, row);
    });
    const double curvature = solver.apply(field, solver.between(), solver.product());
    std::array<double, 2> sums{};
    for (std::int64_t row = 0; row < block.rows(); ++row) {
        for (std::int64_t i = 0; i < block.half(); ++i) {
            const Color right = solver.gauge().source(block.site(even, row, i));
            const Color product = solver.product().get(row, i);
            const Color residual = solver.residual().get(row, i);
            for (std::size_t c = 0; c < colors; ++c) {
                sums[0] += std::norm(right[c] - product[c] - residual[c]);
            }
            sums[1] += scalar_product(right, solver.found().get(row, i)).real();
        }
    }
    ranks.sum(sums);
    const double square = solver.first_norm() * solver.first_norm();
    found.residual = std::sqrt(sums[0]) / solver.first_norm();
    found.form = (curvature / 2 - sums[1]) / square;
    found.reduction = solver.reduction();
}

// Every rank calls this after the last iteration. What the solve works on is overwritten but for
// the solution and its residual.
template <class SolverOf, class Ranks>
Deviations check(SolverOf& solver, Ranks& ranks) {
    Deviations found;
    check_solution(solver, ranks, found);
    check_matrix(solver, ranks, found);
    return found;
}

}  // namespace machmeter::proxies::lqcd
