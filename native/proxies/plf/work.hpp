// Operations and bytes, by which loop runs over a site.
#pragma once

#include <cstdint>

#include "proxies/common/lanes.hpp"
#include "proxies/plf/alignment.hpp"
#include "proxies/plf/kernel.hpp"
#include "proxies/plf/model.hpp"

namespace machmeter::proxies::plf {

// A matrix of 4 x 4 times a vector, for four rates: 16 products and 12 sums each.
inline constexpr double flops_of_matrix = rate_count * (16 + 12);
// Both sides' values multiplied.
inline constexpr double flops_of_product = rate_count * states;
// The sum of a node's entries, by which it is scaled.
inline constexpr double flops_of_scaling = rate_count * states - 1;
// The likelihood of a site: 16 products, added up.
inline constexpr double flops_of_likelihood = 16 + 15;
// That, both derivatives of it by 12 products each, and 10 to make them those of its logarithm and
// to add them up.
inline constexpr double flops_of_slopes = flops_of_likelihood + 2 * (12 + 11) + 10;
// The logarithm counts as one.
inline constexpr double flops_of_log = flops_of_likelihood + 4;

inline constexpr double bytes_of_values = states * sizeof(Lanes);

// Of this rank, since it was cleared.
struct Work {
    // Conditional likelihoods of one site at one inner node.
    double updates = 0;
    // Sites of tables for a branch, made and summed up.
    double tables = 0;
    double slopes = 0;
    double flops = 0;
    double bytes = 0;

    void add_product(const Product& product, double sites) {
        const bool is_table = product.scalings == nullptr;
        const double inner =
            (product.left.is_tip() ? 0.0 : 1.0) + (product.right.is_tip() ? 0.0 : 1.0);
        const double bytes_of_counts = is_table ? 0 : (inner + 1) * sizeof(Scalings);
        (is_table ? tables : updates) += sites;
        flops += sites *
                 (inner * flops_of_matrix + flops_of_product + (is_table ? 0 : flops_of_scaling));
        bytes +=
            sites * ((inner + 1) * bytes_of_values + bytes_of_counts + (2 - inner) * sizeof(Code));
    }
    void add_slopes(double sites) {
        slopes += sites;
        flops += sites * flops_of_slopes;
        bytes += sites * (bytes_of_values + sizeof(double));
    }
    void add_logs(double sites) {
        flops += sites * flops_of_log;
        bytes += sites * (bytes_of_values + sizeof(double) + 2 * sizeof(Scalings));
    }
};

// Every inner node in the traversal of a round, and three times in its walk.
inline double updates_requested(double taxa, double sites, double rounds) {
    return 4 * (taxa - 2) * sites * rounds;
}

// Of one site in one round: each of 2 taxa - 3 branches is optimized once.
inline double slopes_requested(double taxa, double sites, double rounds, double newton_steps) {
    return (2 * taxa - 3) * newton_steps * sites * rounds;
}

}  // namespace machmeter::proxies::plf
