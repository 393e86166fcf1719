// The liquid on one rank, by velocity Verlet (Swope et al., J. Chem. Phys. 76, 1982). No clock
// here but for phases.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/session/phases.hpp"
#include "proxies/common/bricks.hpp"
#include "proxies/ljmd/atoms.hpp"
#include "proxies/ljmd/forces.hpp"
#include "proxies/ljmd/images.hpp"
#include "proxies/ljmd/lattice.hpp"
#include "proxies/ljmd/pairs.hpp"

namespace machmeter::proxies::ljmd {

// Of all atoms.
struct Energies {
    double potential = 0;
    double kinetic = 0;

    [[nodiscard]] double total() const { return potential + kinetic; }
};

template <class Ranks, class Kernel = PairForces>
class Liquid {
   public:
    Liquid(Ranks& ranks, Phases& phases, const Lattice& lattice, bool shifted)
        : ranks_(ranks),
          phases_(phases),
          lattice_(lattice),
          shift_(shifted ? energy_at_cutoff() : 0),
          brick_(ranks.rank(), brick_counts(ranks.size(), lattice.box()), lattice.box()),
          images_(ranks, brick_),
          grid_(brick_) {}

    // All atoms on the lattice, with their first forces.
    void reset() {
        atoms_ = {};
        lattice_.in_brick(brick_, [&](std::uint64_t number, const Vector& at) {
            atoms_.position.push_back(Lanes{at[0], at[1], at[2], static_cast<double>(number)});
        });
        atoms_.own = atoms_.position.size();
        draw_velocities();
        atoms_.force.resize(atoms_.own);
        steps_ = 0;
        pairs_evaluated_ = 0;
        renew_list();
        compute<true>();
        energies_ = sum_energies();
    }

    // So many time steps; the energies are those of the last one.
    void run(int steps) {
        for (int step = 1; step <= steps; ++step) {
            kick_and_drift();
            if (step % steps_per_list == 0) {
                renew_list();
            } else {
                const auto span = phases_.in(Phase::halo);
                images_.update(atoms_);
            }
            step == steps ? compute<true>() : compute<false>();
            kick();
            ++steps_;
        }
        energies_ = sum_energies();
    }

    [[nodiscard]] const Energies& energies() const { return energies_; }
    [[nodiscard]] const Brick& brick() const { return brick_; }
    [[nodiscard]] const Lattice& lattice() const { return lattice_; }
    [[nodiscard]] Atoms& atoms() { return atoms_; }
    [[nodiscard]] Images<Ranks>& images() { return images_; }
    [[nodiscard]] double shift() const { return shift_; }
    [[nodiscard]] int steps() const { return steps_; }

    // Pairs whose force this rank computed since the reset, each from both of its atoms.
    [[nodiscard]] double pairs_evaluated() const { return pairs_evaluated_; }

    // The forces at the present positions from a list of their own: that of a run may miss pairs.
    void refresh() {
        renew_list();
        compute<true>();
    }

    // The energy at the present positions with each pair shifted to 0 at the cutoff: that which the
    // motion conserves, since the forces are the same.
    [[nodiscard]] double conserved_energy() {
        const double asked = shift_;
        shift_ = energy_at_cutoff();
        compute<true>();
        const double total = sum_energies().total();
        shift_ = asked;
        return total;
    }

   private:
    // Mean 0, and the temperature exactly that of the benchmark.
    void draw_velocities() {
        atoms_.velocity.resize(atoms_.own);
        std::array<double, 4> sums{};
        for (std::size_t i = 0; i < atoms_.own; ++i) {
            const Vector v = raw_velocity(atoms_.number(i));
            atoms_.velocity[i] = Lanes{v[0], v[1], v[2], 0};
            for (std::size_t d = 0; d < 3; ++d) {
                sums[d] += v[d];
                sums[3] += v[d] * v[d];
            }
        }
        ranks_.sum(sums);
        const VelocityScale scale(sums, static_cast<double>(lattice_.atoms()), temperature);
        const Lanes mean{scale.mean[0], scale.mean[1], scale.mean[2], 0};
        for (Lanes& velocity : atoms_.velocity) {
            velocity = (velocity - mean) * scale.factor;
        }
    }

