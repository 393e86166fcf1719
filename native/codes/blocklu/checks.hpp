// Whether factors are those of the matrix, from products with vectors (Freivalds, IFIP Congress
// 1977), with the matrix made again from its formula.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "codes/blocklu/matrix.hpp"
#include "proxies/common/faults.hpp"

namespace machmeter::blocklu {

using Vector64 = std::vector<double>;

// Every other element is zero, the others are from 1/2 to below 1: off the diagonal what a product
// of blocks contributes has one sign, so its sum with positive elements is largest, and far above
// the sum of rounding errors, which have either sign.
inline Vector64 probe(std::size_t order, std::size_t parity) {
    constexpr std::uint64_t stream = 360;
    Vector64 vector(order, 0);
    for (std::size_t i = parity; i < order; i += 2) {
        vector[i] = 0.5 + 0.5 * uniform(stream, i);
    }
    return vector;
}

// A vector, where elements of A come from their formula.
inline Vector64 times_given(const Matrix& matrix, const Vector64& vector) {
    const std::size_t block = matrix.shape().block;
    Vector64 product(matrix.order(), 0);
#pragma omp parallel for num_threads(matrix.threads()) schedule(dynamic)
    for (std::size_t row = 0; row < matrix.order(); ++row) {
        const std::size_t own = row / block;
        const auto diagonal = static_cast<double>(given_in_row(own, matrix.blocks()) * block);
        for (std::size_t column = 0; column < matrix.order(); ++column) {
            if (vector[column] != 0 && is_given(own, column / block)) {
                const double element =
                    row == column ? diagonal
                                  : static_cast<double>(given_element(row, column, matrix.order()));
                product[row] += element * vector[column];
            }
        }
    }
    return product;
}

// L (U vector), where every element of L and U is `of(element)`: itself or its size.
template <class Of>
Vector64 times_factors(const Matrix& matrix, const Vector64& vector, Of&& of) {
    const std::size_t block = matrix.shape().block;
    const auto sum = [&](std::size_t row, std::size_t begin, std::size_t end, const Vector64& by) {
        double total = 0;
        for (std::size_t own = begin / block; own * block < end; ++own) {
            const float* const at = matrix.at(row / block, own);
            const std::size_t first = std::max(begin, own * block);
            const std::size_t last = std::min(end, (own + 1) * block);
            for (std::size_t column = first; at != nullptr && column < last; ++column) {
                const float element =
                    at[row % block * matrix.shape().stride + column - own * block];
                total += of(static_cast<double>(element)) * by[column];
            }
        }
        return total;
    };
    Vector64 upper(matrix.order());
    Vector64 product(matrix.order());
#pragma omp parallel for num_threads(matrix.threads()) schedule(dynamic)
    for (std::size_t row = 0; row < matrix.order(); ++row) {
        upper[row] = sum(row, row, matrix.order(), vector);
    }
#pragma omp parallel for num_threads(matrix.threads()) schedule(dynamic)
    for (std::size_t row = 0; row < matrix.order(); ++row) {
        product[row] = sum(row, 0, row, upper) + upper[row];
    }
    return product;
}

// What rounding may leave in a row of L (U v) - A v, squared. Element (i, j) of L U - A has at most
// n roundings, each of at most u g_ij, where g = |L| |U| (Higham, Accuracy and Stability,
// 2002, 9.3); they add up like steps of a random walk (Higham and Mary, SIAM J. Sci. Comput. 41,
// 2019) to u sqrt(n) g_ij, and so do those of a row: u^2 n sum_j (g_ij v_j)^2. Off the diagonal
// g_ij is of size 1, since elements given are below 1 and elimination adds about as much: there the
// sum is at most about that of g_ij v_j, which is (g v)_i. On it g_ij is the diagonal as given, by
// far the largest of the row.
inline double squared_bound(const Matrix& matrix, std::size_t row, double sum_of_sizes,
                            double of_vector) {
    constexpr double unit = std::numeric_limits<float>::epsilon() / 2;
    const auto diagonal = static_cast<double>(
        given_in_row(row / matrix.shape().block, matrix.blocks()) * matrix.shape().block);
    const double on_diagonal = diagonal * of_vector;
    return unit * unit * static_cast<double>(matrix.order()) *
           (sum_of_sizes + on_diagonal * on_diagonal);
}

// The largest error of the rows of a block, by that bound in the mean: 0.07 to 0.33 for correct
// factors of 2 to 120 blocks; infinite for such with elements that are no numbers. Rows in which
// the vector is zero are apart from the others: the errors of diagonals do not hide those of all
// else.
inline double error_of_factors(const Matrix& matrix) {
    const std::size_t block = matrix.shape().block;
    double largest = 0;
    for (std::size_t parity = 0; parity < 2; ++parity) {
        const Vector64 vector = probe(matrix.order(), parity);
        const Vector64 expected = times_given(matrix, vector);
        const Vector64 found = times_factors(matrix, vector, [](double one) { return one; });
        const Vector64 sizes =
            times_factors(matrix, vector, [](double one) { return std::abs(one); });
        for (std::size_t part = 0; part < 2 * matrix.blocks(); ++part) {
            double errors = 0;
            double bounds = 0;
            for (std::size_t row = part / 2 * block; row < (part / 2 + 1) * block; ++row) {
                if (row % 2 == part % 2) {
                    errors += (found[row] - expected[row]) * (found[row] - expected[row]);
                    bounds += squared_bound(matrix, row, sizes[row], vector[row]);
                }
            }
            const double error = std::sqrt(errors / bounds);
            if (!(error <= largest)) {
                largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
            }
        }
    }
    return largest;
}

inline bool blocks_are_those_of(const Matrix& matrix, const Structure& structure) {
    for (std::size_t row = 0; row < matrix.blocks(); ++row) {
        for (std::size_t column = 0; column < matrix.blocks(); ++column) {
            if ((matrix.at(row, column) != nullptr) != structure.holds(row, column)) {
                return false;
            }
        }
    }
    return true;
}

// What is wrong; empty where nothing is. Products are counted too: with more than 40 blocks along
// an edge some are so small that their lack is below rounding.
inline std::string fault_of(const Matrix& matrix, const Structure& structure) {
    if (!blocks_are_those_of(matrix, structure)) {
        return "the blocks at the end are not those of a symbolic factorization";
    }
    const double error = error_of_factors(matrix);
    return proxies::first_fault({
        {matrix.products_done() == structure.products(), std::to_string(matrix.products_done()) +
                                                             " products of blocks instead of " +
                                                             std::to_string(structure.products())},
        {error <= 1, "L (U v) differs from A v by " + proxies::short_text(error) +
                         " times what rounding may leave"},
    });
}

}  // namespace machmeter::blocklu
