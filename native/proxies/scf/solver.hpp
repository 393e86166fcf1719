// Restricted Hartree-Fock (Roothaan, Rev. Mod. Phys. 23, 1951), direct: integrals are computed
// again in every iteration (Almlof, Faegri and Korsell, J. Comput. Chem. 3, 1982). No clock here
// but for phases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/session/phases.hpp"
#include "proxies/scf/builder.hpp"
#include "proxies/scf/hamiltonian.hpp"
#include "proxies/scf/matrices.hpp"
#include "proxies/scf/molecules.hpp"

namespace machmeter::proxies::scf {

template <class Ranks, TaskCounter Counter, class Kernel = Repulsion>
class Solver {
   public:
    Solver(Ranks& ranks, Phases& phases, Counter& counter, std::size_t molecules)
        : ranks_(ranks),
          phases_(phases),
          atoms_(atoms_of(molecules)),
          hamiltonian_(atoms_),
          to_orthogonal_(inverse_root(hamiltonian_.overlap)),
          nuclei_(nuclear_repulsion(atoms_)),
          builder_(ranks, phases, counter, atoms_),
          density_(atoms_.size()),
          built_from_(atoms_.size()),
          fock_(atoms_.size()) {}

    // The start: the bonds of separate molecules.
    void reset() {
        density_ = Matrix(atoms_.size());
        for (std::size_t i = 0; i < atoms_.size(); i += 2) {
            const double share = 1 / (2 * (1 + hamiltonian_.overlap(i, i + 1)));
            density_(i, i) = density_(i + 1, i + 1) = share;
            density_(i, i + 1) = density_(i + 1, i) = share;
        }
        energies_.clear();
        quartets_ = 0;
        // So that no connection is made in the timed part, for a sum of this size.
        ranks_.sum(fock_.values());
    }

    void run(int iterations) {
        for (int i = 0; i < iterations; ++i) {
            builder_.build(density_, fock_);
            quartets_ += builder_.quartets();
            const auto span = phases_.in(Phase::compute);
            built_from_ = density_;
            for (std::size_t k = 0; k < fock_.values().size(); ++k) {
                fock_.values()[k] += hamiltonian_.core.values()[k];
            }
            energies_.push_back(nuclei_ + trace_of_product(density_, hamiltonian_.core) +
                                trace_of_product(density_, fock_));
            density_ = density_of(fock_);
        }
    }

    [[nodiscard]] const std::vector<Position>& atoms() const { return atoms_; }
    [[nodiscard]] const Hamiltonian& hamiltonian() const { return hamiltonian_; }
    [[nodiscard]] const Builder<Ranks, Counter, Kernel>& builder() const { return builder_; }
    [[nodiscard]] const Matrix& density() const { return density_; }
    // The last Fock matrix, and the density that it is of.
    [[nodiscard]] const Matrix& fock() const { return fock_; }
    [[nodiscard]] const Matrix& built_from() const { return built_from_; }
    // Of the density at the beginning of each iteration, hartree.
    [[nodiscard]] const std::vector<double>& energies() const { return energies_; }
    // That this rank computed in all iterations.
    [[nodiscard]] double quartets() const { return quartets_; }

   private:
    [[nodiscard]] Matrix density_of(const Matrix& fock) const {
        const Matrix orthogonal = product(to_orthogonal_, product(fock, to_orthogonal_));
        const Matrix states = lowest_states(orthogonal, atoms_.size() / 2);
        return product(to_orthogonal_, product(states, to_orthogonal_));
    }

    Ranks& ranks_;
    Phases& phases_;
    std::vector<Position> atoms_;
    Hamiltonian hamiltonian_;
    Matrix to_orthogonal_;
    double nuclei_;
    Builder<Ranks, Counter, Kernel> builder_;
    Matrix density_;
    Matrix built_from_;
    Matrix fock_;
    std::vector<double> energies_;
    double quartets_ = 0;
};

}  // namespace machmeter::proxies::scf
