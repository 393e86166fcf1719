// What a branch does to conditional likelihoods, for the four rates at once: a lane each.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "proxies/common/lanes.hpp"
#include "proxies/plf/alignment.hpp"
#include "proxies/plf/model.hpp"

namespace machmeter::proxies::plf {

static_assert(rate_count == lane_count);

// Entry [states * j + i] takes component j of a vector to component i of the product.
using LaneMatrix = std::array<Lanes, states * states>;
// Entry [states * code + i] is component i of the product with the vector of a tip.
using TipTable = std::array<Lanes, states * code_count>;

// For each rate.
template <class Of>
Lanes lanes_of(const Model& model, Of&& of) {
    return Lanes{of(model.rates[0]), of(model.rates[1]), of(model.rates[2]), of(model.rates[3])};
}

// Probabilities of changes along a branch. By differences from no change, which are exact where
// the branch is short.
inline LaneMatrix transitions_of(const Model& model, double length) {
    std::array<Lanes, states> growth{};
    for (std::size_t k = 1; k < states; ++k) {
        growth[k] = lanes_of(
            model, [&](double rate) { return std::expm1(model.eigenvalues[k] * rate * length); });
    }
    LaneMatrix matrix;
    for (std::size_t j = 0; j < states; ++j) {
        for (std::size_t i = 0; i < states; ++i) {
            Lanes sum = in_all_lanes(i == j ? 1 : 0);
            for (std::size_t k = 1; k < states; ++k) {
                sum += growth[k] * (model.basis[k][i] / model.frequencies[i] * model.basis[k][j]);
            }
            matrix[states * j + i] = sum;
        }
    }
    return matrix;
}

// From states to components along the eigenvectors, in which a branch is a factor for each.
inline LaneMatrix basis_of(const Model& model) {
    LaneMatrix matrix;
    for (std::size_t j = 0; j < states; ++j) {
        for (std::size_t k = 0; k < states; ++k) {
            matrix[states * j + k] = in_all_lanes(model.basis[k][j]);
        }
    }
    return matrix;
}

// A tip's vector is 1 at each state that its code has.
inline TipTable tip_table(const LaneMatrix& matrix) {
    TipTable table;
    for (std::size_t i = 0; i < states; ++i) {
        table[i] = in_all_lanes(0);
    }
    for (std::size_t code = 1; code < code_count; ++code) {
        std::size_t state = 0;
        while ((code >> state) % 2 == 0) {
            ++state;
        }
        const std::size_t rest = code & (code - 1);
        for (std::size_t i = 0; i < states; ++i) {
            table[states * code + i] = table[states * rest + i] + matrix[states * state + i];
        }
    }
    return table;
}

// Of each component along the eigenvectors, at a length: its factor in a site's likelihood, and the
// first and second derivative of that.
struct Factors {
    std::array<Lanes, states> value{};
    std::array<Lanes, states> first{};
    std::array<Lanes, states> second{};
};

inline Factors factors_of(const Model& model, double length) {
    constexpr double share = 1.0 / rate_count;
    Factors factors;
    for (std::size_t k = 0; k < states; ++k) {
        const Lanes slope =
            lanes_of(model, [&](double rate) { return model.eigenvalues[k] * rate; });
        factors.value[k] = lanes_of(model, [&](double rate) {
            return share * std::exp(model.eigenvalues[k] * rate * length);
        });
        factors.first[k] = slope * factors.value[k];
        factors.second[k] = slope * factors.first[k];
    }
    return factors;
}

}  // namespace machmeter::proxies::plf
