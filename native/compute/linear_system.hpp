// Linear equations whose elements follow from their places, so that a check makes them again after
// a factorization has overwritten them, and the matrix may fill the memory.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "compute/factor_element.hpp"

namespace machmeter::compute {

class LinearSystem {
   public:
    LinearSystem(std::size_t order, std::uint64_t seed) : order_(order), seed_(seed) {}

    [[nodiscard]] double element(std::size_t row, std::size_t column) const {
        return factor_element(seed_, row + column * order_);
    }
    [[nodiscard]] double right(std::size_t row) const { return factor_element(seed_ + 1, row); }

    // By all threads, which then end: waiting they would take CPU time from those of a library.
    // Columns one after another.
    void write(double* matrix, double* of_right) const {
#pragma omp parallel for schedule(static)
        for (std::size_t column = 0; column < order_; ++column) {
            of_right[column] = right(column);
            for (std::size_t row = 0; row < order_; ++row) {
                matrix[row + column * order_] = element(row, column);
            }
        }
        omp_pause_resource_all(omp_pause_hard);
    }

    // |A x - b| / (u (|A| |x| + |b|) n) in the norm of the largest, with the unit roundoff u: below
    // 16 for a solution that HPL accepts (Petitet et al., HPL 2.3, HPL_pdtest). Infinite for one
    // with elements that are no numbers. By all threads, as `write`.
    [[nodiscard]] double scaled_residual(const double* x) const {
        std::vector<double> errors(order_);
        std::vector<double> sums(order_);
#pragma omp parallel for schedule(static)
        for (std::size_t row = 0; row < order_; ++row) {
            double product = 0;
            double sum = 0;
            for (std::size_t column = 0; column < order_; ++column) {
                const double factor = element(row, column);
                product += factor * x[column];
                sum += std::abs(factor);
            }
            errors[row] = std::abs(product - right(row));
            sums[row] = sum;
        }
        omp_pause_resource_all(omp_pause_hard);
        double error = 0;
        double of_x = 0;
        double of_right = 0;
        for (std::size_t row = 0; row < order_; ++row) {
            if (!std::isfinite(errors[row])) {
                return std::numeric_limits<double>::infinity();
            }
            error = std::max(error, errors[row]);
            of_x = std::max(of_x, std::abs(x[row]));
            of_right = std::max(of_right, std::abs(right(row)));
        }
        constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
        const double of_matrix = *std::max_element(sums.begin(), sums.end());
        return error / (unit * (of_matrix * of_x + of_right) * static_cast<double>(order_));
    }

    static constexpr double largest_residual = 16;

   private:
    std::size_t order_;
    std::uint64_t seed_;
};

}  // namespace machmeter::compute
