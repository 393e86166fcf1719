// Several wave functions, and the products of matrices that mix them.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace machmeter::proxies::pwdft {

// Row by row; real and imaginary parts apart, so that loops over waves are plain.
struct Bands {
    std::size_t count = 0;
    std::size_t waves = 0;
    std::vector<double> re;
    std::vector<double> im;

    Bands(std::size_t bands, std::size_t length)
        : count(bands), waves(length), re(bands * length, 0.0), im(bands * length, 0.0) {}

    [[nodiscard]] double* re_of(std::size_t band) { return re.data() + band * waves; }
    [[nodiscard]] double* im_of(std::size_t band) { return im.data() + band * waves; }
    [[nodiscard]] const double* re_of(std::size_t band) const { return re.data() + band * waves; }
    [[nodiscard]] const double* im_of(std::size_t band) const { return im.data() + band * waves; }
};

inline void clear(Bands& bands) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < bands.re.size(); ++i) {
        bands.re[i] = 0;
        bands.im[i] = 0;
    }
}

// A small square or rectangular matrix, row by row.
struct Matrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<double> re;
    std::vector<double> im;

    Matrix(std::size_t height, std::size_t width)
        : rows(height), columns(width), re(height * width, 0.0), im(height * width, 0.0) {}

    [[nodiscard]] std::size_t at(std::size_t i, std::size_t j) const { return i * columns + j; }
};

// 8 operations for each product of two complex numbers, added up.
inline constexpr double flops_per_product = 8;

// Columns of waves that stay in the first cache while all pairs of bands pass over them.
inline constexpr std::size_t block_waves = 256;

// Adds to `product` at (row + i, column + j): the sum over waves of conj(a_i) b_j.
inline void add_overlaps(const Bands& a, const Bands& b, Matrix& product, std::size_t row,
                         std::size_t column) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < a.count; ++i) {
        for (std::size_t begin = 0; begin < a.waves; begin += block_waves) {
            const std::size_t end = std::min(a.waves, begin + block_waves);
            const double* const ar = a.re_of(i);
            const double* const ai = a.im_of(i);
            for (std::size_t j = 0; j < b.count; ++j) {
                const double* const br = b.re_of(j);
                const double* const bi = b.im_of(j);
                double re = 0;
                double im = 0;
#pragma omp simd reduction(+ : re, im)
                for (std::size_t g = begin; g < end; ++g) {
                    re += ar[g] * br[g] + ai[g] * bi[g];
                    im += ar[g] * bi[g] - ai[g] * br[g];
                }
                product.re[product.at(row + i, column + j)] += re;
                product.im[product.at(row + i, column + j)] += im;
            }
        }
    }
}

// Adds to each row i of `out`: the sum over j of a_j times mix(row + j, i).
inline void add_mixed(const Bands& a, const Matrix& mix, std::size_t row, Bands& out) {
#pragma omp parallel for schedule(static)
    for (std::size_t begin = 0; begin < a.waves; begin += block_waves) {
        const std::size_t end = std::min(a.waves, begin + block_waves);
        for (std::size_t i = 0; i < out.count; ++i) {
            double* const outr = out.re_of(i);
            double* const outi = out.im_of(i);
            for (std::size_t j = 0; j < a.count; ++j) {
                const double mr = mix.re[mix.at(row + j, i)];
                const double mi = mix.im[mix.at(row + j, i)];
                const double* const ar = a.re_of(j);
                const double* const ai = a.im_of(j);
#pragma omp simd
                for (std::size_t g = begin; g < end; ++g) {
                    outr[g] += ar[g] * mr - ai[g] * mi;
                    outi[g] += ar[g] * mi + ai[g] * mr;
                }
            }
        }
    }
}

}  // namespace machmeter::proxies::pwdft