    void kick_and_drift() {
        const auto span = phases_.in(Phase::compute);
        const auto own = static_cast<std::ptrdiff_t>(atoms_.own);
        const Lanes half = in_all_lanes(time_step / 2);
        // The fourth components are a number, which stays, and an energy, which is no force.
        const Lanes whole{time_step, time_step, time_step, 0};
#pragma omp parallel for schedule(static)
        for (std::ptrdiff_t i = 0; i < own; ++i) {
            const auto at = static_cast<std::size_t>(i);
            atoms_.velocity[at] += half * atoms_.force[at];
            atoms_.position[at] += whole * atoms_.velocity[at];
        }
    }

    void kick() {
        const auto span = phases_.in(Phase::compute);
        const auto own = static_cast<std::ptrdiff_t>(atoms_.own);
        const Lanes half = in_all_lanes(time_step / 2);
#pragma omp parallel for schedule(static)
        for (std::ptrdiff_t i = 0; i < own; ++i) {
            const auto at = static_cast<std::size_t>(i);
            atoms_.velocity[at] += half * atoms_.force[at];
        }
    }

    void renew_list() {
        {
            const auto span = phases_.in(Phase::halo);
            images_.migrate(atoms_);
        }
        {
            const auto span = phases_.in(Phase::compute);
            sort_own();
        }
        {
            const auto span = phases_.in(Phase::halo);
            images_.choose(atoms_);
        }
        const auto span = phases_.in(Phase::compute);
        constexpr double far_away = 1e15;
        const auto far = static_cast<std::uint32_t>(atoms_.position.size());
        atoms_.position.push_back(in_all_lanes(far_away));
        grid_.sort(atoms_.position);
        list_.build(grid_, atoms_, far);
    }

    // Neighbors in space become neighbors in memory.
    void sort_own() {
        grid_.sort(atoms_.position);
        const std::vector<std::uint32_t>& order = grid_.order();
        sorted_.position.resize(atoms_.own);
        sorted_.velocity.resize(atoms_.own);
#pragma omp parallel for schedule(static)
        for (std::size_t k = 0; k < order.size(); ++k) {
            sorted_.position[k] = atoms_.position[order[k]];
            sorted_.velocity[k] = atoms_.velocity[order[k]];
        }
        atoms_.position.swap(sorted_.position);
        atoms_.velocity.swap(sorted_.velocity);
    }

    template <bool with_energy>
    void compute() {
        const auto span = phases_.in(Phase::compute);
        kernel_.template compute<with_energy>(list_, atoms_, shift_);
        pairs_evaluated_ += static_cast<double>(list_.pairs());
    }

    // Potential and kinetic energy of this rank, in blocks: as many equal numbers one after the
    // other would all round the same way.
    [[nodiscard]] std::array<double, 2> own_sums() const {
        constexpr std::ptrdiff_t block = 1024;
        const auto own = static_cast<std::ptrdiff_t>(atoms_.own);
        double potential = 0;
        double kinetic = 0;
#pragma omp parallel for schedule(static) reduction(+ : potential, kinetic)
        for (std::ptrdiff_t begin = 0; begin < own; begin += block) {
            double of_potential = 0;
            double of_kinetic = 0;
            for (std::ptrdiff_t i = begin; i < std::min(own, begin + block); ++i) {
                const auto at = static_cast<std::size_t>(i);
                const Lanes v = atoms_.velocity[at];
                of_potential += atoms_.force[at][3];
                of_kinetic += 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
            }
            potential += of_potential;
            kinetic += of_kinetic;
        }
        return {potential, kinetic};
    }

    Energies sum_energies() {
        std::array<double, 2> sums = own_sums();
        const auto span = phases_.in(Phase::collective);
        ranks_.sum(sums);
        return {sums[0], sums[1]};
    }

    Ranks& ranks_;
    Phases& phases_;
    Lattice lattice_;
    double shift_;
    Brick brick_;
    Images<Ranks> images_;
    CellGrid grid_;
    PairList list_;
    Atoms atoms_;
    Atoms sorted_;
    Kernel kernel_;
    Energies energies_;
    int steps_ = 0;
    double pairs_evaluated_ = 0;
};

}  // namespace machmeter::proxies::ljmd
