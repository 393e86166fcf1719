// Conjugate gradients (Hestenes and Stiefel, J. Res. NBS 49, 1952) on the even sites, for the
// matrix 4 m^2 - D_eo D_oe of staggered fermions, for so many iterations. No clock here but for
// phases.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/session/phases.hpp"
#include "proxies/common/ranks.hpp"
#include "proxies/lqcd/gauge.hpp"
#include "proxies/lqcd/ghosts.hpp"
#include "proxies/lqcd/hop.hpp"
#include "proxies/lqcd/lattice.hpp"
#include "proxies/lqcd/rows.hpp"

namespace machmeter::proxies::lqcd {

inline constexpr int even = 0;
inline constexpr int odd = 1;
inline constexpr double mass = 0.1;
inline constexpr double shift = 4 * mass * mass;
// Of the residual's square over the first one.
inline constexpr double converged = 1e-60;

// For each site of the lattice and iteration, as MILC counts them and prints its rate
// (generic_ks/d_congrad5_fn_milc.c): 16 products of matrix and vector and the sums of them, and on
// even sites those of the vectors.
inline constexpr double flops_per_site = 1187;
// Links of a site once; on even sites, half of all, a vector is read or written 14 times.
inline constexpr double bytes_of_links = sizeof(double) * terms * parts_of_matrix;
inline constexpr double bytes_per_site = bytes_of_links + 14.0 / 2 * parts * sizeof(double);
// Of all arrays: links, and five vectors of one parity.
inline constexpr double data_per_site = bytes_of_links + 5.0 / 2 * parts * sizeof(double);

template <class Ranks, class Kernel = Hop>
class Solver {
   public:
    Solver(Ranks& ranks, Phases& phases, const Sharing& sharing, std::uint64_t rotation = 0)
        : ranks_(ranks),
          phases_(phases),
          gauge_(sharing.whole, rotation),
          block_(sharing, ranks.rank()),
          map_(block_),
          ghosts_(ranks, block_, map_),
          even_links_(block_, gauge_, even),
          odd_links_(block_, gauge_, odd),
          search_(block_, map_.count(), margin),
          between_(block_, map_.count(), margin),
          found_(block_, block_.rows(), 0),
          residual_(block_, block_.rows(), 0),
          product_(block_, block_.rows(), 0) {}

    // The start of a solve: 0.
    void reset() {
        square_ = ranks_.sum(sum_rows(block_, [&](std::int64_t row) {
            double sum = 0;
            for (std::int64_t i = 0; i < block_.half(); ++i) {
                const Color source = gauge_.source(block_.site(even, row, i));
                found_.set(row, i, {});
                residual_.set(row, i, source);
                search_.set(row, i, source);
                sum += scalar_product(source, source).real();
            }
            search_.wrap(block_, row);
            return sum;
        }));
        first_ = std::sqrt(square_);
        iterations_ = 0;
        // So that no connection is made in the timed part.
        ghosts_.exchange(search_);
    }

    void run(int iterations) {
        for (int i = 0; i < iterations; ++i) {
            const double curvature = apply(search_, between_, product_);
            // What has converged stays, so that later iterations take no longer for tiny numbers.
            const bool is_done = square_ <= converged * first_ * first_;
            const double square = advance(is_done ? 0 : square_ / curvature);
            turn(is_done ? 0 : square / square_);
            square_ = square;
            ++iterations_;
        }
    }

    // to = D source at sites of a parity.
    void dirac(int parity, const Field& source, const Field& to) {
        hop(parity == even ? even_links_ : odd_links_, source, parity,
            [&](std::int64_t row, std::int64_t group, const auto& sum) {
                store(to, row, group, sum);
                return 0.0;
            });
    }

    // product = A vector at even sites; `between` becomes D vector at odd ones. Returns their
    // scalar product over all ranks.
    double apply(const Field& vector, const Field& between, const Field& product) {
        hop(odd_links_, vector, odd, [&](std::int64_t row, std::int64_t group, const auto& sum) {
            store(between, row, group, sum);
            if (group == groups_of(block_) - 1) {
                between.wrap(block_, row);
            }
            return 0.0;
        });
        const double mine = hop(even_links_, between, even,
                                [&](std::int64_t row, std::int64_t group, const auto& sum) {
                                    return subtract(vector, product, row, group, sum);
                                });
        const auto span = phases_.in(Phase::collective);
        return ranks_.sum(mine);
    }

