// The likelihood of a tree on one rank, and its branches optimized one after the other by Newton's
// method, as RAxML does it (Stamatakis, Bioinformatics 30, 2014). No clock here but for phases.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/openmp/padding.hpp"
#include "core/session/phases.hpp"
#include "proxies/plf/kernel.hpp"
#include "proxies/plf/model.hpp"
#include "proxies/plf/sites.hpp"
#include "proxies/plf/transitions.hpp"
#include "proxies/plf/tree.hpp"
#include "proxies/plf/work.hpp"

namespace machmeter::proxies::plf {

inline constexpr double first_length = 0.1;
inline constexpr double shortest_length = 1e-6;
inline constexpr double longest_length = 10;
// Of a branch in a round. ExaML takes 1.8 in the mean where it evaluates a tree.
inline constexpr int newton_steps = 2;

// Where the logarithm is not concave Newton's method would go to a minimum.
inline double next_length(double length, const Sums& sums) {
    double aim = sums.first > 0 ? 2 * length : length / 2;
    if (sums.second < 0) {
        aim = length - sums.first / sums.second;
    }
    return std::clamp(std::clamp(aim, length / 4, length * 4), shortest_length, longest_length);
}

// Those of one thread, in cache lines of its own.
struct alignas(padded_bytes) ThreadSums {
    Sums sums;
};

template <class Ranks, class Kernel = SiteKernel>
class Likelihood {
   public:
    Likelihood(Ranks& ranks, Phases& phases, const Model& model, const Tree& tree,
               std::uint64_t sites)
        : ranks_(ranks),
          phases_(phases),
          model_(model),
          tree_(tree),
          sites_(model, tree, share_of(sites, ranks.rank(), ranks.size())),
          traversal_(tree.traversal(0)),
          walk_(tree.walk()),
          basis_(basis_of(model)),
          basis_table_(tip_table(basis_)),
          lengths_(tree.edges().size()),
          matrices_(tree.edges().size()),
          tables_(tree.taxa()) {}

    // All branches as long as each other, and nothing known of the likelihood.
    void reset() {
        sites_.forget();
        for (Number edge = 0; edge < lengths_.size(); ++edge) {
            set_length(edge, first_length);
        }
        history_.clear();
        rounds_ = 0;
        work_ = {};
    }

    // So many rounds: all inner nodes computed again, then every branch optimized once.
    void run(int rounds) {
        for (int round = 0; round < rounds; ++round) {
            history_.push_back(evaluate(traversal_, 0, lengths_[0]));
            optimize_all();
            ++rounds_;
        }
        history_.push_back(evaluate({}, 0, lengths_[0]));
    }

    // Logarithms of the likelihood: before each round, and after the last. Empty before a run.
    [[nodiscard]] const std::vector<double>& history() const { return history_; }
    [[nodiscard]] int rounds() const { return rounds_; }
    [[nodiscard]] const Work& work() const { return work_; }
    [[nodiscard]] const Model& model() const { return model_; }
    [[nodiscard]] const Tree& tree() const { return tree_; }
    [[nodiscard]] const Sites& sites() const { return sites_; }
    [[nodiscard]] const std::vector<double>& lengths() const { return lengths_; }

    void set_length(Number edge, double length) {
        lengths_[edge] = length;
        matrices_[edge] = transitions_of(model_, length);
        for (const Number node : {tree_.edges()[edge].near, tree_.edges()[edge].far}) {
            if (tree_.is_tip(node)) {
                tables_[node] = tip_table(matrices_[edge]);
            }
        }
    }

    // The logarithm of the likelihood with the root on an edge of that length, all inner nodes
    // computed again toward it.
    [[nodiscard]] double log_at(Number edge, double length) {
        return evaluate(tree_.traversal(edge), edge, length);
    }

    // Likewise its derivatives by the length.
    [[nodiscard]] Sums slopes_at(Number edge, double length) {
        return slopes(tree_.traversal(edge), edge, length, true);
    }

    // Of one site of this rank, from the table that the last evaluation made for that edge.
    [[nodiscard]] double log_of_site(std::size_t site, Number edge) {
        const Table table = table_of(edge);
        const Factors factors = factors_of(model_, lengths_[edge]);
        Lanes sum = in_all_lanes(0);
        for (std::size_t k = 0; k < states; ++k) {
            sum += table.values[states * site + k] * factors.value[k];
        }
        const double times = (table.left != nullptr ? table.left[site] : 0.0) +
                             (table.right != nullptr ? table.right[site] : 0.0);
        return std::log(sum_of_lanes(sum)) + times * log_of_tiny;
    }

   private:
    [[nodiscard]] Side side_of(Number edge, Number node) const {
        Side side;
        if (tree_.is_tip(node)) {
            side.table = tables_[node].data();
            side.codes = sites_.codes(node);
        } else {
            side.matrix = matrices_[edge].data();
            side.values = sites_.values(node);
            side.scalings = sites_.scalings(node);
        }
        return side;
    }

