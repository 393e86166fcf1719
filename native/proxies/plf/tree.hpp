// A random tree without a root, and in which order its nodes and branches are visited.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/values/random_bits.hpp"

namespace machmeter::proxies::plf {

using Number = std::uint32_t;

// Between two nodes; `near` is the one from which tip 0 is reached first.
struct Edge {
    Number near = 0;
    Number far = 0;
};

// To be computed: what an inner node knows of the tips that are not beyond `toward`, an edge of it.
struct Step {
    Number node = 0;
    Number toward = 0;
};

// An edge, after the steps first <= i < last of a walk.
struct Visit {
    std::size_t first = 0;
    std::size_t last = 0;
    Number edge = 0;
};

// Steps and visits by turns; the steps after the last visit belong to it too.
struct Walk {
    std::vector<Step> steps;
    std::vector<Visit> visits;
};

// Tips are the nodes below `taxa`. Edge 0 is that of tip 0.
class Tree {
   public:
    // Each tip after the second divides an edge that is drawn.
    explicit Tree(Number taxa) : taxa_(taxa), edges_{{0, 1}}, of_inner_(taxa - 2) {
        for (Number tip = 2; tip < taxa; ++tip) {
            const auto drawn = static_cast<Number>(uniform(seed_of_shape, tip) *
                                                   static_cast<double>(edges_.size()));
            attach(tip, drawn);
        }
    }

    [[nodiscard]] Number taxa() const { return taxa_; }
    [[nodiscard]] Number inner() const { return taxa_ - 2; }
    [[nodiscard]] Number nodes() const { return 2 * taxa_ - 2; }
    [[nodiscard]] bool is_tip(Number node) const { return node < taxa_; }
    [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }

    // Of an inner node: that toward tip 0 first.
    [[nodiscard]] const std::array<Number, 3>& edges_of(Number node) const {
        return of_inner_[node - taxa_];
    }

    [[nodiscard]] Number other_end(Number edge, Number node) const {
        return edges_[edge].near == node ? edges_[edge].far : edges_[edge].near;
    }

    // Calls `use(edge)` for the two edges of an inner node but one.
    template <class Use>
    void others(const Step& step, Use&& use) const {
        for (const Number edge : edges_of(step.node)) {
            if (edge != step.toward) {
                use(edge);
            }
        }
    }

    // The length along which the alignment evolves.
    [[nodiscard]] static double true_length(Number edge) {
        constexpr double shortest = 0.01;
        constexpr double longest = 0.12;
        return shortest + (longest - shortest) * uniform(seed_of_lengths, edge);
    }

    // All edges, each after that which is nearer to tip 0.
    [[nodiscard]] std::vector<Number> downward() const {
        std::vector<Number> order{0};
        for (std::size_t i = 0; i < order.size(); ++i) {
            const Number node = edges_[order[i]].far;
            if (!is_tip(node)) {
                others({node, order[i]}, [&](Number edge) { order.push_back(edge); });
            }
        }
        return order;
    }

    // Every inner node, toward one edge.
    [[nodiscard]] std::vector<Step> traversal(Number root) const {
        std::vector<Step> steps;
        std::vector<Step> open{{edges_[root].near, root}, {edges_[root].far, root}};
        while (!open.empty()) {
            const Step step = open.back();
            open.pop_back();
            if (!is_tip(step.node)) {
                steps.push_back(step);
                others(step,
                       [&](Number edge) { open.push_back({other_end(edge, step.node), edge}); });
            }
        }
        std::reverse(steps.begin(), steps.end());
        return steps;
    }

    // Visits every edge once, with what its ends know of all else; begins where every inner node
    // is toward edge 0, and ends there.
    [[nodiscard]] Walk walk() const {
        Walk walk;
        std::size_t first = 0;
        std::vector<Step> open{{visit, 0}};
        while (!open.empty()) {
            const Step task = open.back();
            open.pop_back();
            if (task.node != visit) {
                walk.steps.push_back(task);
                continue;
            }
            walk.visits.push_back({first, walk.steps.size(), task.toward});
            first = walk.steps.size();
            const Number node = edges_[task.toward].far;
            if (!is_tip(node)) {
                open.push_back({node, task.toward});
                others({node, task.toward}, [&](Number edge) {
                    open.push_back({visit, edge});
                    open.push_back({node, edge});
                });
            }
        }
        return walk;
    }

   private:
    static constexpr std::uint64_t seed_of_shape = 49;
    static constexpr std::uint64_t seed_of_lengths = 1200;
    // In place of a node: the edge itself is next.
    static constexpr Number visit = std::numeric_limits<Number>::max();

    void attach(Number tip, Number divided) {
        const Number node = taxa_ + tip - 2;
        const auto lower = static_cast<Number>(edges_.size());
        const Number below = edges_[divided].far;
        edges_[divided].far = node;
        edges_.push_back({node, below});
        edges_.push_back({node, tip});
        of_inner_[node - taxa_] = {divided, lower, lower + 1};
        if (!is_tip(below)) {
            of_inner_[below - taxa_][0] = lower;
        }
    }

    Number taxa_;
    std::vector<Edge> edges_;
    std::vector<std::array<Number, 3>> of_inner_;
};

}  // namespace machmeter::proxies::plf
