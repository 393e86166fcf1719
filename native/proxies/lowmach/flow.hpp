// Steps of low-Mach-number flow, as MAESTRO takes them (Almgren, Bell, Rendleman and Zingale,
// ApJ 637, 2006): velocities are predicted by upwind differences and gravity, projected so that
// div(beta0 U) = 0, and carry the density. No clock here but for phases.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/session/phases.hpp"
#include "proxies/lowmach/kernels.hpp"
#include "proxies/lowmach/multigrid.hpp"
#include "proxies/lowmach/state.hpp"

namespace machmeter::proxies::lowmach {

// The solve's target: 1e-11, or more where rounding, which grows with the square of the edge,
// leaves more.
inline double target_of(const Problem& problem) {
    const double edge = static_cast<double>(problem.edge) / 256;
    return 1e-11 * std::max(1.0, edge * edge);
}
inline constexpr int most_cycles = 60;

template <class Ranks, class KernelsOf = Kernels>
class Flow {
   public:
    Flow(Ranks& ranks, Phases& phases, const Problem& problem)
        : phases_(phases),
          curve_{problem.edge / problem.box, ranks.size()},
          sides_(ranks, phases, curve_, Reach::sides, problem.box, 3),
          all_(ranks, phases, curve_, Reach::all, problem.box, 3),
          state_(problem, curve_, ranks.rank()),
          multigrid_(ranks, phases, sides_, state_.boxes, kernels_) {}

    void reset() {
        set_start(state_);
        // So that no connection is made in the timed part.
        fill_around();
        steps_ = 0;
        cycles_ = 0;
        multigrid_.bottom().clear_iterations();
    }

    void run(int steps) {
        for (int step = 0; step < steps; ++step) {
            std::swap(state_.previous, state_.velocity);
            std::swap(state_.previous_density, state_.density);
            compute([&] { kernels_.predict(state_); });
            fill_faces(sides_, state_.predicted);
            project();
            fill_faces(all_, state_.velocity);
            compute([&] { kernels_.advect(state_); });
            sides_.fill(state_.boxes, state_.density);
            ++steps_;
        }
    }

    [[nodiscard]] const Curve& curve() const { return curve_; }
    [[nodiscard]] const State& state() const { return state_; }
    [[nodiscard]] const Field& phi() const { return multigrid_.finest().phi; }
    [[nodiscard]] int steps() const { return steps_; }
    [[nodiscard]] int cycles() const { return cycles_; }
    [[nodiscard]] double bottom_iterations() { return multigrid_.bottom().iterations(); }
    // For checks: which fill, and a field that holds nothing of the result.
    [[nodiscard]] Ghosts<Ranks>& sides() { return sides_; }
    [[nodiscard]] Ghosts<Ranks>& all() { return all_; }
    [[nodiscard]] const Field& spare() const { return multigrid_.finest().right; }

   private:
    template <class Work>
    void compute(Work&& work) {
        const auto span = phases_.in(Phase::compute);
        work();
    }

    void project() {
        Level& finest = multigrid_.finest();
        compute([&] {
            set_coefficients(state_, finest);
            set_right(state_, finest);
        });
        multigrid_.coarsen_coefficients();
        cycles_ += multigrid_.solve(target_of(state_.problem), most_cycles).cycles;
        compute([&] { kernels_.correct(state_, finest); });
    }

    void fill_around() {
        fill_faces(all_, state_.velocity);
        sides_.fill(state_.boxes, state_.density);
    }

    void fill_faces(Ghosts<Ranks>& ghosts, const Faces& faces) {
        const std::array<double*, 3> fields{faces[0].data(), faces[1].data(), faces[2].data()};
        ghosts.fill(state_.boxes, fields);
        const auto span = phases_.in(Phase::compute);
        close_top(state_, faces[2]);
    }

    Phases& phases_;
    Curve curve_;
    Ghosts<Ranks> sides_;
    Ghosts<Ranks> all_;
    State state_;
    KernelsOf kernels_;
    Multigrid<Ranks, KernelsOf> multigrid_;
    int steps_ = 0;
    int cycles_ = 0;
};

}  // namespace machmeter::proxies::lowmach
