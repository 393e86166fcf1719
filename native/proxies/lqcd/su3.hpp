// Complex 3 x 3 matrices and vectors of three colors, one at a time: how links are made and
// checked, not how the solve multiplies by them.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>

#include "core/values/random_bits.hpp"

namespace machmeter::proxies::lqcd {

using Complex = std::complex<double>;
using Color = std::array<Complex, 3>;
using Matrix = std::array<Color, 3>;  // rows

inline constexpr std::size_t colors = 3;

inline Matrix dagger(const Matrix& matrix) {
    Matrix result;
    for (std::size_t i = 0; i < colors; ++i) {
        for (std::size_t j = 0; j < colors; ++j) {
            result[j][i] = std::conj(matrix[i][j]);
        }
    }
    return result;
}

// Without the tests for infinite parts of std::complex.
inline Complex product(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

inline Color product(const Matrix& matrix, const Color& color) {
    Color result{};
    for (std::size_t i = 0; i < colors; ++i) {
        for (std::size_t j = 0; j < colors; ++j) {
            result[i] += product(matrix[i][j], color[j]);
        }
    }
    return result;
}

inline Matrix product(const Matrix& a, const Matrix& b) {
    Matrix result{};
    for (std::size_t i = 0; i < colors; ++i) {
        for (std::size_t k = 0; k < colors; ++k) {
            for (std::size_t j = 0; j < colors; ++j) {
                result[i][j] += product(a[i][k], b[k][j]);
            }
        }
    }
    return result;
}

inline Matrix scaled(double factor, Matrix matrix) {
    for (Color& row : matrix) {
        for (Complex& element : row) {
            element *= factor;
        }
    }
    return matrix;
}

inline void add(Color& sum, double factor, const Color& color) {
    for (std::size_t i = 0; i < colors; ++i) {
        sum[i] += factor * color[i];
    }
}

// The scalar product, which conjugates the first one.
inline Complex scalar_product(const Color& a, const Color& b) {
    Complex sum{};
    for (std::size_t i = 0; i < colors; ++i) {
        sum += product(std::conj(a[i]), b[i]);
    }
    return sum;
}

// Parts between -0.5 and 0.5, by position alone.
inline Color random_color(std::uint64_t seed, std::uint64_t index) {
    Color color;
    for (std::size_t i = 0; i < colors; ++i) {
        const std::uint64_t first = (index * colors + i) * 2;
        color[i] = {uniform(seed, first) - 0.5, uniform(seed, first + 1) - 0.5};
    }
    return color;
}

inline Color normalized(const Color& color) {
    const double scale = 1 / std::sqrt(scalar_product(color, color).real());
    return {scale * color[0], scale * color[1], scale * color[2]};
}

// In SU(3): two random rows, orthonormal by Gram and Schmidt, and the third that makes the
// determinant 1.
inline Matrix random_su3(std::uint64_t seed, std::uint64_t index) {
    const Color a = normalized(random_color(seed, 2 * index));
    Color b = random_color(seed, 2 * index + 1);
    const Complex overlap = scalar_product(a, b);
    for (std::size_t i = 0; i < colors; ++i) {
        b[i] -= product(overlap, a[i]);
    }
    b = normalized(b);
    Color c;
    for (std::size_t i = 0; i < colors; ++i) {
        const std::size_t j = (i + 1) % colors;
        const std::size_t k = (i + 2) % colors;
        c[i] = std::conj(product(a[j], b[k]) - product(a[k], b[j]));
    }
    return {a, b, c};
}

}  // namespace machmeter::proxies::lqcd
