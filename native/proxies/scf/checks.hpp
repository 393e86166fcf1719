// What has to hold after the iterations, by ways that they do not take.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/values/random_bits.hpp"
#include "proxies/common/faults.hpp"
#include "proxies/common/of_all_ranks.hpp"
#include "proxies/scf/solver.hpp"

namespace machmeter::proxies::scf {

// Of all ranks.
struct Deviations {
    // Whether each task of the last matrix was done once.
    bool tasks = false;
    // Of some elements of the Fock matrix from plain sums over all integrals, hartree, and what
    // those that are left out may have there.
    double plain = 0;
    double left_out = 0;
    // Of the electrons that the density holds, from all, relative.
    double electrons = 0;
    // Of D S D from D.
    double projector = 0;
    // Of the energy on a rank from that on rank 0, relative.
    double between_ranks = 0;
    // Whether the last energy is above that of the first projector, the second one.
    bool rises = true;

    // Why the result is wrong; empty where it is right.
    [[nodiscard]] std::string fault() const {
        constexpr double rounding = 1e-10;
        return first_fault({
            {tasks, "not every task was done once"},
            {plain <= rounding + left_out,
             "elements of the Fock matrix are not the sum over all integrals"},
            {electrons <= rounding, "the density does not hold all electrons"},
            {projector <= rounding, "the density is no projector"},
            {between_ranks <= rounding, "ranks found different energies"},
            {!rises, "the energy rose"},
        });
    }
};

// One element of 2 J - K, no integral left out and none used for another.
inline double plain_element(const std::vector<Position>& atoms, const Matrix& density,
                            std::size_t i, std::size_t j) {
    double sum = 0;
    const auto rows = static_cast<std::int64_t>(atoms.size());
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto k = static_cast<std::size_t>(row);
        for (std::size_t l = 0; l < atoms.size(); ++l) {
            sum += density(k, l) * (2 * repulsion(atoms[i], atoms[j], atoms[k], atoms[l]) -
                                    repulsion(atoms[i], atoms[k], atoms[j], atoms[l]));
        }
    }
    return sum;
}

// Of two elements that the rank chooses by its number, one of them on the diagonal.
template <class SolverOf>
double from_plain(const SolverOf& solver, int rank) {
    const std::vector<Position>& atoms = solver.atoms();
    constexpr std::uint64_t seed = 21;
    const auto chosen = [&](std::uint64_t number) {
        const double place = uniform(seed, 2 * static_cast<std::uint64_t>(rank) + number);
        return static_cast<std::size_t>(place * static_cast<double>(atoms.size()));
    };
    double worst = 0;
    const std::size_t i = chosen(0);
    for (const std::size_t j : {i, chosen(1)}) {
        const double expected =
            solver.hamiltonian().core(i, j) + plain_element(atoms, solver.built_from(), i, j);
        raise(worst, std::abs(solver.fock()(i, j) - expected));
    }
    return worst;
}

template <class SolverOf, class Ranks>
bool is_each_task_done(const SolverOf& solver, Ranks& ranks) {
    std::uint64_t expected = 0;
    for (std::size_t task = 0; task < solver.builder().pairs().size(); ++task) {
        expected += mark_of(task);
    }
    return sum_of_marks(ranks, solver.builder().marks()) == expected;
}

template <class SolverOf>
void check_density(const SolverOf& solver, Deviations& found) {
    const Matrix& density = solver.density();
    const Matrix& overlap = solver.hamiltonian().overlap;
    const auto pairs = static_cast<double>(solver.atoms().size() / 2);
    found.electrons = std::abs(trace_of_product(density, overlap) / pairs - 1);
    const Matrix again = product(density, product(overlap, density));
    for (std::size_t i = 0; i < again.values().size(); ++i) {
        raise(found.projector, std::abs(again.values()[i] - density.values()[i]));
    }
}

// Every rank calls this after the last iteration, of which there was one at least.
template <class SolverOf, class Ranks>
Deviations check(const SolverOf& solver, Ranks& ranks) {
    Deviations found;
    const std::vector<double>& energies = solver.energies();
    if (energies.empty()) {
        return found;
    }
    found.tasks = is_each_task_done(solver, ranks);
    found.plain = largest_of(ranks, from_plain(solver, ranks.rank()));
    check_density(solver, found);
    const double of_root = ranks.sum(ranks.rank() == 0 ? energies.back() : 0);
    found.between_ranks = largest_of(ranks, std::abs(energies.back() / of_root - 1));
    // No integral is above its threshold that is left out, and the density has a few elements of
    // about 1 in a row.
    found.left_out = threshold * static_cast<double>(solver.atoms().size());
    constexpr double rounding = 1e-9;
    found.rises =
        energies.size() > 2 && !(energies.back() - energies[1] <= rounding * std::abs(of_root));
    return found;
}

}  // namespace machmeter::proxies::scf
