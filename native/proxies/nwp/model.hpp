// A step of the model: three stages of Runge-Kutta for the flow, each with acoustic steps inside
// (Wicker and Skamarock, Mon. Wea. Rev. 130, 2002), and radiation at its end. No clock here but for
// phases.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/session/phases.hpp"
#include "proxies/common/ranks.hpp"
#include "proxies/nwp/acoustic.hpp"
#include "proxies/nwp/advection.hpp"
#include "proxies/nwp/atmosphere.hpp"
#include "proxies/nwp/exchange.hpp"
#include "proxies/nwp/patch.hpp"
#include "proxies/nwp/radiation.hpp"
#include "proxies/nwp/state.hpp"

namespace machmeter::proxies::nwp {

struct Problem {
    std::int64_t edge = 0;
    std::int64_t levels = 0;
    int more_by_day = 0;

    [[nodiscard]] double length() const { return static_cast<double>(edge) * spacing; }
};

// Of a step: one acoustic step of a third of it, half of the substeps, and all of them.
inline constexpr int stages = 3;
inline constexpr std::array<int, stages> substeps_of{1, substeps / 2, substeps};
inline constexpr std::array<double, stages> share_of{1.0 / 3, 1.0 / 2, 1};

struct Kernels {
    Advection advection;
    Acoustic acoustic;
    Radiation radiation;
};

template <class Ranks, class Parts = Kernels>
class Model {
   public:
    Model(Ranks& ranks, Phases& phases, const Problem& problem)
        : phases_(phases),
          problem_(problem),
          patch_(problem.edge, problem.levels, ranks.rank(), ranks.size()),
          air_(problem.levels, margin),
          neighbors_(ranks, patch_),
          state_(patch_),
          start_(patch_),
          slow_(patch_),
          diagnosed_(patch_),
          pressure_(patch_) {}

    // The bubble in air at rest.
    void reset() {
        for_slabs(-halo, patch_.count[1] + halo, [&](std::int64_t j) {
            const std::int64_t begin = patch_.at(-halo, -margin, j);
            for (std::int64_t n = begin; n < begin + patch_.slab(); ++n) {
                for (std::size_t v = 0; v < variables; ++v) {
                    state_[v][n] = 0;
                }
            }
        });
        for_slabs(0, patch_.count[1], [&](std::int64_t j) {
            for (std::int64_t k = 0; k < patch_.levels; ++k) {
                for (std::int64_t i = 0; i < patch_.count[0]; ++i) {
                    state_[density][patch_.at(i, k, j)] = lighter(i, k, j);
                }
            }
        });
        complete();
        steps_ = 0;
    }

    void run(int steps) {
        for (int step = 0; step < steps; ++step) {
            {
                const auto span = phases_.in(Phase::compute);
                start_.copy_from(patch_, state_);
            }
            for (std::size_t stage = 0; stage < stages; ++stage) {
                tendencies(stage > 0);
                sound(share_of[stage] * time_step / substeps_of[stage], substeps_of[stage]);
                complete();
            }
            {
                const auto span = phases_.in(Phase::compute);
                diagnosed_.find(patch_, air_, state_);
                parts_.radiation(patch_, air_, diagnosed_, sky(), state_, time_step);
            }
            complete();
            ++steps_;
        }
    }

    [[nodiscard]] const Patch& patch() const { return patch_; }
    [[nodiscard]] const Problem& problem() const { return problem_; }
    [[nodiscard]] const Atmosphere& air() const { return air_; }
    [[nodiscard]] const State& state() const { return state_; }
    [[nodiscard]] const State& start() const { return start_; }
    [[nodiscard]] const State& slow() const { return slow_; }
    [[nodiscard]] const Diagnosed& diagnosed() const { return diagnosed_; }
    [[nodiscard]] double* pressure() const { return pressure_.data(); }
    [[nodiscard]] const Parts& parts() const { return parts_; }
    [[nodiscard]] Neighbors<Ranks>& neighbors() { return neighbors_; }
    [[nodiscard]] Sky sky() const { return {problem_.edge, problem_.more_by_day}; }
    [[nodiscard]] int steps() const { return steps_; }

    // The changes by the flow of the state that is there, its halo filled.
    void find_slow() {
        diagnosed_.find(patch_, air_, state_);
        for (std::size_t d = 0; d < diagnosed_.velocity.size(); ++d) {
            parts_.advection(patch_, state_, diagnosed_.velocity[d].data(), d, slow_[d]);
        }
        parts_.advection(patch_, state_, diagnosed_.warmth.data(), 3, slow_[heat]);
    }

    // The halo and the levels beyond of every variable.
    void complete() {
        const auto span = phases_.in(Phase::halo);
        neighbors_.fill_around(state_.all());
        for (const std::size_t v : {momentum_x, momentum_y, density, heat}) {
            extend(patch_, state_[v]);
        }
        reflect(patch_, state_[momentum_z]);
    }

   private:
    // Warm air at the pressure of the air around it.
    [[nodiscard]] double lighter(std::int64_t i, std::int64_t k, std::int64_t j) const {
        const auto middle = [](std::int64_t n) { return spacing * (static_cast<double>(n) + 0.5); };
        const double warmer = bubble(middle(patch_.first[0] + i), middle(patch_.first[1] + j),
                                     middle(k), problem_.length());
        return air_.heat(k) / (potential_temperature + warmer) - air_.density(k);
    }

    // By the flow of the stage before; then back to the start of the step.
    void tendencies(bool back) {
        const auto span = phases_.in(Phase::compute);
        find_slow();
        if (back) {
            state_.copy_from(patch_, start_);
        }
        for_slabs(-halo, patch_.count[1] + halo, [&](std::int64_t j) {
            const std::int64_t begin = patch_.at(-halo, -margin, j);
            std::copy_n(state_[heat] + begin, patch_.slab(), pressure_.data() + begin);
        });
    }

    void sound(double seconds, int count) {
        const Substep on{patch_, air_, diagnosed_, slow_, state_, pressure_.data(), seconds};
        const std::array<double*, 1> x{state_[momentum_x]};
        const std::array<double*, 1> y{state_[momentum_y]};
        const std::array<double*, 1> pressure{pressure_.data()};
        const std::array<Strip, 2> momenta{Strip{x, 0, 1, 1}, Strip{y, 1, 1, 1}};
        const std::array<Strip, 2> pressures{Strip{pressure, 0, -1, 1}, Strip{pressure, 1, -1, 1}};
        for (int n = 0; n < count; ++n) {
            compute([&] { parts_.acoustic.momenta(on); });
            exchange(momenta);
            compute([&] { parts_.acoustic.cells(on); });
            exchange(pressures);
        }
    }

    template <class Work>
    void compute(Work&& work) {
        const auto span = phases_.in(Phase::compute);
        work();
    }
    void exchange(std::span<const Strip> strips) {
        const auto span = phases_.in(Phase::halo);
        neighbors_.fill(strips);
    }

    Phases& phases_;
    Problem problem_;
    Patch patch_;
    Atmosphere air_;
    Neighbors<Ranks> neighbors_;
    State state_;
    State start_;
    State slow_;
    Diagnosed diagnosed_;
    Field pressure_;
    Parts parts_;
    int steps_ = 0;
};

}  // namespace machmeter::proxies::nwp
