// Fourier transforms of four lines at once, without scaling: Stockham's sorting passes of radix 4,
// 2, 3 and 5 (Cochran et al., Proc. IEEE 55, 1967).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/values/parameters.hpp"
#include "proxies/common/lanes.hpp"

namespace machmeter::proxies {

// One element of four lines.
struct Complex4 {
    Lanes re;
    Lanes im;
};

inline Complex4 operator+(const Complex4& a, const Complex4& b) {
    return {a.re + b.re, a.im + b.im};
}
inline Complex4 operator-(const Complex4& a, const Complex4& b) {
    return {a.re - b.re, a.im - b.im};
}
inline Complex4 scaled(const Complex4& a, double by) { return {a.re * by, a.im * by}; }
// Times the imaginary unit, times `sign`.
inline Complex4 turned(const Complex4& a, double sign) { return {-sign * a.im, sign * a.re}; }

// A length is a product of 2, 3 and 5.
inline bool is_smooth(std::size_t length) {
    for (const std::size_t prime : {2U, 3U, 5U}) {
        while (length > 1 && length % prime == 0) {
            length /= prime;
        }
    }
    return length == 1;
}

enum class Way { forward = -1, backward = 1 };

class Fourier {
   public:
    // Throws UsageError for other lengths.
    explicit Fourier(std::size_t length) : length_(length) {
        if (!is_smooth(length)) {
            throw UsageError("grid: " + std::to_string(length) +
                             " has a prime factor above 5: request a product of 2, 3 and 5");
        }
        std::size_t left = length;
        while (left > 1) {
            const std::size_t radix = left % 4 == 0 ? 4 : left % 2 == 0 ? 2 : left % 3 == 0 ? 3 : 5;
            passes_.push_back({radix, left / radix, turns(left, left / radix, radix)});
            left /= radix;
        }
    }

    [[nodiscard]] std::size_t length() const { return length_; }

    // Operations of one line, by the usual count (Frigo and Johnson, Proc. IEEE 93, 2005).
    [[nodiscard]] double flops() const {
        const auto n = static_cast<double>(length_);
        return 5 * n * std::log2(n);
    }

    // The result is in `values`; `work` is as long.
    void transform(Way way, std::vector<Complex4>& values, std::vector<Complex4>& work) const {
        std::size_t stride = 1;
        for (const Pass& pass : passes_) {
            const double sign = way == Way::forward ? -1 : 1;
            switch (pass.radix) {
                case 2:
                    run<2>(pass, stride, sign, values.data(), work.data());
                    break;
                case 3:
                    run<3>(pass, stride, sign, values.data(), work.data());
                    break;
                case 4:
                    run<4>(pass, stride, sign, values.data(), work.data());
                    break;
                default:
                    run<5>(pass, stride, sign, values.data(), work.data());
            }
            values.swap(work);
            stride *= pass.radix;
        }
    }

   private:
    using Turn = std::pair<double, double>;

    // turns: of output j of butterfly p at [p * (radix - 1) + j - 1], forward.
    struct Pass {
        std::size_t radix;
        std::size_t groups;
        std::vector<Turn> turns;
    };

    static std::vector<Turn> turns(std::size_t length, std::size_t groups, std::size_t radix) {
        constexpr double pi = 3.14159265358979323846;
        std::vector<Turn> all;
        for (std::size_t p = 0; p < groups; ++p) {
            for (std::size_t j = 1; j < radix; ++j) {
                const double angle =
                    -2 * pi * static_cast<double>(p * j % length) / static_cast<double>(length);
                all.emplace_back(std::cos(angle), std::sin(angle));
            }
        }
        return all;
    }

    template <std::size_t radix>
    static void run(const Pass& pass, std::size_t stride, double sign, const Complex4* in,
                    Complex4* out) {
        for (std::size_t p = 0; p < pass.groups; ++p) {
            const Turn* const turn = pass.turns.data() + p * (radix - 1);
            for (std::size_t q = 0; q < stride; ++q) {
                std::array<Complex4, radix> a;
                for (std::size_t k = 0; k < radix; ++k) {
                    a[k] = in[q + stride * (p + pass.groups * k)];
                }
                butterfly(a, sign);
                Complex4* const to = out + q + stride * radix * p;
                to[0] = a[0];
                for (std::size_t j = 1; j < radix; ++j) {
                    const double re = turn[j - 1].first;
                    // Stored for the way forward.
                    const double im = -sign * turn[j - 1].second;
                    to[stride * j] = {a[j].re * re - a[j].im * im, a[j].re * im + a[j].im * re};
                }
            }
        }
    }

    static void butterfly(std::array<Complex4, 2>& a, double /*sign*/) {
        const Complex4 b = a[1];
        a[1] = a[0] - b;
        a[0] = a[0] + b;
    }

    static void butterfly(std::array<Complex4, 3>& a, double sign) {
        constexpr double half_root = 0.86602540378443864676;
        const Complex4 sum = a[1] + a[2];
        const Complex4 difference = turned(scaled(a[1] - a[2], half_root), sign);
        const Complex4 middle = a[0] - scaled(sum, 0.5);
        a[0] = a[0] + sum;
        a[1] = middle + difference;
        a[2] = middle - difference;
    }

    static void butterfly(std::array<Complex4, 4>& a, double sign) {
        const Complex4 even_sum = a[0] + a[2];
        const Complex4 even_difference = a[0] - a[2];
        const Complex4 odd_sum = a[1] + a[3];
        const Complex4 odd_difference = turned(a[1] - a[3], sign);
        a[0] = even_sum + odd_sum;
        a[1] = even_difference + odd_difference;
        a[2] = even_sum - odd_sum;
        a[3] = even_difference - odd_difference;
    }

    static void butterfly(std::array<Complex4, 5>& a, double sign) {
        constexpr double cos_1 = 0.30901699437494742410;
        constexpr double cos_2 = -0.80901699437494742410;
        constexpr double sin_1 = 0.95105651629515357212;
        constexpr double sin_2 = 0.58778525229247312917;
        const Complex4 outer = a[1] + a[4];
        const Complex4 inner = a[2] + a[3];
        const Complex4 outer_difference = a[1] - a[4];
        const Complex4 inner_difference = a[2] - a[3];
        const Complex4 first = a[0] + scaled(outer, cos_1) + scaled(inner, cos_2);
        const Complex4 second = a[0] + scaled(outer, cos_2) + scaled(inner, cos_1);
        const Complex4 first_turn =
            turned(scaled(outer_difference, sin_1) + scaled(inner_difference, sin_2), sign);
        const Complex4 second_turn =
            turned(scaled(outer_difference, sin_2) - scaled(inner_difference, sin_1), sign);
        a[0] = a[0] + outer + inner;
        a[1] = first + first_turn;
        a[2] = second + second_turn;
        a[3] = second - second_turn;
        a[4] = first - first_turn;
    }

    std::size_t length_;
    std::vector<Pass> passes_;
};

}  // namespace machmeter::proxies
