// The energy of a molecule in water and its forces, in three passes over pairs: radii; energy and
// its slope by distances and radii; what the radii change by distances.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codes/born/adding.hpp"
#include "codes/born/equations.hpp"
#include "codes/born/molecule.hpp"

namespace machmeter::born {

class Solvation {
   public:
    Solvation(const Molecule& molecule, const Neighbors& neighbors, Adding adding, int threads)
        : molecule_(molecule),
          neighbors_(neighbors),
          threads_(threads),
          screened_(molecule.count(), adding, threads),
          direct_(molecule.count(), adding, threads),
          chained_(molecule.count(), adding, threads),
          radii_(molecule.count()),
          weights_(molecule.count()),
          forces_(molecule.count()) {}

    void evaluate() {
        find_radii();
        energy_ = add_energies() + weigh_radii();
        add_chain();
    }

    [[nodiscard]] double energy() const { return energy_; }
    [[nodiscard]] double radius(std::size_t atom) const { return radii_[atom]; }
    // Three components; the fourth is nothing.
    [[nodiscard]] const std::vector<Lanes>& forces() const { return forces_; }
    [[nodiscard]] std::vector<Lanes>& forces() { return forces_; }
    [[nodiscard]] double data_bytes() const {
        const auto count = static_cast<double>(molecule_.count());
        return screened_.data_bytes() + direct_.data_bytes() + chained_.data_bytes() +
               count * (2 * sizeof(Lanes) + 4 * sizeof(double) + 2 * sizeof(std::size_t)) +
               static_cast<double>(neighbors_.atoms.size() * sizeof(std::uint32_t));
    }

   private:
    void find_radii() {
        screened_.add_up(neighbors_, [this](std::size_t i, std::size_t j, double&) {
            const double r = std::sqrt(square_between(molecule_.atoms[i], molecule_.atoms[j]));
            return Parts<double>{descreening(r, molecule_.radius[i], molecule_.screen[j]).value,
                                 descreening(r, molecule_.radius[j], molecule_.screen[i]).value};
        });
#pragma omp parallel for num_threads(threads_) schedule(static)
        for (std::size_t i = 0; i < molecule_.count(); ++i) {
            radii_[i] = 1 / (1 / molecule_.radius[i] - screened_.of(i) / 2);
        }
    }

    // The fourth components are the slopes of the energy by radii.
    double add_energies() {
        return direct_.add_up(neighbors_, [this](std::size_t i, std::size_t j, double& energy) {
            const Lanes apart = molecule_.atoms[i] - molecule_.atoms[j];
            const double charges = molecule_.atoms[i][3] * molecule_.atoms[j][3];
            const PairEnergy pair =
                pair_energy(square_between(molecule_.atoms[i], molecule_.atoms[j]), charges,
                            radii_[i], radii_[j]);
            energy += pair.value;
            Lanes force = -pair.slope * apart;
            Lanes opposite = -force;
            force[3] = pair.by_first_radius;
            opposite[3] = pair.by_second_radius;
            return Parts<Lanes>{force, opposite};
        });
    }

    // The energy of each atom with itself. Weights: the slope of the energy by what an atom is
    // screened, since 1/R is 1/radius less half of that.
    double weigh_radii() {
        double energy = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(+ : energy)
        for (std::size_t i = 0; i < molecule_.count(); ++i) {
            const double charge = molecule_.atoms[i][3];
            const double own = -water * charge * charge / (2 * radii_[i]);
            energy += own;
            weights_[i] = (direct_.of(i)[3] - own / radii_[i]) * radii_[i] * radii_[i] / 2;
        }
        return energy;
    }

    void add_chain() {
        chained_.add_up(neighbors_, [this](std::size_t i, std::size_t j, double&) {
            const Lanes apart = molecule_.atoms[i] - molecule_.atoms[j];
            const double r = std::sqrt(square_between(molecule_.atoms[i], molecule_.atoms[j]));
            const double slope =
                weights_[i] * descreening(r, molecule_.radius[i], molecule_.screen[j]).slope +
                weights_[j] * descreening(r, molecule_.radius[j], molecule_.screen[i]).slope;
            const Lanes force = -slope / r * apart;
            return Parts<Lanes>{force, -force};
        });
#pragma omp parallel for num_threads(threads_) schedule(static)
        for (std::size_t i = 0; i < molecule_.count(); ++i) {
            forces_[i] = direct_.of(i) + chained_.of(i);
        }
    }

    const Molecule& molecule_;
    const Neighbors& neighbors_;
    int threads_;
    Sums<double> screened_;
    Sums<Lanes> direct_;
    Sums<Lanes> chained_;
    std::vector<double> radii_;
    std::vector<double> weights_;
    std::vector<Lanes> forces_;
    double energy_ = 0;
};

}  // namespace machmeter::born
