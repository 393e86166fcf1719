// What one rank holds of its sites: codes and weights, conditional likelihoods of every inner node,
// and the table for one branch.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "proxies/common/shares.hpp"
#include "proxies/plf/alignment.hpp"
#include "proxies/plf/kernel.hpp"
#include "proxies/plf/model.hpp"
#include "proxies/plf/tree.hpp"

namespace machmeter::proxies::plf {

// Values of an inner node with its scalings, the code of a tip, and the table.
inline double bytes_per_site(double taxa) {
    constexpr double bytes_of_node = states * sizeof(Lanes) + sizeof(Scalings);
    return (taxa - 1) * bytes_of_node + taxa + sizeof(double);
}

// The last group is filled up with sites of weight 0 of which nothing is known.
class Sites {
   public:
    Sites(const Model& model, const Tree& tree, const Share& share)
        : tree_(tree),
          share_(share),
          padded_((share.count() + sites_per_group - 1) / sites_per_group * sites_per_group),
          codes_(std::make_unique_for_overwrite<Code[]>(padded_ * tree.taxa())),
          weights_(std::make_unique_for_overwrite<double[]>(padded_)),
          values_(std::make_unique_for_overwrite<Lanes[]>(states * padded_ * tree.inner())),
          scalings_(std::make_unique_for_overwrite<Scalings[]>(padded_ * tree.inner())),
          table_(std::make_unique_for_overwrite<Lanes[]>(states * padded_)) {
        const Evolution evolution(model, tree);
        forget();
        in_parallel([&](std::size_t first, std::size_t last) { fill(evolution, first, last); });
    }

    // `use(first, last)` on every thread, with its own groups of sites.
    template <class Use>
    void in_parallel(Use&& use) const {
        const std::size_t groups = padded_ / sites_per_group;
#pragma omp parallel
        {
            const auto mine =
                proxies::share_of(groups, omp_get_thread_num(), omp_get_num_threads());
            use(mine.first * sites_per_group, mine.end() * sites_per_group);
        }
    }

    // No value is left that an earlier event computed; each is in the memory of its thread.
    void forget() {
        in_parallel([&](std::size_t first, std::size_t last) {
            const Lanes nothing = in_all_lanes(std::numeric_limits<double>::quiet_NaN());
            for (Number node = tree_.taxa(); node < tree_.nodes(); ++node) {
                std::fill(values(node) + states * first, values(node) + states * last, nothing);
                std::fill(scalings(node) + first, scalings(node) + last, 0);
            }
            std::fill(table() + states * first, table() + states * last, nothing);
        });
    }

    [[nodiscard]] const Share& share() const { return share_; }
    [[nodiscard]] std::size_t count() const { return share_.count(); }

    [[nodiscard]] const Code* codes(Number tip) const { return &codes_[padded_ * tip]; }
    [[nodiscard]] const double* weights() const { return weights_.get(); }
    [[nodiscard]] Lanes* table() const { return table_.get(); }
    [[nodiscard]] Lanes* values(Number node) const {
        return values_.get() + states * padded_ * (node - tree_.taxa());
    }
    [[nodiscard]] Scalings* scalings(Number node) const {
        return scalings_.get() + padded_ * (node - tree_.taxa());
    }

   private:
    void fill(const Evolution& evolution, std::size_t first, std::size_t last) {
        std::vector<Code> column;
        for (std::size_t site = first; site < last; ++site) {
            const bool is_real = site < count();
            if (is_real) {
                evolution.evolve(share_.first + site, column);
            }
            for (Number tip = 0; tip < tree_.taxa(); ++tip) {
                codes_[padded_ * tip + site] = is_real ? column[tip] : gap;
            }
            weights_[site] = is_real ? weight_of(share_.first + site) : 0;
        }
    }

    const Tree& tree_;
    Share share_;
    std::size_t padded_;
    std::unique_ptr<Code[]> codes_;
    std::unique_ptr<double[]> weights_;
    std::unique_ptr<Lanes[]> values_;
    std::unique_ptr<Scalings[]> scalings_;
    std::unique_ptr<Lanes[]> table_;
};

}  // namespace machmeter::proxies::plf
