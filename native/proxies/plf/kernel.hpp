// The two loops over sites: conditional likelihoods of a node from those of two others
// (Felsenstein, J. Mol. Evol. 17, 1981), and sums of likelihoods and their derivatives over a
// table for one branch (as RAxML and libpll compute them). A lane is a rate; sites go in fours.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "proxies/common/lanes.hpp"
#include "proxies/plf/alignment.hpp"
#include "proxies/plf/model.hpp"
#include "proxies/plf/transitions.hpp"

namespace machmeter::proxies::plf {

inline constexpr std::size_t sites_per_group = 4;

// Where the sum of a site's entries is below, they are multiplied by its inverse, and that is
// counted.
inline constexpr double tiny = 0x1p-256;
inline constexpr double inverse_of_tiny = 0x1p256;
inline constexpr double log_of_tiny = -256 * 0.693147180559945309417;

using Scalings = std::uint32_t;

// What lies at one end of a branch: a tip, which has codes, or an inner node, which has values.
struct Side {
    const Lanes* table = nullptr;
    const Code* codes = nullptr;
    const Lanes* matrix = nullptr;
    const Lanes* values = nullptr;
    const Scalings* scalings = nullptr;

    [[nodiscard]] bool is_tip() const { return codes != nullptr; }
};

// values[states * site + state] = product of both sides. A table for one branch has no scalings.
struct Product {
    Side left;
    Side right;
    Lanes* values = nullptr;
    Scalings* scalings = nullptr;
};

// A table for one branch, its weights, and how often its two sides were scaled (null: never).
struct Table {
    const Lanes* values = nullptr;
    const double* weights = nullptr;
    const Scalings* left = nullptr;
    const Scalings* right = nullptr;
};

// Of logarithms of the likelihoods of sites, and of their derivatives by the length of the branch.
struct Sums {
    double log = 0;
    double first = 0;
    double second = 0;
};

// States of one site, then those of the next.
using TwoSites = std::array<Lanes, 2 * states>;

struct TipSide {
    const Lanes* table;
    const Code* codes;

    explicit TipSide(const Side& side) : table(side.table), codes(side.codes) {}

    [[nodiscard]] TwoSites at(std::size_t site) const {
        const Lanes* const first = table + states * codes[site];
        const Lanes* const second = table + states * codes[site + 1];
        return {first[0], first[1], first[2], first[3], second[0], second[1], second[2], second[3]};
    }
    [[nodiscard]] static Scalings scaled(std::size_t /*site*/) { return 0; }
};

struct InnerSide {
    const Lanes* matrix;
    const Lanes* values;
    const Scalings* scalings;

    explicit InnerSide(const Side& side)
        : matrix(side.matrix), values(side.values), scalings(side.scalings) {}

