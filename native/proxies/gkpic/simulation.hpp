// Gyrokinetic particles in a tokamak on one rank, in the order of GTC (Lin et al., Science 281,
// 1998). No clock here but for phases.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/session/phases.hpp"
#include "proxies/gkpic/charge.hpp"
#include "proxies/gkpic/deposit.hpp"
#include "proxies/gkpic/field.hpp"
#include "proxies/gkpic/geometry.hpp"
#include "proxies/gkpic/particles.hpp"
#include "proxies/gkpic/problem.hpp"
#include "proxies/gkpic/push.hpp"
#include "proxies/gkpic/shift.hpp"
#include "proxies/gkpic/stencil.hpp"

namespace machmeter::proxies::gkpic {

// What the threads do.
struct Kernel {
    void deposit(const Deposits& deposits, const Mesh& mesh, const Particles& particles) const {
        deposits.add(mesh, particles);
    }
    void solve(Field& field, const Charge& charge) const { field.solve(charge); }
    template <Substep substep>
    void push(const Push& push) const {
        push_all<substep>(push);
    }
};

// Some particles before and after the last push of a run, for its check, and the weight of all
// before it.
struct Sampled {
    double weight = 0;
    std::vector<Particles::Values> before;
    std::vector<Particles::Values> after;
};

template <class Ranks, class Work = Kernel>
class Simulation {
   public:
    Simulation(Ranks& ranks, Phases& phases, const Problem& problem)
        : ranks_(ranks),
          phases_(phases),
          loading_{problem.per_cell},
          grid_(problem.planes, problem.surfaces, problem.points),
          domain_(grid_.planes, ranks.rank(), ranks.size()),
          mesh_(grid_, domain_),
          deposits_(grid_, domain_),
          charge_(grid_, domain_),
          field_(grid_, domain_, problem.particles()),
          shift_(ranks, grid_, domain_) {}

    // All particles where they start; memory touched and connections made, so that neither is in
    // the timed part.
    void reset() {
        loading_.fill(grid_, domain_, particles_);
        steps_ = 0;
        sampled_ = {};
        compute_charge();
        compute_field();
        shift_.reserve(particles_);
        shift_.shift(particles_);
    }

    void run(int steps) {
        for (int step = 1; step <= steps; ++step) {
            advance<Substep::half>(false);
            advance<Substep::whole>(step == steps);
            ++steps_;
        }
    }

    [[nodiscard]] const Grid& grid() const { return grid_; }
    [[nodiscard]] const Domain& domain() const { return domain_; }
    [[nodiscard]] const Mesh& mesh() const { return mesh_; }
    [[nodiscard]] const Loading& loading() const { return loading_; }
    [[nodiscard]] Particles& particles() { return particles_; }
    [[nodiscard]] const Particles& particles() const { return particles_; }
    [[nodiscard]] const Charge& charge() const { return charge_; }
    [[nodiscard]] Field& field() { return field_; }
    [[nodiscard]] const Field& field() const { return field_; }
    [[nodiscard]] const Shift<Ranks>& shift() const { return shift_; }
    [[nodiscard]] const Sampled& sampled() const { return sampled_; }
    [[nodiscard]] int steps() const { return steps_; }
    void compute_charge() {
        {
            const auto span = phases_.in(Phase::compute);
            work_.deposit(deposits_, mesh_, particles_);
        }
        charge_.complete(ranks_, phases_, deposits_);
    }

   private:
    void compute_field() {
        {
            const auto span = phases_.in(Phase::compute);
            work_.solve(field_, charge_);
        }
        {
            const auto span = phases_.in(Phase::halo);
            field_.share_plane(ranks_);
        }
        const auto span = phases_.in(Phase::compute);
        field_.differentiate();
    }

    template <Substep substep>
    void advance(bool is_last) {
        compute_charge();
        compute_field();
        {
            const auto span = phases_.in(Phase::compute);
            if (is_last) {
                sample(sampled_.before);
                sampled_.weight = particles_.sum([](double one) { return one; });
            }
            const double share = substep == Substep::half ? 0.5 : 1;
            work_.template push<substep>(
                Push{mesh_, particles_, field_.nodes(), share * grid_.time_step()});
            if (is_last) {
                sample(sampled_.after);
            }
        }
        const auto span = phases_.in(Phase::halo);
        shift_.shift(particles_);
    }

    void sample(std::vector<Particles::Values>& into) const {
        constexpr std::int64_t most = 64;
        into.clear();
        for (std::int64_t i = 0; i < std::min(most, particles_.count()); ++i) {
            into.push_back(particles_.at(particles_.count() / most * i +
                                         particles_.count() % most * i / most));
        }
    }

    Ranks& ranks_;
    Phases& phases_;
    Loading loading_;
    Grid grid_;
    Domain domain_;
    Mesh mesh_;
    Deposits deposits_;
    Charge charge_;
    Field field_;
    Shift<Ranks> shift_;
    Particles particles_;
    Sampled sampled_;
    Work work_;
    int steps_ = 0;
};

}  // namespace machmeter::proxies::gkpic
