// The smallest eigenvalues of A x = e S x for small Hermitian matrices, on one rank: what the
// others wait for.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "proxies/pwdft/bands.hpp"
#include "proxies/pwdft/tridiagonal.hpp"

namespace machmeter::proxies::pwdft {

// S is not positive definite.
class DependentError : public std::runtime_error {
   public:
    DependentError() : std::runtime_error("the wave functions are linearly dependent") {}
};

// The lower triangle L of S = L L^H. Throws DependentError.
inline Matrix cholesky(const Matrix& s) {
    Matrix lower(s.rows, s.rows);
    for (std::size_t i = 0; i < s.rows; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            const ConstRow of_i = row_of(lower, i);
            const Complex sum = Complex(s.re[s.at(i, j)], s.im[s.at(i, j)]) -
                                product_of_rows(of_i, row_of(lower, j), j);
            if (i == j && !(sum.real() > 0)) {
                throw DependentError();
            }
            const double scale = i == j ? std::sqrt(sum.real()) : lower.re[lower.at(j, j)];
            lower.re[lower.at(i, j)] = sum.real() / scale;
            lower.im[lower.at(i, j)] = i == j ? 0 : sum.imag() / scale;
        }
    }
    return lower;
}

// Row i of B becomes what is left of it, over the diagonal of L.
inline void divide_row(const Matrix& lower, std::size_t i, Matrix& b) {
    const double diagonal = lower.re[lower.at(i, i)];
    for (std::size_t j = 0; j < b.columns; ++j) {
        b.re[b.at(i, j)] /= diagonal;
        b.im[b.at(i, j)] /= diagonal;
    }
}

// B := L^-1 B.
inline void solve_lower(const Matrix& lower, Matrix& b) {
    for (std::size_t i = 0; i < b.rows; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            const std::size_t at = lower.at(i, k);
            add_row(row_of(b, i), row_of(b, k), {-lower.re[at], -lower.im[at]}, b.columns);
        }
        divide_row(lower, i, b);
    }
}

// B := L^-H B.
inline void solve_upper(const Matrix& lower, Matrix& b) {
    for (std::size_t i = b.rows; i-- > 0;) {
        for (std::size_t k = i + 1; k < b.rows; ++k) {
            const std::size_t at = lower.at(k, i);
            add_row(row_of(b, i), row_of(b, k), {-lower.re[at], lower.im[at]}, b.columns);
        }
        divide_row(lower, i, b);
    }
}

inline Matrix adjoint(const Matrix& a) {
    Matrix turned(a.columns, a.rows);
    for (std::size_t i = 0; i < a.rows; ++i) {
        for (std::size_t j = 0; j < a.columns; ++j) {
            turned.re[turned.at(j, i)] = a.re[a.at(i, j)];
            turned.im[turned.at(j, i)] = -a.im[a.at(i, j)];
        }
    }
    return turned;
}

// energies: the lowest `count`, rising. mix: their vectors as columns, x^H S x = 1.
struct Lowest {
    std::vector<double> energies;
    Matrix mix;
};

// Throws DependentError, and std::runtime_error where no eigenvalues are found.
inline Lowest lowest_of(const Matrix& a, const Matrix& s, std::size_t count) {
    const Matrix lower = cholesky(s);
    Matrix reduced(a);
    solve_lower(lower, reduced);
    reduced = adjoint(reduced);
    solve_lower(lower, reduced);
    const Tridiagonal tridiagonal(std::move(reduced));
    const Spectrum spectrum(tridiagonal.diagonal(), tridiagonal.next());
    std::vector<std::size_t> order(a.rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        return spectrum.values[i] < spectrum.values[j];
    });
    std::vector<double> energies;
    std::vector<const double*> vectors;
    for (std::size_t k = 0; k < count; ++k) {
        if (!std::isfinite(spectrum.values[order[k]])) {
            throw std::runtime_error("the eigenvalues were not found");
        }
        energies.push_back(spectrum.values[order[k]]);
        vectors.push_back(spectrum.vector(order[k]));
    }
    Lowest found{std::move(energies), tridiagonal.turned_back(vectors)};
    solve_upper(lower, found.mix);
    return found;
}

}  // namespace machmeter::proxies::pwdft
