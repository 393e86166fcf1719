// Whether a matrix is the product of two others, from their products with random vectors
// (Freivalds, IFIP Congress 1977): n^2 operations where another product takes n^3.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "compute/factor_element.hpp"
#include "core/values/random_bits.hpp"

namespace machmeter::compute {

// Matrix times vector, columns one after another.
template <class Number>
std::vector<double> times(const Number* matrix, const std::vector<double>& vector) {
    const std::size_t order = vector.size();
    std::vector<double> product(order, 0);
    for (std::size_t column = 0; column < order; ++column) {
        const Number* of_column = matrix + column * order;
        for (std::size_t row = 0; row < order; ++row) {
            product[row] += static_cast<double>(of_column[row]) * vector[column];
        }
    }
    return product;
}

// What rounding may leave in a row of C x - scale A (B x), where x is of 1 and -1 and elements of A
// and B are `factor_element`s. An element of C is a sum of n products of size 1/4 in the mean,
// whose rounding errors add up like steps of a random walk (Higham and Mary, SIAM J. Sci. Comput.
// 41, 2019), and so do those of the n columns: u n^2 / 4, eight times over.
template <class Number>
double rounding_bound(std::size_t order, double scale) {
    constexpr double unit = std::numeric_limits<Number>::epsilon() / 2;
    const auto n = static_cast<double>(order);
    return unit * scale * (2 * n * n + 16 * n);
}

// The largest error of a row as a share of that bound: at most 1 for a correct product, infinite
// for one with elements that are no numbers.
template <class Number>
double product_error(std::size_t order, double scale, const Number* a, const Number* b,
                     const Number* c, std::uint64_t seed) {
    constexpr std::uint64_t vectors = 2;
    double largest = 0;
    for (std::uint64_t i = 0; i < vectors; ++i) {
        std::vector<double> signs(order);
        for (std::size_t j = 0; j < order; ++j) {
            signs[j] = uniform(seed + i, j) < 0.5 ? -1 : 1;
        }
        const std::vector<double> expected = times(a, times(b, signs));
        const std::vector<double> found = times(c, signs);
        for (std::size_t row = 0; row < order; ++row) {
            const double error = std::abs(found[row] - scale * expected[row]);
            if (!(error <= largest)) {
                largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
            }
        }
    }
    return largest / rounding_bound<Number>(order, scale);
}

}  // namespace machmeter::compute
