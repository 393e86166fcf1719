// The coarsest level: conjugate gradients, preconditioned by the diagonal (Hestenes and Stiefel,
// J. Res. NBS 49, 1952), with sums over all ranks.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include "core/session/phases.hpp"
#include "proxies/lowmach/ghosts.hpp"
#include "proxies/lowmach/level.hpp"

namespace machmeter::proxies::lowmach {

// Cells along an edge of its boxes.
inline constexpr std::int64_t coarsest_box = 2;
// Of an iteration, for each cell of the coarsest level: product 20 operations and 5 arrays, the two
// updates 14 and 10, then 8 and 6.
inline constexpr double flops_per_bottom = 42;
inline constexpr double bytes_per_bottom = 21 * sizeof(double);

template <class Ranks>
class Bottom {
   public:
    Bottom(Ranks& ranks, Phases& phases, Ghosts<Ranks>& ghosts, const Level& level)
        : ranks_(ranks),
          phases_(phases),
          ghosts_(ghosts),
          level_(level),
          residual_(level.boxes),
          search_(level.boxes),
          product_(level.boxes) {}

    // phi, which is 0 before, until the residual has become smaller by a factor that V-cycles do
    // not gain from going beyond; the matrix is that of -div(c grad).
    void solve() {
        Sums sums = begin();
        const double target = reduction * reduction * sums.plain;
        for (int i = 0; i < most_iterations && sums.plain > target; ++i) {
            ghosts_.fill(level_.boxes, search_);
            const double product = total(multiply());
            if (!(product > 0)) {
                break;
            }
            const double step = sums.scaled / product;
            const Sums next = total(advance(step));
            turn(next.scaled / sums.scaled);
            sums = next;
            iterations_ += 1;
        }
    }

    [[nodiscard]] double iterations() const { return iterations_; }
    void clear_iterations() { iterations_ = 0; }

   private:
    static constexpr double reduction = 1e-4;
    static constexpr int most_iterations = 1000;
    using coarsest_edge = std::integral_constant<std::int64_t, coarsest_box>;

    // Of the residual's squares: over the diagonal, and plain.
    struct Sums {
        double scaled = 0;
        double plain = 0;
    };

    double total(double mine) {
        const auto span = phases_.in(Phase::collective);
        return ranks_.sum(mine);
    }
    Sums total(const Sums& mine) {
        const auto span = phases_.in(Phase::collective);
        std::array<double, 2> sums{mine.scaled, mine.plain};
        ranks_.sum(sums);
        return {sums[0], sums[1]};
    }

    // Only a right side whose sum is 0 has a solution; rounding leaves a little.
    double mean_of_right() {
        std::array<double, 2> sums{};
        {
            const auto span = phases_.in(Phase::compute);
            const double* const right = level_.right.data();
            sums[0] = sum_rows(level_.boxes, [=, this](std::int64_t first) {
                return std::accumulate(right + first, right + first + level_.boxes.edge, 0.0);
            });
            sums[1] = static_cast<double>(level_.boxes.cells());
        }
        const auto span = phases_.in(Phase::collective);
        ranks_.sum(sums);
        return sums[0] / sums[1];
    }

    Sums begin() {
        search_.clear(level_.boxes);
        const double* const right = level_.right.data();
        double* const residual = residual_.data();
        const double mean = mean_of_right();
        for_rows(level_.boxes, [=, this](std::int64_t first) {
            for (std::int64_t i = first; i < first + level_.boxes.edge; ++i) {
                residual[i] = mean - right[i];
            }
        });
        const Sums sums = total(advance(0));
        turn(0);
        return sums;
    }

    double multiply() {
        const auto span = phases_.in(Phase::compute);
        const Stencil stencil(level_, coarsest_edge());
        const double* const p = search_.data();
        double* const out = product_.data();
        return sum_rows(level_.boxes, [=, this](std::int64_t first) {
            double sum = 0;
            for (std::int64_t i = first; i < first + level_.boxes.edge; ++i) {
                out[i] = -stencil.laplacian(p, i);
                sum += p[i] * out[i];
            }
            return sum;
        });
    }

    Sums advance(double step) {
        const auto span = phases_.in(Phase::compute);
        const Stencil stencil(level_, coarsest_edge());
        const double* const p = search_.data();
        const double* const product = product_.data();
        double* const phi = level_.phi.data();
        double* const residual = residual_.data();
        const double scaled = sum_rows(level_.boxes, [&, this](std::int64_t first) {
            double sum = 0;
            for (std::int64_t i = first; i < first + level_.boxes.edge; ++i) {
                phi[i] += step * p[i];
                residual[i] -= step * product[i];
                sum += residual[i] * residual[i] / stencil.diagonal(i);
            }
            return sum;
        });
        const double plain = sum_rows(level_.boxes, [=, this](std::int64_t first) {
            double sum = 0;
            for (std::int64_t i = first; i < first + level_.boxes.edge; ++i) {
                sum += residual[i] * residual[i];
            }
            return sum;
        });
        return {scaled, plain};
    }

    // search = residual over the diagonal + share search.
    void turn(double share) {
        const auto span = phases_.in(Phase::compute);
        const Stencil stencil(level_, coarsest_edge());
        const double* const residual = residual_.data();
        double* const p = search_.data();
        for_rows(level_.boxes, [=, this](std::int64_t first) {
            for (std::int64_t i = first; i < first + level_.boxes.edge; ++i) {
                p[i] = residual[i] / stencil.diagonal(i) + share * p[i];
            }
        });
    }

    Ranks& ranks_;
    Phases& phases_;
    Ghosts<Ranks>& ghosts_;
    const Level& level_;
    Field residual_;
    Field search_;
    Field product_;
    double iterations_ = 0;
};

}  // namespace machmeter::proxies::lowmach