    [[nodiscard]] const Block& block() const { return block_; }
    [[nodiscard]] const RowMap& map() const { return map_; }
    [[nodiscard]] const Gauge& gauge() const { return gauge_; }
    [[nodiscard]] const Field& found() const { return found_; }
    [[nodiscard]] const Field& residual() const { return residual_; }
    // Fields of the solve, for checks to use again after it.
    [[nodiscard]] const Field& search() const { return search_; }
    [[nodiscard]] const Field& between() const { return between_; }
    [[nodiscard]] const Field& product() const { return product_; }
    [[nodiscard]] int iterations() const { return iterations_; }
    [[nodiscard]] double first_norm() const { return first_; }
    // The norm of the residual over that of the first one, as the solve has it.
    [[nodiscard]] double reduction() const { return std::sqrt(square_) / first_; }

   private:
    template <class Finish>
    double hop(const Links& links, const Field& source, int parity, Finish&& finish) {
        if (!ghosts_.empty()) {
            const auto span = phases_.in(Phase::halo);
            ghosts_.exchange(source);
        }
        const auto span = phases_.in(Phase::compute);
        return kernel_(block_, map_, links, source, parity, finish);
    }

    static void store(const Field& field, std::int64_t row, std::int64_t group,
                      const ColorLanes& sum) {
        for (std::int64_t part = 0; part < parts; ++part) {
            proxies::store(field.part(row, part) + group * lane_count,
                           sum[static_cast<std::size_t>(part)]);
        }
    }

    // product = shift vector - sum; returns its scalar product with the vector.
    double subtract(const Field& vector, const Field& product, std::int64_t row, std::int64_t group,
                    const ColorLanes& sum) const {
        ColorLanes result;
        Lanes scalar{};
        for (std::int64_t part = 0; part < parts; ++part) {
            const Lanes value = load(vector.part(row, part) + group * lane_count);
            Lanes& of_part = result[static_cast<std::size_t>(part)];
            of_part = shift * value - sum[static_cast<std::size_t>(part)];
            scalar += of_part * value;
        }
        store(product, row, group, result);
        const std::int64_t left = block_.half() - group * lane_count;
        if (left >= lane_count) {
            return sum_of_lanes(scalar);
        }
        double of_row = 0;
        for (std::int64_t lane = 0; lane < left; ++lane) {
            of_row += scalar[lane];
        }
        return of_row;
    }

    // found += step search; residual -= step product. Returns the residual's square on all ranks.
    double advance(double step) {
        double mine = 0;
        {
            const auto span = phases_.in(Phase::compute);
            const std::int64_t half = block_.half();
            mine = sum_rows(block_, [&](std::int64_t row) {
                // Of its own: compilers gather element by element where it is a closure's.
                const double by = step;
                double sum = 0;
                for (std::int64_t part = 0; part < parts; ++part) {
                    double* const found = found_.part(row, part);
                    double* const residual = residual_.part(row, part);
                    const double* const search = search_.part(row, part);
                    const double* const product = product_.part(row, part);
#pragma omp simd reduction(+ : sum)
                    for (std::int64_t i = 0; i < half; ++i) {
                        found[i] += by * search[i];
                        residual[i] -= by * product[i];
                        sum += residual[i] * residual[i];
                    }
                }
                return sum;
            });
        }
        const auto span = phases_.in(Phase::collective);
        return ranks_.sum(mine);
    }

    // search = residual + share search.
    void turn(double share) {
        const auto span = phases_.in(Phase::compute);
        const std::int64_t half = block_.half();
        for_rows(block_, [&](std::int64_t row) {
            for (std::int64_t part = 0; part < parts; ++part) {
                const double* const residual = residual_.part(row, part);
                double* const search = search_.part(row, part);
#pragma omp simd
                for (std::int64_t i = 0; i < half; ++i) {
                    search[i] = residual[i] + share * search[i];
                }
            }
            search_.wrap(block_, row);
        });
    }

    Ranks& ranks_;
    Phases& phases_;
    Gauge gauge_;
    Block block_;
    RowMap map_;
    Ghosts<Ranks> ghosts_;
    Links even_links_;
    Links odd_links_;
    Field search_;   // even, others' included
    Field between_;  // odd, others' included
    Field found_;
    Field residual_;
    Field product_;
    Kernel kernel_;
    double square_ = 0;
    double first_ = 0;
    int iterations_ = 0;
};

}  // namespace machmeter::proxies::lqcd
