// The lowest states of H by Davidson's method in blocks (Davidson, J. Comp. Phys. 17, 1975): each
// iteration adds a preconditioned residual of every band, and one rank solves the small problem.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/session/phases.hpp"
#include "core/values/random_bits.hpp"
#include "proxies/pwdft/bands.hpp"
#include "proxies/pwdft/eigen.hpp"
#include "proxies/pwdft/hamiltonian.hpp"

namespace machmeter::proxies::pwdft {

// A test puts a faulty operator in the place of the Hamiltonian.
template <class Ranks, class Operator = Hamiltonian<Ranks>>
class States {
   public:
    States(Ranks& ranks, Phases& phases, const Sphere& sphere, std::size_t bands)
        : ranks_(ranks),
          phases_(phases),
          operator_(ranks, phases, sphere),
          states_(bands, operator_.share().waves),
          applied_(bands, operator_.share().waves),
          residuals_(bands, operator_.share().waves),
          applied_residuals_(bands, operator_.share().waves),
          mixed_(bands, operator_.share().waves),
          energies_(bands) {}

    // Random states, the same whatever the ranks, as the lowest that they can form.
    void reset() {
        operator_.share().each([&](std::size_t i, const Wave& wave) {
            const std::uint64_t number = operator_.sphere().number(wave);
            const double size = 1 / (1 + operator_.kinetic()[i] * operator_.kinetic()[i]);
            for (std::size_t band = 0; band < states_.count; ++band) {
                states_.re_of(band)[i] = size * (uniform(2 * band + 1, number) - 0.5);
                states_.im_of(band)[i] = size * (uniform(2 * band + 2, number) - 0.5);
            }
        });
        operator_.apply(states_, applied_);
        Matrix energy(states_.count, states_.count);
        Matrix overlap(states_.count, states_.count);
        add_overlaps(states_, applied_, energy, 0, 0);
        add_overlaps(states_, states_, overlap, 0, 0);
        const Lowest lowest = solve(energy, overlap);
        rotate_states(lowest.mix, false);
        first_sum_ = sum_of_energies();
        iterations_ = 0;
    }

    void run(int iterations) {
        for (int i = 0; i < iterations; ++i) {
            {
                const auto span = phases_.in(Phase::compute);
                find_residuals();
            }
            operator_.apply(residuals_, applied_residuals_);
            const std::size_t order = 2 * states_.count;
            Matrix energy(order, order);
            Matrix overlap(order, order);
            {
                const auto span = phases_.in(Phase::compute);
                set_matrix(states_, residuals_, overlap);
                set_matrix(applied_, applied_residuals_, energy);
            }
            const Lowest lowest = solve(energy, overlap);
            const auto span = phases_.in(Phase::compute);
            rotate_states(lowest.mix, true);
            ++iterations_;
        }
    }

    [[nodiscard]] Operator& hamiltonian() { return operator_; }
    [[nodiscard]] const Bands& states() const { return states_; }
    [[nodiscard]] const Bands& applied() const { return applied_; }
    [[nodiscard]] const std::vector<double>& energies() const { return energies_; }
    [[nodiscard]] double first_sum() const { return first_sum_; }
    [[nodiscard]] int iterations() const { return iterations_; }

    [[nodiscard]] double sum_of_energies() const {
        double sum = 0;
        for (const double energy : energies_) {
            sum += energy;
        }
        return sum;
    }

   private:
    // H psi - e psi over what the operator has about at a wave, above its lowest energy.
    void find_residuals() {
        constexpr double above = 0.5;
#pragma omp parallel for schedule(static)
        for (std::size_t band = 0; band < states_.count; ++band) {
            const double energy = energies_[band];
            for (std::size_t i = 0; i < states_.waves; ++i) {
                const double scale = 1 / (operator_.kinetic()[i] + above);
                residuals_.re_of(band)[i] =
                    scale * (applied_.re_of(band)[i] - energy * states_.re_of(band)[i]);
                residuals_.im_of(band)[i] =
                    scale * (applied_.im_of(band)[i] - energy * states_.im_of(band)[i]);
            }
        }
    }