    // As seen along the eigenvectors, of which a length is no part.
    [[nodiscard]] Side side_of_table(Number node) const {
        Side side = side_of(0, node);
        if (side.is_tip()) {
            side.table = basis_table_.data();
        } else {
            side.matrix = basis_.data();
        }
        return side;
    }

    [[nodiscard]] Table table_of(Number edge) const {
        const Edge& ends = tree_.edges()[edge];
        return {sites_.table(), sites_.weights(), side_of_table(ends.near).scalings,
                side_of_table(ends.far).scalings};
    }

    void plan(std::span<const Step> steps) {
        for (const Step& step : steps) {
            std::array<Side, 2> sides;
            std::size_t count = 0;
            tree_.others(step, [&](Number edge) {
                sides[count++] = side_of(edge, tree_.other_end(edge, step.node));
            });
            products_.push_back(
                {sides[0], sides[1], sites_.values(step.node), sites_.scalings(step.node)});
        }
    }

    void plan_table(Number edge) {
        const Edge& ends = tree_.edges()[edge];
        products_.push_back(
            {side_of_table(ends.near), side_of_table(ends.far), sites_.table(), nullptr});
    }

    // The products that are planned, in one parallel region: no site needs another. Then
    // `use(first, last, sums)` on each thread. Sums of this rank.
    template <class Use>
    Sums compute(Use&& use) {
        of_threads_.assign(static_cast<std::size_t>(omp_get_max_threads()), {});
        sites_.in_parallel([&](std::size_t first, std::size_t last) {
            for (const Product& product : products_) {
                kernel_.combine(product, first, last);
            }
            Sums mine;
            use(first, last, mine);
            of_threads_[static_cast<std::size_t>(omp_get_thread_num())].sums = mine;
        });
        Sums sums;
        for (const ThreadSums& one : of_threads_) {
            sums.log += one.sums.log;
            sums.first += one.sums.first;
            sums.second += one.sums.second;
        }
        for (const Product& product : products_) {
            work_.add_product(product, static_cast<double>(sites_.count()));
        }
        products_.clear();
        return sums;
    }

    double evaluate(std::span<const Step> steps, Number edge, double length) {
        double log = 0;
        {
            const auto span = phases_.in(Phase::compute);
            plan(steps);
            plan_table(edge);
            const Factors factors = factors_of(model_, length);
            const Table table = table_of(edge);
            log = compute([&](std::size_t first, std::size_t last, Sums& sums) {
                      kernel_.evaluate(table, factors, first, last, sums);
                  }).log;
            work_.add_logs(static_cast<double>(sites_.count()));
        }
        const auto span = phases_.in(Phase::collective);
        return ranks_.sum(log);
    }

    Sums slopes(std::span<const Step> steps, Number edge, double length, bool is_new_edge) {
        std::array<double, 2> both{};
        {
            const auto span = phases_.in(Phase::compute);
            plan(steps);
            if (is_new_edge) {
                plan_table(edge);
            }
            const Factors factors = factors_of(model_, length);
            const Table table = table_of(edge);
            const Sums mine = compute([&](std::size_t first, std::size_t last, Sums& sums) {
                kernel_.differentiate(table, factors, first, last, sums);
            });
            both = {mine.first, mine.second};
            work_.add_slopes(static_cast<double>(sites_.count()));
        }
        const auto span = phases_.in(Phase::collective);
        ranks_.sum(both);
        return {0, both[0], both[1]};
    }

    void optimize_all() {
        const std::span<const Step> steps(walk_.steps);
        for (const Visit& visit : walk_.visits) {
            std::span<const Step> before = steps.subspan(visit.first, visit.last - visit.first);
            double length = lengths_[visit.edge];
            for (int i = 0; i < newton_steps; ++i) {
                length = next_length(length, slopes(before, visit.edge, length, i == 0));
                before = {};
            }
            const auto span = phases_.in(Phase::compute);
            set_length(visit.edge, length);
        }
        const auto span = phases_.in(Phase::compute);
        plan(steps.subspan(walk_.visits.back().last));
        compute([](std::size_t, std::size_t, Sums&) {});
    }

    Ranks& ranks_;
    Phases& phases_;
    const Model& model_;
    const Tree& tree_;
    Sites sites_;
    std::vector<Step> traversal_;
    Walk walk_;
    LaneMatrix basis_;
    TipTable basis_table_;
    std::vector<double> lengths_;
    // By edge, and by tip.
    std::vector<LaneMatrix> matrices_;
    std::vector<TipTable> tables_;
    std::vector<Product> products_;
    std::vector<ThreadSums> of_threads_;
    Kernel kernel_;
    std::vector<double> history_;
    int rounds_ = 0;
    Work work_;
};

}  // namespace machmeter::proxies::plf
