// Pairs of s functions: what every integral over them needs, the strongest pairs first.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "proxies/scf/boys.hpp"
#include "proxies/scf/molecules.hpp"

namespace machmeter::proxies::scf {

inline constexpr std::size_t products = primitives * primitives;
// Two-electron integrals that are below it by Schwarz's inequality are left out, hartree.
inline constexpr double threshold = 1e-12;

// The product of two Gaussians is one between them (Boys 1950).
struct Product {
    double exponent = 0;  // the sum of both
    Position center{};
    double factor = 0;  // weights, normalization, and the overlap's exponential
};

inline Product product_of(const Position& a, const Position& b, std::size_t of_a,
                          std::size_t of_b) {
    const double first = exponents[of_a];
    const double second = exponents[of_b];
    const double sum = first + second;
    Product product{sum};
    for (std::size_t d = 0; d < a.size(); ++d) {
        product.center[d] = (first * a[d] + second * b[d]) / sum;
    }
    product.factor = weights[of_a] * weights[of_b] * normalization(first) * normalization(second) *
                     std::exp(-first * second / sum * square_of_distance(a, b));
    return product;
}

// (ab|cd) of products of Gaussians, hartree (Szabo and Ostlund, Modern Quantum Chemistry, 1996,
// A.41).
inline double repulsion(const Product& bra, const Product& ket) {
    const double sum = bra.exponent + ket.exponent;
    const double t = bra.exponent * ket.exponent / sum * square_of_distance(bra.center, ket.center);
    const double pi = std::numbers::pi;
    return 2 * std::pow(pi, 2.5) / (bra.exponent * ket.exponent * std::sqrt(sum)) * bra.factor *
           ket.factor * boys(t);
}

// `use(product)` for each of the nine products of two functions.
template <class Use>
void each_product(const Position& a, const Position& b, Use&& use) {
    for (std::size_t i = 0; i < primitives; ++i) {
        for (std::size_t j = 0; j < primitives; ++j) {
            use(product_of(a, b, i, j));
        }
    }
}

// Of whole functions, product by product.
inline double repulsion(const Position& a, const Position& b, const Position& c,
                        const Position& d) {
    double sum = 0;
    each_product(a, b, [&](const Product& bra) {
        each_product(c, d, [&](const Product& ket) { sum += repulsion(bra, ket); });
    });
    return sum;
}

// Of two functions whose product reaches anything: i >= j.
struct Pair {
    std::uint32_t i = 0;
    std::uint32_t j = 0;
    // The root of (ij|ij): |(ij|kl)| is at most that of ij times that of kl.
    double bound = 0;
};

class Pairs {
   public:
    explicit Pairs(const std::vector<Position>& atoms) : pairs_(strong_pairs(atoms)) {
        for (std::size_t k = 0; k < products; ++k) {
            for (auto* const values : {&exponent_[k], &x_[k], &y_[k], &z_[k], &factor_[k]}) {
                values->reserve(pairs_.size());
            }
        }
        for (const Pair& pair : pairs_) {
            std::size_t k = 0;
            each_product(atoms[pair.i], atoms[pair.j], [&](const Product& product) {
                append(k, product);
                ++k;
            });
        }
    }

    [[nodiscard]] std::size_t size() const { return pairs_.size(); }
    [[nodiscard]] const Pair& operator[](std::size_t number) const { return pairs_[number]; }

    // Of product k of every pair.
    [[nodiscard]] const double* exponent(std::size_t k) const { return exponent_[k].data(); }
    [[nodiscard]] const double* x(std::size_t k) const { return x_[k].data(); }
    [[nodiscard]] const double* y(std::size_t k) const { return y_[k].data(); }
    [[nodiscard]] const double* z(std::size_t k) const { return z_[k].data(); }
    // With what belongs to one pair of the factor before F0: sqrt(2) pi^(5/4) / exponent.
    [[nodiscard]] const double* factor(std::size_t k) const { return factor_[k].data(); }

    // How many of the pairs up to `number` are not negligible with it; they are the first.
    [[nodiscard]] std::size_t partners(std::size_t number) const {
        const double least = threshold / pairs_[number].bound;
        const auto end = pairs_.begin() + static_cast<std::ptrdiff_t>(number) + 1;
        return static_cast<std::size_t>(
            std::partition_point(pairs_.begin(), end,
                                 [least](const Pair& pair) { return pair.bound >= least; }) -
            pairs_.begin());
    }

   private:
    static std::vector<Pair> strong_pairs(const std::vector<Position>& atoms) {
        std::vector<Pair> pairs;
        // No function with itself has a larger bound than this one with any other.
        const double most = std::sqrt(repulsion(atoms[0], atoms[0], atoms[0], atoms[0]));
        for (std::uint32_t i = 0; i < atoms.size(); ++i) {
            for (std::uint32_t j = 0; j <= i; ++j) {
                const Position& a = atoms[i];
                const Position& b = atoms[j];
                // exp(-50) of the widest product is far below the threshold.
                if (exponents[primitives - 1] / 2 * square_of_distance(a, b) > 50) {
                    continue;
                }
                const double bound = std::sqrt(repulsion(a, b, a, b));
                if (bound * most >= threshold) {
                    pairs.push_back({i, j, bound});
                }
            }
        }
        std::stable_sort(pairs.begin(), pairs.end(),
                         [](const Pair& a, const Pair& b) { return a.bound > b.bound; });
        return pairs;
    }

    void append(std::size_t k, const Product& product) {
        const double shared = std::numbers::sqrt2 * std::pow(std::numbers::pi, 1.25);
        exponent_[k].push_back(product.exponent);
        x_[k].push_back(product.center[0]);
        y_[k].push_back(product.center[1]);
        z_[k].push_back(product.center[2]);
        factor_[k].push_back(product.factor * shared / product.exponent);
    }

    using Columns = std::array<std::vector<double>, products>;

    std::vector<Pair> pairs_;
    Columns exponent_;
    Columns x_;
    Columns y_;
    Columns z_;
    Columns factor_;
};

}  // namespace machmeter::proxies::scf
