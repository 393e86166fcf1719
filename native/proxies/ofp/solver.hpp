// Conjugate gradients, preconditioned by the diagonal (Hestenes and Stiefel, J. Res. NBS 49, 1952),
// for so many iterations. No clock here but for phases.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "core/session/phases.hpp"
#include "proxies/ofp/block.hpp"
#include "proxies/ofp/halo.hpp"
#include "proxies/ofp/matrix.hpp"
#include "proxies/ofp/problem.hpp"

namespace machmeter::proxies::ofp {

template <class Ranks, class Kernel = Product>
class Solver {
   public:
    Solver(Ranks& ranks, Phases& phases, const Problem& problem)
        : ranks_(ranks),
          phases_(phases),
          problem_(problem),
          block_(problem.edge, ranks.rank(), ranks.size()),
          halo_(ranks, block_),
          matrix_(block_, problem),
          right_(block_),
          found_(block_),
          residual_(block_),
          search_(block_),
          product_(block_) {
        for_rows(block_, [&](std::int64_t begin, std::int64_t y, std::int64_t z) {
            for (std::int64_t x = 0; x < block_.count[0]; ++x) {
                right_.data()[begin + x] = problem_.balance(
                    cell(x, y, z), [&](const Cell& at) { return problem_.solution(at); });
            }
        });
    }

    // The start of a solve: pressure 0.
    void reset() {
        for_rows(block_, [&](std::int64_t begin, std::int64_t /*y*/, std::int64_t /*z*/) {
            for (std::int64_t i = begin; i < begin + block_.count[0]; ++i) {
                found_.data()[i] = 0;
                product_.data()[i] = 0;
                residual_.data()[i] = right_.data()[i];
                search_.data()[i] = matrix_.inverse.data()[i] * right_.data()[i];
            }
        });
        const Sums sums = advance(0);
        scaled_ = sums.scaled;
        first_ = last_ = std::sqrt(sums.plain);
        iterations_ = 0;
        // So that no connection is made in the timed part.
        halo_.exchange(search_.data());
    }

    void run(int iterations) {
        for (int i = 0; i < iterations; ++i) {
            // Once it has converged to the last bit, both are 0.
            const double product = search_product();
            const double step = product == 0 ? 0 : scaled_ / product;
            const Sums sums = advance(step);
            last_ = std::sqrt(sums.plain);
            turn(scaled_ == 0 ? 0 : sums.scaled / scaled_);
            scaled_ = sums.scaled;
            ++iterations_;
        }
    }

    [[nodiscard]] const Block& block() const { return block_; }
    [[nodiscard]] const Problem& problem() const { return problem_; }
    [[nodiscard]] const Matrix& matrix() const { return matrix_; }
    [[nodiscard]] const Field& found() const { return found_; }
    [[nodiscard]] const Field& residual() const { return residual_; }
    [[nodiscard]] Halo<Ranks>& halo() { return halo_; }
    [[nodiscard]] const Kernel& kernel() const { return kernel_; }
    [[nodiscard]] int iterations() const { return iterations_; }

    // The norm of the residual over that of the first one, as the solve has it.
    [[nodiscard]] double reduction() const { return last_ / first_; }
    [[nodiscard]] double first_norm() const { return first_; }

    // The cell of the cube at a place of the block.
    [[nodiscard]] Cell cell(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return {block_.first[0] + x, block_.first[1] + y, block_.first[2] + z};
    }

   private:
    // Of the residual's squares, over the diagonal and plain, on all ranks.
    struct Sums {
        double scaled = 0;
        double plain = 0;
    };

    double search_product() {
        {
            const auto span = phases_.in(Phase::halo);
            halo_.exchange(search_.data());
        }
        double mine = 0;
        {
            const auto span = phases_.in(Phase::compute);
            mine = kernel_(block_, matrix_, search_, product_);
        }
        const auto span = phases_.in(Phase::collective);
        return ranks_.sum(mine);
    }

    // found += step search; residual -= step product.
    Sums advance(double step) {
        std::array<double, 2> sums{};
        {
            const auto span = phases_.in(Phase::compute);
            double* const found = found_.data();
            double* const residual = residual_.data();
            const double* const search = search_.data();
            const double* const product = product_.data();
            const double* const inverse = matrix_.inverse.data();
            const std::int64_t count = block_.count[0];
            double plain = 0;
            double scaled = 0;
            const std::int64_t rows = block_.count[1] * block_.count[2];
#pragma omp parallel for schedule(static) reduction(+ : plain, scaled)
            for (std::int64_t r = 0; r < rows; ++r) {
                const std::int64_t begin = block_.at(0, r % block_.count[1], r / block_.count[1]);
#pragma omp simd reduction(+ : plain, scaled)
                for (std::int64_t i = begin; i < begin + count; ++i) {
                    found[i] += step * search[i];
                    residual[i] -= step * product[i];
                    const double square = residual[i] * residual[i];
                    plain += square;
                    scaled += square * inverse[i];
                }
            }
            sums = {scaled, plain};
        }
        const auto span = phases_.in(Phase::collective);
        ranks_.sum(sums);
        return {sums[0], sums[1]};
    }

    // search = residual over the diagonal + share search.
    void turn(double share) {
        const auto span = phases_.in(Phase::compute);
        const double* const residual = residual_.data();
        const double* const inverse = matrix_.inverse.data();
        double* const search = search_.data();
        const std::int64_t count = block_.count[0];
        for_rows(block_, [=](std::int64_t begin, std::int64_t /*y*/, std::int64_t /*z*/) {
#pragma omp simd
            for (std::int64_t i = begin; i < begin + count; ++i) {
                search[i] = inverse[i] * residual[i] + share * search[i];
            }
        });
    }

    Ranks& ranks_;
    Phases& phases_;
    Problem problem_;
    Block block_;
    Halo<Ranks> halo_;
    Matrix matrix_;
    Field right_;
    Field found_;
    Field residual_;
    Field search_;
    Field product_;
    Kernel kernel_;
    double scaled_ = 0;
    double first_ = 0;
    double last_ = 0;
    int iterations_ = 0;
};

}  // namespace machmeter::proxies::ofp
