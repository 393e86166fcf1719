// Multigrid V-cycles over boxes that are coarsened each by itself, so that every rank keeps its own
// down to boxes of two cells an edge (Brandt, Math. Comp. 31, 1977).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/session/phases.hpp"
#include "proxies/lowmach/bottom.hpp"
#include "proxies/lowmach/ghosts.hpp"
#include "proxies/lowmach/level.hpp"

namespace machmeter::proxies::lowmach {

// Over both colors, before and after each coarser level, as AMReX does by default.
inline constexpr int sweeps_each_way = 2;

struct Solved {
    int cycles = 0;
    // The residual over the first one.
    double reduction = 0;
};

template <class Ranks, class Kernels>
class Multigrid {
   public:
    Multigrid(Ranks& ranks, Phases& phases, Ghosts<Ranks>& sides, const Boxes& boxes,
              const Kernels& kernels)
        : ranks_(ranks),
          phases_(phases),
          sides_(sides),
          kernels_(kernels),
          levels_(levels_of(boxes)),
          bottom_(ranks, phases, sides, levels_.back()) {}

    [[nodiscard]] Level& finest() { return levels_.front(); }
    [[nodiscard]] const Level& finest() const { return levels_.front(); }
    [[nodiscard]] const Level& coarsest() const { return levels_.back(); }
    // So far, in solves of the coarsest level.
    [[nodiscard]] Bottom<Ranks>& bottom() { return bottom_; }

    // After those of the finest level changed.
    void coarsen_coefficients() {
        const auto span = phases_.in(Phase::compute);
        for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
            coarsen_faces(levels_[l], levels_[l + 1]);
        }
    }

    // phi of the finest level, from 0, until the residual is below `target` times the first one;
    // the layer around is then that of the neighbors.
    Solved solve(double target, int most_cycles) {
        {
            const auto span = phases_.in(Phase::compute);
            finest().phi.clear(finest().boxes);
        }
        const double first = residual_norm();
        Solved solved{0, 1};
        while (first > 0 && !(solved.reduction <= target) && solved.cycles < most_cycles) {
            cycle(0);
            sides_.fill(finest().boxes, finest().phi);
            solved.reduction = residual_norm() / first;
            solved.cycles += 1;
        }
        return solved;
    }

   private:
    static std::deque<Level> levels_of(Boxes boxes) {
        std::deque<Level> levels;
        levels.emplace_back(boxes);
        while (boxes.edge > coarsest_box) {
            boxes.edge /= 2;
            levels.emplace_back(boxes);
        }
        return levels;
    }

    double residual_norm() {
        double square = 0;
        {
            const auto span = phases_.in(Phase::compute);
            square = residual_square(finest());
        }
        const auto span = phases_.in(Phase::collective);
        return std::sqrt(ranks_.sum(square));
    }

    void cycle(std::size_t l) {
        if (l + 1 == levels_.size()) {
            bottom_.solve();
            return;
        }
        Level& fine = levels_[l];
        Level& coarse = levels_[l + 1];
        smooth(fine, true);
        sides_.fill(fine.boxes, fine.phi);
        {
            const auto span = phases_.in(Phase::compute);
            restrict_residual(fine, coarse);
            coarse.phi.clear(coarse.boxes);
        }
        cycle(l + 1);
        sides_.fill(coarse.boxes, coarse.phi);
        {
            const auto span = phases_.in(Phase::compute);
            add_interpolated(coarse, fine);
        }
        smooth(fine, false);
    }

    // `is_filled`: the layer around is that of the neighbors already.
    void smooth(const Level& level, bool is_filled) {
        for (int half = 0; half < 2 * sweeps_each_way; ++half) {
            if (half > 0 || !is_filled) {
                sides_.fill(level.boxes, level.phi);
            }
            const auto span = phases_.in(Phase::compute);
            kernels_.smooth(level, half % 2);
        }
    }

    Ranks& ranks_;
    Phases& phases_;
    Ghosts<Ranks>& sides_;
    const Kernels& kernels_;
    std::deque<Level> levels_;
    Bottom<Ranks> bottom_;
};

}  // namespace machmeter::proxies::lowmach