    // Of the products of states and residuals with `top` and `bottom`, what H or 1 made of them.
    void set_matrix(const Bands& top, const Bands& bottom, Matrix& matrix) {
        const std::size_t count = states_.count;
        add_overlaps(states_, top, matrix, 0, 0);
        add_overlaps(states_, bottom, matrix, 0, count);
        add_overlaps(residuals_, bottom, matrix, count, count);
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < count; ++j) {
                const std::size_t from = matrix.at(i, count + j);
                const std::size_t to = matrix.at(count + j, i);
                matrix.re[to] = matrix.re[from];
                matrix.im[to] = -matrix.im[from];
            }
        }
    }

    // The small problem, on rank 0; the others wait. Throws std::runtime_error on all ranks.
    Lowest solve(Matrix& energy, Matrix& overlap) {
        {
            const auto span = phases_.in(Phase::collective);
            for (std::vector<double>* part : {&energy.re, &energy.im, &overlap.re, &overlap.im}) {
                ranks_.sum(*part);
            }
        }
        Lowest lowest{std::vector<double>(states_.count), Matrix(energy.rows, states_.count)};
        double failed = 0;
        if (ranks_.rank() == 0) {
            const auto span = phases_.in(Phase::compute);
            try {
                lowest = best_lowest(energy, overlap);
            } catch (const DependentError&) {
                failed = 1;
            } catch (const std::runtime_error&) {
                failed = 2;
            }
        }
        const auto span = phases_.in(Phase::collective);
        failed = ranks_.sum(failed);
        if (failed == 1) {
            throw DependentError();
        }
        if (failed == 2) {
            throw std::runtime_error("the eigenvalues of the small problem were not found");
        }
        for (std::vector<double>* part : {&lowest.energies, &lowest.mix.re, &lowest.mix.im}) {
            ranks_.sum(*part);
        }
        energies_ = lowest.energies;
        return lowest;
    }

    // Of states and residuals; of states alone where residuals are no longer independent of them,
    // since they have converged. Throws as `lowest_of`, where states are not independent either.
    Lowest best_lowest(const Matrix& energy, const Matrix& overlap) const {
        try {
            return scaled_lowest(energy, overlap);
        } catch (const DependentError&) {
            if (energy.rows == states_.count) {
                throw;
            }
        }
        Matrix energy_of_states(states_.count, states_.count);
        Matrix overlap_of_states(states_.count, states_.count);
        copy_corner(energy, energy_of_states);
        copy_corner(overlap, overlap_of_states);
        const Lowest of_states = scaled_lowest(energy_of_states, overlap_of_states);
        Lowest lowest{of_states.energies, Matrix(energy.rows, states_.count)};
        copy_corner(of_states.mix, lowest.mix);
        return lowest;
    }

    // As many rows and columns as both have.
    static void copy_corner(const Matrix& from, Matrix& to) {
        for (std::size_t i = 0; i < std::min(from.rows, to.rows); ++i) {
            for (std::size_t j = 0; j < std::min(from.columns, to.columns); ++j) {
                to.re[to.at(i, j)] = from.re[from.at(i, j)];
                to.im[to.at(i, j)] = from.im[from.at(i, j)];
            }
        }
    }

    // With every vector scaled to length 1 first: residuals become short.
    Lowest scaled_lowest(Matrix energy, Matrix overlap) const {
        std::vector<double> scale(overlap.rows);
        for (std::size_t i = 0; i < scale.size(); ++i) {
            const double square = overlap.re[overlap.at(i, i)];
            scale[i] = square > 0 ? 1 / std::sqrt(square) : 0;
        }
        for (Matrix* matrix : {&energy, &overlap}) {
            for (std::size_t i = 0; i < scale.size(); ++i) {
                for (std::size_t j = 0; j < scale.size(); ++j) {
                    matrix->re[matrix->at(i, j)] *= scale[i] * scale[j];
                    matrix->im[matrix->at(i, j)] *= scale[i] * scale[j];
                }
            }
        }
        Lowest lowest = lowest_of(energy, overlap, states_.count);
        for (std::size_t i = 0; i < scale.size(); ++i) {
            for (std::size_t k = 0; k < states_.count; ++k) {
                lowest.mix.re[lowest.mix.at(i, k)] *= scale[i];
                lowest.mix.im[lowest.mix.at(i, k)] *= scale[i];
            }
        }
        return lowest;
    }

    void rotate_states(const Matrix& mix, bool with_residuals) {
        clear(mixed_);
        add_mixed(states_, mix, 0, mixed_);
        if (with_residuals) {
            add_mixed(residuals_, mix, states_.count, mixed_);
        }
        std::swap(states_, mixed_);
        clear(mixed_);
        add_mixed(applied_, mix, 0, mixed_);
        if (with_residuals) {
            add_mixed(applied_residuals_, mix, states_.count, mixed_);
        }
        std::swap(applied_, mixed_);
    }

    Ranks& ranks_;
    Phases& phases_;
    Operator operator_;
    Bands states_;
    Bands applied_;
    Bands residuals_;
    Bands applied_residuals_;
    Bands mixed_;
    std::vector<double> energies_;
    double first_sum_ = 0;
    int iterations_ = 0;
};

}  // namespace machmeter::proxies::pwdft
