// Square matrices, and the two functions of them that an iteration needs, by products alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace machmeter::proxies::scf {

class Matrix {
   public:
    explicit Matrix(std::size_t order = 0) : order_(order), values_(order * order, 0.0) {}

    [[nodiscard]] std::size_t order() const { return order_; }
    [[nodiscard]] double& operator()(std::size_t i, std::size_t j) {
        return values_[i * order_ + j];
    }
    [[nodiscard]] double operator()(std::size_t i, std::size_t j) const {
        return values_[i * order_ + j];
    }
    [[nodiscard]] double* row(std::size_t i) { return values_.data() + i * order_; }
    [[nodiscard]] const double* row(std::size_t i) const { return values_.data() + i * order_; }
    [[nodiscard]] std::vector<double>& values() { return values_; }
    [[nodiscard]] const std::vector<double>& values() const { return values_; }

   private:
    std::size_t order_;
    std::vector<double> values_;
};

inline Matrix identity(std::size_t order) {
    Matrix matrix(order);
    for (std::size_t i = 0; i < order; ++i) {
        matrix(i, i) = 1;
    }
    return matrix;
}

// scale a + shift b.
inline Matrix combined(double scale, const Matrix& a, double shift, const Matrix& b) {
    Matrix result(a.order());
    for (std::size_t i = 0; i < a.values().size(); ++i) {
        result.values()[i] = scale * a.values()[i] + shift * b.values()[i];
    }
    return result;
}

// Threads share the rows; each sum has one order.
inline Matrix product(const Matrix& a, const Matrix& b) {
    const std::size_t order = a.order();
    Matrix result(order);
    const auto rows = static_cast<std::int64_t>(order);
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto i = static_cast<std::size_t>(row);
        double* const to = result.row(i);
        for (std::size_t k = 0; k < order; ++k) {
            const double factor = a(i, k);
            const double* const from = b.row(k);
#pragma omp simd
            for (std::size_t j = 0; j < order; ++j) {
                to[j] += factor * from[j];
            }
        }
    }
    return result;
}

inline double trace(const Matrix& matrix) {
    double sum = 0;
    for (std::size_t i = 0; i < matrix.order(); ++i) {
        sum += matrix(i, i);
    }
    return sum;
}

// The trace of a b, of which one is symmetric.
inline double trace_of_product(const Matrix& a, const Matrix& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.values().size(); ++i) {
        sum += a.values()[i] * b.values()[i];
    }
    return sum;
}

// The largest sum of absolute values in a row: no eigenvalue is larger.
inline double largest_row(const Matrix& matrix) {
    double largest = 0;
    for (std::size_t i = 0; i < matrix.order(); ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < matrix.order(); ++j) {
            sum += std::abs(matrix(i, j));
        }
        largest = std::max(largest, sum);
    }
    return largest;
}

// The inverse root of a symmetric positive matrix: Newton's method in the coupled form of Denman
// and Beavers (Higham, Functions of Matrices, 2008, 6.3), Y to the root and Z to the inverse.
inline Matrix inverse_root(const Matrix& matrix) {
    const double scale = largest_row(matrix);
    const Matrix one = identity(matrix.order());
    Matrix y = combined(1 / scale, matrix, 0, one);
    Matrix z = one;
    constexpr int most = 100;
    for (int i = 0; i < most; ++i) {
        const Matrix zy = product(z, y);
        const Matrix half = combined(-0.5, zy, 1.5, one);
        y = product(y, half);
        z = product(half, z);
        constexpr double rounding = 1e-14;
        if (largest_row(combined(1, zy, -1, one)) < rounding * static_cast<double>(one.order())) {
            break;
        }
    }
    return combined(1 / std::sqrt(scale), z, 0, one);
}

// The projector on the lowest `count` eigenvectors of a symmetric matrix: second-order purification
// that corrects the trace (Niklasson, Phys. Rev. B 66, 2002).
inline Matrix lowest_states(const Matrix& matrix, std::size_t count) {
    const double bound = largest_row(matrix);
    Matrix states = combined(-0.5 / bound, matrix, 0.5, identity(matrix.order()));
    double last = std::numeric_limits<double>::infinity();
    constexpr int most = 200;
    for (int i = 0; i < most; ++i) {
        Matrix square = product(states, states);
        const double away = std::abs(trace(states) - trace(square));
        // Converges by squares, until rounding lets it fall no more.
        constexpr double near = 1e-8;
        if (away < near && away >= last) {
            break;
        }
        last = away;
        const bool too_many = trace(states) > static_cast<double>(count);
        states = too_many ? std::move(square) : combined(2, states, -1, square);
    }
    return states;
}

}  // namespace machmeter::proxies::scf
