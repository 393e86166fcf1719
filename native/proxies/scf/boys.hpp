// The Boys function F0(t), the integral over u from 0 to 1 of exp(-t u^2): in it all integrals of s
// functions end (Boys, Proc. R. Soc. A 200, 1950).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace machmeter::proxies::scf {

// By its definition through the error function.
inline double boys(double t) {
    constexpr double small = 1e-8;
    if (t < small) {
        return 1 - t / 3;
    }
    return 0.5 * std::sqrt(std::numbers::pi / t) * std::erf(std::sqrt(t));
}

// The same by Taylor series around points of a grid, so that many are computed at once; its error
// is below 1e-13, which 0.5 sqrt(pi / t) has from `end` on.
class BoysTable {
   public:
    BoysTable() {
        for (std::size_t k = 0; k < order; ++k) {
            values_[k].resize(points);
        }
        for (std::size_t i = 0; i < points; ++i) {
            fill(i);
        }
    }

    static constexpr std::size_t order = 6;
    static constexpr double per_unit = 16;
    static constexpr double end = 28;

    // F0(t) for t from 0 to `end`: the coefficients k of all points.
    [[nodiscard]] const double* coefficients(std::size_t k) const { return values_[k].data(); }

   private:
    static constexpr auto points = static_cast<std::size_t>(end * per_unit) + 1;

    // d F_k / dt = -F_(k+1), so that the series has F_k (-1)^k / k!; the highest by its series
    // F_m = exp(-t) sum (2 t)^i / ((2 m + 1) (2 m + 3) ... (2 m + 2 i + 1)), the others by downward
    // recursion, which is stable: F_(m-1) = (2 t F_m + exp(-t)) / (2 m - 1).
    void fill(std::size_t point) {
        const double t = static_cast<double>(point) / per_unit;
        const double exponential = std::exp(-t);
        double term = 1.0 / (2 * order - 1);
        double of_highest = 0;
        for (std::size_t i = 0; term > 1e-18 * of_highest; ++i) {
            of_highest += term;
            term *= 2 * t / static_cast<double>(2 * (order + i) + 1);
        }
        std::array<double, order> of_each{};
        of_each[order - 1] = exponential * of_highest;
        for (std::size_t m = order - 1; m > 0; --m) {
            of_each[m - 1] = (2 * t * of_each[m] + exponential) / static_cast<double>(2 * m - 1);
        }
        double factor = 1;
        for (std::size_t k = 0; k < order; ++k) {
            values_[k][point] = factor * of_each[k];
            factor /= -static_cast<double>(k + 1);
        }
    }

    std::array<std::vector<double>, order> values_;
};

}  // namespace machmeter::proxies::scf
