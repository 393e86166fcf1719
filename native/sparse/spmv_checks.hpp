// The reference of a product, and a picture of a matrix. No clock here.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/openmp/team_errors.hpp"
#include "sparse/spmv_matrix.hpp"

namespace machmeter::sparse {

// y = A x computed differently: rows made again, summed from their ends. `bound` is the largest
// rounding error: two sums of n products in any order differ by less than 2 (n + 1) u sum |a x|, u
// the unit roundoff (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition,
// section 3.1).
struct Reference {
    std::vector<double> y;
    std::vector<double> bound;
};

// Nonzeros of the longest row that every thread allocates; one thread makes longer ones.
inline constexpr std::uint64_t most_in_team = 65'536;

// Memory for one row, grown as rows need it.
class RowMemory {
   public:
    void multiply(const RowSource& source, std::size_t row, Reference& reference) {
        const auto length = static_cast<std::size_t>(source.length(row));
        if (columns_.size() < length) {
            columns_.resize(length);
            values_.resize(length);
        }
        source.fill(row, columns_.data(), values_.data());
        double sum = 0;
        double sum_of_sizes = 0;
        for (std::size_t k = length; k-- > 0;) {
            const double product = values_[k] * value_of_x(static_cast<std::size_t>(columns_[k]));
            sum += product;
            sum_of_sizes += std::abs(product);
        }
        reference.y[row] = sum;
        reference.bound[row] =
            static_cast<double>(length + 1) * std::numeric_limits<double>::epsilon() * sum_of_sizes;
    }

   private:
    std::vector<Column> columns_;
    std::vector<double> values_;
};

// Bytes that reference_product takes with this many threads.
inline double reference_bytes(const RowSource& source, std::size_t threads) {
    // A vector that grows holds its old content at the same time.
    constexpr double nonzero = 2 * (sizeof(Column) + sizeof(double));
    const std::uint64_t longest = source.longest_row();
    const auto nonzeros = static_cast<double>(threads * std::min(longest, most_in_team) +
                                              (longest > most_in_team ? longest : 0));
    return static_cast<double>(source.rows) * 2 * sizeof(double) + nonzeros * nonzero;
}

// Throws std::bad_alloc where a row does not fit.
inline Reference reference_product(const RowSource& source) {
    Reference reference{std::vector<double>(source.rows), std::vector<double>(source.rows)};
    TeamErrors errors;
#pragma omp parallel
    {
        RowMemory own;
#pragma omp for schedule(dynamic, 1024)
        for (std::size_t row = 0; row < source.rows; ++row) {
            if (source.length(row) <= most_in_team) {
                errors.catching([&] { own.multiply(source, row, reference); });
            }
        }
    }
    errors.rethrow();
    RowMemory large;
    for (std::size_t row = 0; row < source.rows; ++row) {
        if (source.length(row) > most_in_team) {
            large.multiply(source, row, reference);
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
// are in the i-th and j-th part of the matrix. consecutive: nonzeros in the column next to the
// last.
struct Picture {
    static constexpr std::size_t cells = 48;

    std::vector<double> counts = std::vector<double>(cells * cells, 0);
    std::uint64_t consecutive = 0;
};

inline Picture picture_of(const PlacedMatrix& matrix) {
    constexpr std::size_t cells = Picture::cells;
    const auto columns = static_cast<std::uint64_t>(matrix.columns());
    // Allocated before the region, where running out of memory can be reported.
    std::vector<Picture> parts(matrix.threads());
#pragma omp parallel num_threads(static_cast<int>(parts.size()))
    {
        Picture& own = parts[static_cast<std::size_t>(omp_get_thread_num())];
        std::uint64_t consecutive = 0;
#pragma omp for schedule(static) nowait
        for (std::size_t row = 0; row < matrix.rows(); ++row) {
            double* counts = own.counts.data() + row * cells / matrix.rows() * cells;
            for (std::uint64_t k = matrix.offsets()[row]; k < matrix.offsets()[row + 1]; ++k) {
                const auto column = static_cast<std::uint64_t>(matrix.column_of()[k]);
                counts[column * cells / columns] += 1;
                const bool first = k == matrix.offsets()[row];
                consecutive +=
                    !first && matrix.column_of()[k] == matrix.column_of()[k - 1] + 1 ? 1U : 0U;
            }
        }
        own.consecutive = consecutive;
    }
    Picture whole;
    for (const Picture& part : parts) {
        for (std::size_t cell = 0; cell < part.counts.size(); ++cell) {
            whole.counts[cell] += part.counts[cell];
        }
        whole.consecutive += part.consecutive;
    }
    return whole;
}

}  // namespace machmeter::sparse
