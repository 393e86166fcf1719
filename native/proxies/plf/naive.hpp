// The likelihood of one column by the definition, in logarithms: without eigenvectors, tables,
// lanes, scaling, or what ranks and threads hold.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "proxies/plf/alignment.hpp"
#include "proxies/plf/model.hpp"
#include "proxies/plf/tree.hpp"

namespace machmeter::proxies::plf {

inline Matrix product_of(const Matrix& a, const Matrix& b) {
    Matrix product{};
    for (std::size_t i = 0; i < states; ++i) {
        for (std::size_t j = 0; j < states; ++j) {
            for (std::size_t k = 0; k < states; ++k) {
                product[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    return product;
}

// exp(matrix * length) by its series, at a length that is halved until that is short, and squared
// as often.
inline Matrix exponential(const Matrix& matrix, double length) {
    constexpr int halvings = 10;
    constexpr int terms = 14;
    Matrix sum{};
    Matrix term{};
    for (std::size_t i = 0; i < states; ++i) {
        term[i][i] = 1;
    }
    // All but the first term, so that small entries keep their digits.
    for (int n = 1; n <= terms; ++n) {
        term = product_of(term, matrix);
        for (std::size_t i = 0; i < states; ++i) {
            for (std::size_t j = 0; j < states; ++j) {
                term[i][j] *= std::ldexp(length, -halvings) / n;
                sum[i][j] += term[i][j];
            }
        }
    }
    // (1 + a)^2 = 1 + (2a + a^2).
    for (int i = 0; i < halvings; ++i) {
        const Matrix square = product_of(sum, sum);
        for (std::size_t row = 0; row < states; ++row) {
            for (std::size_t column = 0; column < states; ++column) {
                sum[row][column] = 2 * sum[row][column] + square[row][column];
            }
        }
    }
    for (std::size_t i = 0; i < states; ++i) {
        sum[i][i] += 1;
    }
    return sum;
}

// log(sum of exp(values) * factors).
inline double log_of_sum(const Values& values, const Values& factors) {
    const double most = *std::max_element(values.begin(), values.end());
    double sum = 0;
    for (std::size_t i = 0; i < states; ++i) {
        sum += std::exp(values[i] - most) * factors[i];
    }
    return most + std::log(sum);
}

class NaiveLikelihood {
   public:
    NaiveLikelihood(const Model& model, const Tree& tree, const std::vector<double>& lengths)
        : model_(model), tree_(tree), upward_(tree.downward()) {
        std::reverse(upward_.begin(), upward_.end());
        for (const double length : lengths) {
            for (std::size_t rate = 0; rate < rate_count; ++rate) {
                matrices_.push_back(exponential(model.generator, length * model.rates[rate]));
            }
        }
    }

    // codes: of each tip, then anything.
    [[nodiscard]] double log_of(const std::vector<Code>& codes) const {
        Values of_rates{};
        for (std::size_t rate = 0; rate < rate_count; ++rate) {
            of_rates[rate] = log_at_rate(codes, rate);
        }
        constexpr double share = 1.0 / rate_count;
        return log_of_sum(of_rates, {share, share, share, share});
    }

   private:
    [[nodiscard]] double log_at_rate(const std::vector<Code>& codes, std::size_t rate) const {
        // Of each inner node, what lies beyond it as seen from tip 0; then that of tip 0 itself.
        std::vector<Values> logs(tree_.nodes(), Values{});
        for (const Number edge : upward_) {
            const Edge& ends = tree_.edges()[edge];
            const Values far =
                tree_.is_tip(ends.far) ? logs_of_tip(codes[ends.far]) : logs[ends.far];
            for (std::size_t i = 0; i < states; ++i) {
                logs[ends.near][i] += log_of_sum(far, matrices_[edge * rate_count + rate][i]);
            }
        }
        Values root = logs[0];
        const Values own = logs_of_tip(codes[0]);
        for (std::size_t i = 0; i < states; ++i) {
            root[i] += own[i];
        }
        return log_of_sum(root, model_.frequencies);
    }

    static Values logs_of_tip(Code code) {
        Values logs{};
        for (std::size_t i = 0; i < states; ++i) {
            logs[i] = (code >> i) % 2 == 1 ? 0 : -std::numeric_limits<double>::infinity();
        }
        return logs;
    }

    const Model& model_;
    const Tree& tree_;
    // Each edge after those beyond it.
    std::vector<Number> upward_;
    std::vector<Matrix> matrices_;
};

}  // namespace machmeter::proxies::plf
