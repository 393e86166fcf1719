// Sequences that evolved along the tree, by random numbers of the position: every rank makes its
// own columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/values/random_bits.hpp"
#include "proxies/plf/model.hpp"
#include "proxies/plf/tree.hpp"

namespace machmeter::proxies::plf {

// A set of states: bit i is state i.
using Code = std::uint8_t;
inline constexpr std::size_t code_count = 16;
// Nothing is known of the state.
inline constexpr Code gap = 15;

// Columns first <= i < last of all.
struct Share {
    std::uint64_t first = 0;
    std::uint64_t last = 0;

    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(last - first); }
};

inline Share share_of(std::uint64_t sites, int rank, int ranks) {
    const auto size = static_cast<std::uint64_t>(ranks);
    const auto number = static_cast<std::uint64_t>(rank);
    const std::uint64_t each = sites / size;
    const std::uint64_t more = sites % size;
    const auto border = [&](std::uint64_t i) { return each * i + (i < more ? i : more); };
    return {border(number), border(number + 1)};
}

// How often a column occurs: equal ones are computed once.
inline double weight_of(std::uint64_t site) {
    constexpr std::uint64_t seed = 3;
    const double drawn = uniform(seed, site);
    return 1.0 + (drawn >= 0.7 ? 1 : 0) + (drawn >= 0.9 ? 1 : 0);
}

class Evolution {
   public:
    Evolution(const Model& model, const Tree& tree) : model_(model), tree_(tree) {
        for (const Number edge : tree.downward()) {
            branches_.push_back(branch_of(edge));
        }
    }

    // One column: the code of each tip, then what else `nodes` needs for it.
    void evolve(std::uint64_t site, std::vector<Code>& nodes) const {
        nodes.resize(tree_.nodes());
        const std::uint64_t numbers = site * tree_.nodes();
        const auto rate = static_cast<std::size_t>(uniform(seed_of_rates, site) * rate_count);
        nodes[0] = drawn_state(cumulated(model_.frequencies), uniform(seed_of_states, numbers));
        for (const Branch& branch : branches_) {
            nodes[branch.far] = drawn_state(branch.rows[rate][nodes[branch.near]],
                                            uniform(seed_of_states, numbers + branch.far));
        }
        constexpr double gaps = 0.02;
        for (Number tip = 0; tip < tree_.taxa(); ++tip) {
            const bool is_gap = uniform(seed_of_gaps, numbers + tip) < gaps;
            nodes[tip] = is_gap ? gap : static_cast<Code>(1U << nodes[tip]);
        }
    }

   private:
    static constexpr std::uint64_t seed_of_rates = 5;
    static constexpr std::uint64_t seed_of_states = 7;
    static constexpr std::uint64_t seed_of_gaps = 11;

    // For each rate and state at the near end: probabilities of states at the far one, cumulated.
    struct Branch {
        Number near = 0;
        Number far = 0;
        std::array<Matrix, rate_count> rows{};
    };

    static Values cumulated(Values shares) {
        for (std::size_t i = 1; i < states; ++i) {
            shares[i] += shares[i - 1];
        }
        return shares;
    }

    static Code drawn_state(const Values& row, double drawn) {
        return static_cast<Code>((drawn >= row[0] ? 1 : 0) + (drawn >= row[1] ? 1 : 0) +
                                 (drawn >= row[2] ? 1 : 0));
    }

    [[nodiscard]] Branch branch_of(Number edge) const {
        Branch branch{tree_.edges()[edge].near, tree_.edges()[edge].far, {}};
        for (std::size_t rate = 0; rate < rate_count; ++rate) {
            for (std::size_t from = 0; from < states; ++from) {
                Values row{};
                for (std::size_t to = 0; to < states; ++to) {
                    row[to] =
                        model_.probability(from, to, Tree::true_length(edge), model_.rates[rate]);
                }
                branch.rows[rate][from] = cumulated(row);
            }
        }
        return branch;
    }

    const Model& model_;
    const Tree& tree_;
    std::vector<Branch> branches_;
};

}  // namespace machmeter::proxies::plf
