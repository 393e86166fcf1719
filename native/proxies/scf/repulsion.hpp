// Two-electron integrals of one pair with many others at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "proxies/scf/boys.hpp"
#include "proxies/scf/pairs.hpp"

namespace machmeter::proxies::scf {

// Operations for one product with one other: 9 for the distance, 5 for t, 15 for F0 and what its
// series begins with, 4 for the root and the sum.
inline constexpr double flops_per_products = 33;
inline constexpr double flops_per_quartet = products * products * flops_per_products;
// What is read of a pair for each other: exponent, center and factor of its products.
inline constexpr double bytes_per_quartet = products * 5 * sizeof(double);

// A test puts a faulty one in its place.
struct Repulsion {
    // values[n] += (ij|kl) for kl = first + n, n < count.
    void operator()(const Pairs& pairs, const BoysTable& boys, std::size_t ij, std::size_t first,
                    std::size_t count, double* values) const {
        for (std::size_t bra = 0; bra < products; ++bra) {
            for (std::size_t ket = 0; ket < products; ++ket) {
                add(pairs, boys, ij, bra, first, count, ket, values);
            }
        }
    }

   private:
    static void add(const Pairs& pairs, const BoysTable& boys, std::size_t ij, std::size_t bra,
                    std::size_t first, std::size_t count, std::size_t ket, double* values) {
        const double p = pairs.exponent(bra)[ij];
        const double x = pairs.x(bra)[ij];
        const double y = pairs.y(bra)[ij];
        const double z = pairs.z(bra)[ij];
        const double factor = pairs.factor(bra)[ij];
        const double* const q = pairs.exponent(ket) + first;
        const double* const qx = pairs.x(ket) + first;
        const double* const qy = pairs.y(ket) + first;
        const double* const qz = pairs.z(ket) + first;
        const double* const of_ket = pairs.factor(ket) + first;
        const double* const c0 = boys.coefficients(0);
        const double* const c1 = boys.coefficients(1);
        const double* const c2 = boys.coefficients(2);
        const double* const c3 = boys.coefficients(3);
        const double* const c4 = boys.coefficients(4);
        const double* const c5 = boys.coefficients(5);
        constexpr double end = BoysTable::end;
        constexpr double per_unit = BoysTable::per_unit;
#pragma omp simd
        for (std::size_t n = 0; n < count; ++n) {
            const double dx = x - qx[n];
            const double dy = y - qy[n];
            const double dz = z - qz[n];
            const double square = dx * dx + dy * dy + dz * dz;
            const double inverse = 1 / (p + q[n]);
            const double scaled = p * q[n] * square;
            const double t = scaled * inverse;
            const bool is_near = t < end;
            const double near = is_near ? t : end;
            const int point = static_cast<int>(near * per_unit + 0.5);
            const double away = near - point * (1 / per_unit);
            double series = c5[point];
            series = series * away + c4[point];
            series = series * away + c3[point];
            series = series * away + c2[point];
            series = series * away + c1[point];
            series = series * away + c0[point];
            // Far away F0 / sqrt(p + q) is the root of pi / (4 p q square).
            const double far = std::numbers::pi / 4 / scaled;
            const double under_root = is_near ? inverse : far;
            const double times = is_near ? series : 1;
            values[n] += factor * of_ket[n] * std::sqrt(under_root) * times;
        }
    }
};

}  // namespace machmeter::proxies::scf
