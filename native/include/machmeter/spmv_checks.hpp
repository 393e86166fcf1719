// What a product is held against, and what a matrix looks like. No clock here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "machmeter/spmv_matrix.hpp"

namespace machmeter::sparse {

// y = A x by another way: rows made anew, summed from their ends. `bound` is what rounding can
// amount to: two sums of n products in any order differ by less than 2 (n + 1) u sum |a x|, u the
// unit roundoff (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.1).
struct Reference {
    std::vector<double> y;
    std::vector<double> bound;
};

inline Reference reference_product(const RowSource& source) {
    Reference reference{std::vector<double>(source.rows), std::vector<double>(source.rows)};
    const std::uint64_t longest = source.longest_row();
#pragma omp parallel
    {
        std::vector<Column> columns(longest);
        std::vector<double> values(longest);
#pragma omp for schedule(dynamic, 1024)
        for (std::size_t row = 0; row < source.rows; ++row) {
            source.fill(row, columns.data(), values.data());
            double sum = 0;
            double sum_of_sizes = 0;
            for (std::size_t k = source.length(row); k-- > 0;) {
                const double product = values[k] * value_of_x(static_cast<std::size_t>(columns[k]));
                sum += product;
                sum_of_sizes += std::abs(product);
            }
            reference.y[row] = sum;
            reference.bound[row] = static_cast<double>(source.length(row) + 1) *
                                   std::numeric_limits<double>::epsilon() * sum_of_sizes;
        }
    }
    return reference;
}

// The largest error of a row as a share of its bound; infinite where a row is no number.
inline double largest_share_of_bound(const Reference& reference, const double* y) {
    double largest = 0;
    for (std::size_t row = 0; row < reference.y.size(); ++row) {
        const double error = std::abs(y[row] - reference.y[row]);
        if (error == 0) {
            continue;
        }
        const double share = error / reference.bound[row];
        largest = std::isfinite(share) ? std::max(largest, share)
                                       : std::numeric_limits<double>::infinity();
    }
    return largest;
}

// Nonzeros by place: cell (i, j) of a square grid, row by row, counts those whose row and column
// lie in the i-th and j-th part of the matrix. Also how many follow on their neighbor's column.
struct Picture {
    static constexpr std::size_t cells = 48;

    std::vector<double> counts = std::vector<double>(cells * cells, 0);
    std::uint64_t consecutive = 0;
};

inline Picture picture_of(const PlacedMatrix& matrix) {
    constexpr std::size_t cells = Picture::cells;
    Picture whole;
    const auto columns = static_cast<std::uint64_t>(matrix.columns());
#pragma omp parallel
    {
        Picture own;
#pragma omp for schedule(static) nowait
        for (std::size_t row = 0; row < matrix.rows(); ++row) {
            double* counts = own.counts.data() + row * cells / matrix.rows() * cells;
            for (std::uint64_t k = matrix.offsets()[row]; k < matrix.offsets()[row + 1]; ++k) {
                const auto column = static_cast<std::uint64_t>(matrix.column_of()[k]);
                counts[column * cells / columns] += 1;
                const bool first = k == matrix.offsets()[row];
                own.consecutive +=
                    !first && matrix.column_of()[k] == matrix.column_of()[k - 1] + 1 ? 1U : 0U;
            }
        }
#pragma omp critical(machmeter_picture)
        {
            for (std::size_t cell = 0; cell < own.counts.size(); ++cell) {
                whole.counts[cell] += own.counts[cell];
            }
            whole.consecutive += own.consecutive;
        }
    }
    return whole;
}

}  // namespace machmeter::sparse