    [[nodiscard]] TwoSites at(std::size_t site) const {
        const Lanes* const in = values + states * site;
        TwoSites out;
        for (std::size_t i = 0; i < states; ++i) {
            out[i] = matrix[i] * in[0];
            out[states + i] = matrix[i] * in[states];
        }
        for (std::size_t j = 1; j < states; ++j) {
            for (std::size_t i = 0; i < states; ++i) {
                out[i] += matrix[states * j + i] * in[j];
                out[states + i] += matrix[states * j + i] * in[states + j];
            }
        }
        return out;
    }
    [[nodiscard]] Scalings scaled(std::size_t site) const { return scalings[site]; }
};

// How often the values of a site, whose sum is this, had to be scaled.
inline Scalings scale(double sum, Lanes* values) {
    Scalings times = 0;
    while (sum < tiny && sum > 0) {
        sum *= inverse_of_tiny;
        for (std::size_t i = 0; i < states; ++i) {
            values[i] *= in_all_lanes(inverse_of_tiny);
        }
        ++times;
    }
    return times;
}

template <bool is_scaled, class Left, class Right>
void multiply(const Left& left, const Right& right, const Product& product, std::size_t first,
              std::size_t last) {
    for (std::size_t site = first; site < last; site += 2) {
        const TwoSites a = left.at(site);
        const TwoSites b = right.at(site);
        Lanes* const out = product.values + states * site;
        TwoSites made;
        for (std::size_t i = 0; i < 2 * states; ++i) {
            made[i] = a[i] * b[i];
            out[i] = made[i];
        }
        if constexpr (is_scaled) {
            const Lanes one = (made[0] + made[1]) + (made[2] + made[3]);
            const Lanes two = (made[4] + made[5]) + (made[6] + made[7]);
            product.scalings[site] =
                left.scaled(site) + right.scaled(site) + scale(sum_of_lanes(one), out);
            product.scalings[site + 1] = left.scaled(site + 1) + right.scaled(site + 1) +
                                         scale(sum_of_lanes(two), out + states);
        }
    }
}

template <class Left, class Right>
void multiply(const Product& product, std::size_t first, std::size_t last) {
    const Left left(product.left);
    const Right right(product.right);
    if (product.scalings != nullptr) {
        multiply<true>(left, right, product, first, last);
    } else {
        multiply<false>(left, right, product, first, last);
    }
}

// Over the components from `begin` on, for each of four sites.
template <std::size_t begin>
Lanes sums_of_sites(const Lanes* table, const std::array<Lanes, states>& factors) {
    std::array<Lanes, sites_per_group> sums;
    for (std::size_t site = 0; site < sites_per_group; ++site) {
        sums[site] = table[states * site + begin] * factors[begin];
        for (std::size_t k = begin + 1; k < states; ++k) {
            sums[site] += table[states * site + k] * factors[k];
        }
    }
    return sums_of_lanes(sums[0], sums[1], sums[2], sums[3]);
}

// The kernel of the proxy; a test puts a faulty one in its place. Sites first <= i < last are whole
// groups.
struct SiteKernel {
    void combine(const Product& product, std::size_t first, std::size_t last) const {
        if (product.left.is_tip() && product.right.is_tip()) {
            multiply<TipSide, TipSide>(product, first, last);
        } else if (product.left.is_tip()) {
            multiply<TipSide, InnerSide>(product, first, last);
        } else if (product.right.is_tip()) {
            multiply<InnerSide, TipSide>(product, first, last);
        } else {
            multiply<InnerSide, InnerSide>(product, first, last);
        }
    }

    // The derivatives of the sum of logarithms: the first eigenvalue is 0, and has no part in them.
    void differentiate(const Table& table, const Factors& factors, std::size_t first,
                       std::size_t last, Sums& sums) const {
        const Factors local = factors;
        Lanes first_sum = in_all_lanes(0);
        Lanes second_sum = in_all_lanes(0);
        for (std::size_t site = first; site < last; site += sites_per_group) {
            const Lanes* const at = table.values + states * site;
            const Lanes inverse = in_all_lanes(1) / sums_of_sites<0>(at, local.value);
            const Lanes slope = sums_of_sites<1>(at, local.first) * inverse;
            const Lanes bend = sums_of_sites<1>(at, local.second) * inverse;
            const double* const w = table.weights + site;
            const Lanes weights{w[0], w[1], w[2], w[3]};
            first_sum += weights * slope;
            second_sum += weights * (bend - slope * slope);
        }
        sums.first += sum_of_lanes(first_sum);
        sums.second += sum_of_lanes(second_sum);
    }

    void evaluate(const Table& table, const Factors& factors, std::size_t first, std::size_t last,
                  Sums& sums) const {
        for (std::size_t site = first; site < last; site += sites_per_group) {
            const Lanes likelihood = sums_of_sites<0>(table.values + states * site, factors.value);
            for (std::size_t i = 0; i < sites_per_group; ++i) {
                const double times = (table.left != nullptr ? table.left[site + i] : 0.0) +
                                     (table.right != nullptr ? table.right[site + i] : 0.0);
                sums.log += table.weights[site + i] *
                            (std::log(likelihood[static_cast<int>(i)]) + times * log_of_tiny);
            }
        }
    }
};

}  // namespace machmeter::proxies::plf
