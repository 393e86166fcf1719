// The smallest eigenvalues of A x = e S x for small Hermitian matrices, on one rank: what the
// others wait for.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "proxies/pwdft/bands.hpp"

namespace machmeter::proxies::pwdft {

using Complex = std::complex<double>;

// Row by row.
struct Dense {
    std::size_t order = 0;
    std::vector<Complex> values;

    explicit Dense(std::size_t n) : order(n), values(n * n) {}
    explicit Dense(const Matrix& matrix) : Dense(matrix.rows) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = {matrix.re[i], matrix.im[i]};
        }
    }
    [[nodiscard]] Complex& operator()(std::size_t i, std::size_t j) {
        return values[i * order + j];
    }
    [[nodiscard]] const Complex& operator()(std::size_t i, std::size_t j) const {
        return values[i * order + j];
    }
};

// The lower triangle L of S = L L^H. Throws std::runtime_error where S is not positive definite.
inline Dense cholesky(const Dense& s) {
    Dense lower(s.order);
    for (std::size_t j = 0; j < s.order; ++j) {
        for (std::size_t i = j; i < s.order; ++i) {
            Complex sum = s(i, j);
            for (std::size_t k = 0; k < j; ++k) {
                sum -= lower(i, k) * std::conj(lower(j, k));
            }
            if (i > j) {
                lower(i, j) = sum / lower(j, j);
            } else if (!(sum.real() > 0)) {
                throw std::runtime_error("the wave functions are linearly dependent");
            } else {
                lower(j, j) = std::sqrt(sum.real());
            }
        }
    }
    return lower;
}

// B := L^-1 B.
inline void solve_lower(const Dense& lower, Dense& b) {
    for (std::size_t i = 0; i < b.order; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            for (std::size_t j = 0; j < b.order; ++j) {
                b(i, j) -= lower(i, k) * b(k, j);
            }
        }
        for (std::size_t j = 0; j < b.order; ++j) {
            b(i, j) /= lower(i, i);
        }
    }
}

inline Dense adjoint(const Dense& a) {
    Dense turned(a.order);
    for (std::size_t i = 0; i < a.order; ++i) {
        for (std::size_t j = 0; j < a.order; ++j) {
            turned(i, j) = std::conj(a(j, i));
        }
    }
    return turned;
}

// B := L^-H B.
inline void solve_upper(const Dense& lower, Dense& b) {
    for (std::size_t i = b.order; i-- > 0;) {
        for (std::size_t k = i + 1; k < b.order; ++k) {
            for (std::size_t j = 0; j < b.order; ++j) {
                b(i, j) -= std::conj(lower(k, i)) * b(k, j);
            }
        }
        for (std::size_t j = 0; j < b.order; ++j) {
            b(i, j) /= lower(i, i);
        }
    }
}

// Rotates rows and columns p and q of A, and columns of V, so that A(p, q) becomes 0.
inline void rotate(Dense& a, Dense& v, std::size_t p, std::size_t q) {
    const double size = std::abs(a(p, q));
    if (size == 0) {
        return;
    }
    const Complex phase = a(p, q) / size;
    const double ratio = (a(q, q).real() - a(p, p).real()) / (2 * size);
    const double tangent = (ratio >= 0 ? 1 : -1) / (std::abs(ratio) + std::sqrt(ratio * ratio + 1));
    const double cosine = 1 / std::sqrt(tangent * tangent + 1);
    const Complex sine = tangent * cosine * phase;
    for (std::size_t k = 0; k < a.order; ++k) {
        const Complex kp = a(k, p);
        const Complex kq = a(k, q);
        a(k, p) = cosine * kp - std::conj(sine) * kq;
        a(k, q) = sine * kp + cosine * kq;
        const Complex vp = v(k, p);
        const Complex vq = v(k, q);
        v(k, p) = cosine * vp - std::conj(sine) * vq;
        v(k, q) = sine * vp + cosine * vq;
    }
    for (std::size_t k = 0; k < a.order; ++k) {
        const Complex pk = a(p, k);
        const Complex qk = a(q, k);
        a(p, k) = cosine * pk - sine * qk;
        a(q, k) = std::conj(sine) * pk + cosine * qk;
    }
}

// Jacobi's method with cyclic sweeps (Golub and Van Loan, Matrix Computations, 8.5): A becomes
// diagonal, the columns of the result its eigenvectors.
inline Dense diagonalize(Dense& a) {
    Dense vectors(a.order);
    for (std::size_t i = 0; i < a.order; ++i) {
        vectors(i, i) = 1;
    }
    constexpr int most_sweeps = 60;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        double off = 0;
        double on = 0;
        for (std::size_t i = 0; i < a.order; ++i) {
            on += std::norm(a(i, i));
            for (std::size_t j = i + 1; j < a.order; ++j) {
                off += std::norm(a(i, j));
            }
        }
        if (off <= 1e-30 * on) {
            break;
        }
        for (std::size_t p = 0; p + 1 < a.order; ++p) {
            for (std::size_t q = p + 1; q < a.order; ++q) {
                rotate(a, vectors, p, q);
            }
        }
    }
    return vectors;
}

// energies: the lowest `count`, rising. mix: their vectors as columns, x^H S x = 1.
struct Lowest {
    std::vector<double> energies;
    Matrix mix;
};

inline Lowest lowest_of(const Matrix& a, const Matrix& s, std::size_t count) {
    const Dense lower = cholesky(Dense(s));
    Dense reduced(a);
    solve_lower(lower, reduced);
    reduced = adjoint(reduced);
    solve_lower(lower, reduced);
    Dense vectors = diagonalize(reduced);
    solve_upper(lower, vectors);
    std::vector<std::size_t> order(a.rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        return reduced(i, i).real() < reduced(j, j).real();
    });
    Lowest found{{}, Matrix(a.rows, count)};
    for (std::size_t k = 0; k < count; ++k) {
        found.energies.push_back(reduced(order[k], order[k]).real());
        for (std::size_t i = 0; i < a.rows; ++i) {
            found.mix.re[found.mix.at(i, k)] = vectors(i, order[k]).real();
            found.mix.im[found.mix.at(i, k)] = vectors(i, order[k]).imag();
        }
    }
    return found;
}

}  // namespace machmeter::proxies::pwdft
