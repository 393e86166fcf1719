// Hermitian matrices: brought to three real diagonals by reflections (Golub and Van Loan, Matrix
// Computations, 8.3), whose eigenvalues implicit steps of QR find.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "proxies/pwdft/bands.hpp"

namespace machmeter::proxies::pwdft {

using Complex = std::complex<double>;

// Elements of a row from one on.
struct Row {
    double* re;
    double* im;
};
struct ConstRow {
    const double* re;
    const double* im;

    ConstRow(const double* reals, const double* imaginaries) : re(reals), im(imaginaries) {}
    ConstRow(Row row) : re(row.re), im(row.im) {}
};

inline Row row_of(Matrix& matrix, std::size_t i, std::size_t j = 0) {
    return {matrix.re.data() + matrix.at(i, j), matrix.im.data() + matrix.at(i, j)};
}
inline ConstRow row_of(const Matrix& matrix, std::size_t i, std::size_t j = 0) {
    return {matrix.re.data() + matrix.at(i, j), matrix.im.data() + matrix.at(i, j)};
}

// to += factor from.
inline void add_row(Row to, ConstRow from, Complex factor, std::size_t count) {
    const double re = factor.real();
    const double im = factor.imag();
#pragma omp simd
    for (std::size_t k = 0; k < count; ++k) {
        to.re[k] += re * from.re[k] - im * from.im[k];
        to.im[k] += re * from.im[k] + im * from.re[k];
    }
}

// The sum of a_k conj(b_k).
inline Complex product_of_rows(ConstRow a, ConstRow b, std::size_t count) {
    double re = 0;
    double im = 0;
#pragma omp simd reduction(+ : re, im)
    for (std::size_t k = 0; k < count; ++k) {
        re += a.re[k] * b.re[k] + a.im[k] * b.im[k];
        im += a.im[k] * b.re[k] - a.re[k] * b.im[k];
    }
    return {re, im};
}

// A = Q T Q^H for a Hermitian A: T has real numbers on and next to its diagonal, Q is a product of
// reflections 1 - factor v v^H, and of a phase for each row.
class Tridiagonal {
   public:
    explicit Tridiagonal(Matrix matrix)
        : reflections_(std::move(matrix)),
          order_(reflections_.rows),
          phases_(order_, 1.0),
          factors_(order_, 0.0),
          diagonal_(order_),
          next_(order_, 0.0) {
        for (std::size_t k = 0; k + 1 < order_; ++k) {
            const Complex beside = reflect(k);
            next_[k] = std::abs(beside);
            phases_[k + 1] = next_[k] > 0 ? phases_[k] * (beside / next_[k]) : phases_[k];
        }
        for (std::size_t k = 0; k < order_; ++k) {
            diagonal_[k] = reflections_.re[reflections_.at(k, k)];
        }
    }

    [[nodiscard]] const std::vector<double>& diagonal() const { return diagonal_; }
    // Element k is between rows k and k + 1.
    [[nodiscard]] const std::vector<double>& next() const { return next_; }

    // Q times some vectors, the rows of `vectors`, real ones; they become columns.
    [[nodiscard]] Matrix turned_back(const std::vector<const double*>& vectors) const {
        const std::size_t count = vectors.size();
        Matrix out(order_, count);
        for (std::size_t i = 0; i < order_; ++i) {
            for (std::size_t j = 0; j < count; ++j) {
                out.re[out.at(i, j)] = phases_[i].real() * vectors[j][i];
                out.im[out.at(i, j)] = phases_[i].imag() * vectors[j][i];
            }
        }
        for (std::size_t k = order_; k-- > 0;) {
            Matrix product(1, count);
            for (std::size_t i = k + 1; i < order_; ++i) {
                add_row(row_of(product, 0), row_of(out, i), conjugate(k, i), count);
            }
            for (std::size_t i = k + 1; i < order_; ++i) {
                add_row(row_of(out, i), row_of(product, 0),
                        -factors_[k] * std::conj(conjugate(k, i)), count);
            }
        }
        return out;
    }

   private:
    // Element i of conj(v), of the reflection that empties column k; it stays in row k.
    [[nodiscard]] Complex conjugate(std::size_t k, std::size_t i) const {
        const std::size_t at = reflections_.at(k, i);
        return {reflections_.re[at], reflections_.im[at]};
    }

