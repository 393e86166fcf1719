// How DNA changes along a branch: the general time-reversible model (Tavare, Lectures on
// Mathematics in the Life Sciences 17, 1986) at four rates that stand for a gamma distribution
// (Yang, J. Mol. Evol. 39, 1994). Lengths are expected changes of a site.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace machmeter::proxies::plf {

// A, C, G and T.
inline constexpr std::size_t states = 4;
inline constexpr std::size_t rate_count = 4;

using Values = std::array<double, states>;
using Matrix = std::array<Values, states>;

// Of a symmetric matrix: vectors[i][k] is component i of vector k.
struct EigenSystem {
    Values values{};
    Matrix vectors{};
};

// One rotation of Jacobi's, after which matrix[p][q] is 0.
inline void rotate(Matrix& matrix, Matrix& vectors, std::size_t p, std::size_t q) {
    if (matrix[p][q] == 0) {
        return;
    }
    const double ratio = (matrix[q][q] - matrix[p][p]) / (2 * matrix[p][q]);
    const double tangent =
        std::copysign(1.0, ratio) / (std::abs(ratio) + std::sqrt(ratio * ratio + 1));
    const double cosine = 1 / std::sqrt(tangent * tangent + 1);
    const double sine = tangent * cosine;
    const auto turn = [&](double& first, double& second) {
        const double before = first;
        first = cosine * before - sine * second;
        second = sine * before + cosine * second;
    };
    for (std::size_t k = 0; k < states; ++k) {
        turn(matrix[k][p], matrix[k][q]);
    }
    for (std::size_t k = 0; k < states; ++k) {
        turn(matrix[p][k], matrix[q][k]);
        turn(vectors[k][p], vectors[k][q]);
    }
}

// The largest value first.
inline EigenSystem eigen_system(Matrix matrix) {
    constexpr int sweeps = 12;
    Matrix vectors{};
    for (std::size_t i = 0; i < states; ++i) {
        vectors[i][i] = 1;
    }
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (std::size_t p = 0; p < states; ++p) {
            for (std::size_t q = p + 1; q < states; ++q) {
                rotate(matrix, vectors, p, q);
            }
        }
    }
    std::array<std::size_t, states> order{0, 1, 2, 3};
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return matrix[a][a] > matrix[b][b]; });
    EigenSystem sorted;
    for (std::size_t k = 0; k < states; ++k) {
        sorted.values[k] = matrix[order[k]][order[k]];
        for (std::size_t i = 0; i < states; ++i) {
            sorted.vectors[i][k] = vectors[i][order[k]];
        }
    }
    return sorted;
}

// The share of a gamma distribution of scale 1 that is below x, by its series (Abramowitz and
// Stegun 6.5.29).
inline double gamma_below(double shape, double x) {
    double term = std::pow(x, shape) * std::exp(-x) / std::tgamma(shape + 1);
    double sum = term;
    for (int n = 1; term > sum * 1e-17; ++n) {
        term *= x / (shape + n);
        sum += term;
    }
    return sum;
}

// Means of the quarters of a gamma distribution whose mean is 1 (Yang, 1994, equation 10).
inline Values gamma_rates(double shape) {
    Values rates{};
    double below = 0;
    for (std::size_t i = 0; i < rate_count; ++i) {
        double low = 0;
        double high = 100;
        const double share = static_cast<double>(i + 1) / rate_count;
        for (int halving = 0; halving < 100; ++halving) {
            const double middle = (low + high) / 2;
            (gamma_below(shape, middle) < share ? low : high) = middle;
        }
        const double mean_below = i + 1 < rate_count ? gamma_below(shape + 1, low) : 1;
        rates[i] = (mean_below - below) * rate_count;
        below = mean_below;
    }
    return rates;
}

// exchange: of the pairs AC, AG, AT, CG, CT, GT.
struct Model {
    Values frequencies{};
    Values rates{};
    // Changes from state i to state j over a length, of rate 1.
    Matrix generator{};
    // The generator's, 0 first.
    Values eigenvalues{};
    // basis[k][i]: its eigenvectors as rows, orthogonal where each product of components is over
    // the frequency of its state.
    Matrix basis{};

    Model(const Values& of_states, const std::array<double, 6>& exchange, const Values& of_rates)
        : frequencies(of_states), rates(of_rates) {
        generate(exchange);
        Matrix symmetric{};
        for (std::size_t i = 0; i < states; ++i) {
            for (std::size_t j = 0; j < states; ++j) {
                symmetric[i][j] = generator[i][j] * std::sqrt(frequencies[i] / frequencies[j]);
            }
        }
        const EigenSystem system = eigen_system(symmetric);
        eigenvalues = system.values;
        eigenvalues[0] = 0;
        for (std::size_t k = 0; k < states; ++k) {
            for (std::size_t i = 0; i < states; ++i) {
                basis[k][i] = system.vectors[i][k] * std::sqrt(frequencies[i]);
            }
        }
    }

    // Probabilities of the changes over a length, at a rate.
    [[nodiscard]] double probability(std::size_t from, std::size_t to, double length,
                                     double rate) const {
        double sum = from == to ? 1 : 0;
        for (std::size_t k = 1; k < states; ++k) {
            sum += basis[k][from] * basis[k][to] / frequencies[from] *
                   std::expm1(eigenvalues[k] * rate * length);
        }
        return sum;
    }

   private:
    void generate(const std::array<double, 6>& exchange) {
        double changes = 0;
        std::size_t pair = 0;
        for (std::size_t i = 0; i < states; ++i) {
            for (std::size_t j = i + 1; j < states; ++j, ++pair) {
                generator[i][j] = exchange[pair] * frequencies[j];
                generator[j][i] = exchange[pair] * frequencies[i];
                changes += 2 * exchange[pair] * frequencies[i] * frequencies[j];
            }
        }
        for (std::size_t i = 0; i < states; ++i) {
            double leaving = 0;
            for (std::size_t j = 0; j < states; ++j) {
                generator[i][j] /= changes;
                leaving += generator[i][j];
            }
            generator[i][i] = -leaving;
        }
    }
};

// That of the proxy: rates of genes differ about as much (shape 0.5).
inline Model usual_model() {
    return {{0.30, 0.20, 0.22, 0.28}, {1.2, 3.5, 0.9, 1.1, 4.0, 1.0}, gamma_rates(0.5)};
}

// Jukes and Cantor (1969), at one rate.
inline Model jukes_cantor() { return {{0.25, 0.25, 0.25, 0.25}, {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1}}; }

}  // namespace machmeter::proxies::plf