    // Empties column k below its first element under the diagonal, which is returned.
    Complex reflect(std::size_t k) {
        Matrix& a = reflections_;
        const std::size_t first = k + 1;
        const std::size_t count = order_ - first;
        const Row v = row_of(a, k, first);
        const Complex head{v.re[0], v.im[0]};
        // Of those behind it alone: beside a large head they would be lost.
        const ConstRow behind(v.re + 1, v.im + 1);
        const double square = product_of_rows(behind, behind, count - 1).real();
        if (!(square >= std::numeric_limits<double>::min())) {
            return std::conj(head);
        }
        const double size = std::abs(head);
        const double length = std::hypot(size, std::sqrt(square));
        const Complex phase = size > 0 ? head / size : Complex(1);
        const Complex longer = phase * (size + length);
        v.re[0] = longer.real();
        v.im[0] = longer.imag();
        factors_[k] = 1 / (length * (length + size));
        update(k, v, count);
        return -std::conj(phase) * length;
    }

    // A := A - v w^H - w v^H in the rows and columns behind k.
    void update(std::size_t k, ConstRow v, std::size_t count) {
        Matrix& a = reflections_;
        Matrix w(1, count);
        const Row to = row_of(w, 0);
        for (std::size_t i = 0; i < count; ++i) {
            const Complex product = product_of_rows(row_of(a, k + 1 + i, k + 1), v, count);
            to.re[i] = factors_[k] * product.real();
            // Of the conjugate, as of v.
            to.im[i] = -factors_[k] * product.imag();
        }
        const double both = product_of_rows(to, v, count).real();
        add_row(to, v, -factors_[k] / 2 * both, count);
        for (std::size_t i = 0; i < count; ++i) {
            const Row row = row_of(a, k + 1 + i, k + 1);
            add_row(row, to, -Complex(v.re[i], -v.im[i]), count);
            add_row(row, v, -Complex(to.re[i], -to.im[i]), count);
        }
    }

    Matrix reflections_;
    std::size_t order_;
    std::vector<Complex> phases_;
    std::vector<double> factors_;
    std::vector<double> diagonal_;
    std::vector<double> next_;
};

// Eigenvalues of a real symmetric matrix of three diagonals, and their vectors as rows.
class Spectrum {
   public:
    // Throws std::runtime_error where no steps find them.
    Spectrum(std::vector<double> diagonal, std::vector<double> next)
        : values(std::move(diagonal)),
          next_(std::move(next)),
          vectors_(values.size() * values.size()) {
        const std::size_t order = values.size();
        for (std::size_t i = 0; i < order; ++i) {
            vectors_[i * order + i] = 1;
        }
        std::size_t left = 60 * order;
        for (std::size_t last = order; last-- > 1;) {
            while (!is_split(last - 1)) {
                if (left-- == 0) {
                    throw std::runtime_error("the eigenvalues were not found");
                }
                step(last);
            }
        }
    }

    std::vector<double> values;
    [[nodiscard]] const double* vector(std::size_t i) const {
        return vectors_.data() + i * values.size();
    }

   private:
    // Whether nothing is left between rows k and k + 1.
    [[nodiscard]] bool is_split(std::size_t k) const {
        const double around = std::abs(values[k]) + std::abs(values[k + 1]);
        return std::abs(next_[k]) <= std::numeric_limits<double>::epsilon() * around;
    }

    // One step of QR, shifted by Wilkinson's rule, on the rows up to `last` that are connected.
    void step(std::size_t last) {
        std::size_t first = last - 1;
        while (first > 0 && !is_split(first - 1)) {
            --first;
        }
        const double half = (values[last - 1] - values[last]) / 2;
        const double side = next_[last - 1];
        const double root = std::copysign(std::hypot(half, side), half);
        double x = values[first] - (values[last] - side * side / (half + root));
        double z = next_[first];
        for (std::size_t k = first; k < last; ++k) {
            const double size = std::hypot(x, z);
            const double cosine = size > 0 ? x / size : 1;
            const double sine = size > 0 ? z / size : 0;
            if (k > first) {
                next_[k - 1] = size;
            }
            rotate(k, cosine, sine);
            if (k + 1 < last) {
                x = next_[k];
                z = sine * next_[k + 1];
                next_[k + 1] *= cosine;
            }
        }
    }

    void rotate(std::size_t k, double cosine, double sine) {
        const double a = values[k];
        const double b = values[k + 1];
        const double both = 2 * cosine * sine * next_[k];
        values[k] = cosine * cosine * a + both + sine * sine * b;
        values[k + 1] = sine * sine * a - both + cosine * cosine * b;
        next_[k] = cosine * sine * (b - a) + (cosine * cosine - sine * sine) * next_[k];
        double* const one = vectors_.data() + k * values.size();
        double* const other = one + values.size();
#pragma omp simd
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double kept = one[i];
            one[i] = cosine * kept + sine * other[i];
            other[i] = cosine * other[i] - sine * kept;
        }
    }

    std::vector<double> next_;
    std::vector<double> vectors_;
};

}  // namespace machmeter::proxies::pwdft
