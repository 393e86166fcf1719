// The rounds of the proxy plf with the kernels of libpll 0.3.2 (Flouri et al., Syst. Biol. 64,
// 2015): same tree, alignment, order of nodes and branches, and steps of Newton's method.
//
// `TAXA SITES ROUNDS SAMPLES`. Rank 0 prints JSON: the seconds of each run, the logarithm of the
// likelihood after the last, the ranks.
#include "proxies/plf/likelihood.hpp"

#include <libpll/pll.h>
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "proxies/plf/alignment.hpp"
#include "proxies/plf/model.hpp"
#include "proxies/plf/tree.hpp"

namespace {

using namespace machmeter::proxies::plf;  // NOLINT: names of the proxy, of which this is a variant

unsigned widest_vectors() {
    if (__builtin_cpu_supports("avx2")) {
        return PLL_ATTRIB_ARCH_AVX2;
    }
    return __builtin_cpu_supports("avx") ? PLL_ATTRIB_ARCH_AVX : PLL_ATTRIB_ARCH_SSE;
}

class Rival {
   public:
    Rival(const Model& model, const Tree& tree, const Share& share)
        : tree_(tree),
          traversal_(tree.traversal(0)),
          walk_(tree.walk()),
          lengths_(tree.edges().size()),
          partition_(pll_partition_create(tree.taxa(), tree.inner(), states, of(share.count()), 1,
                                          of(tree.edges().size()), rate_count, tree.inner(),
                                          widest_vectors() | PLL_ATTRIB_PATTERN_TIP)),
          table_(static_cast<double*>(pll_aligned_alloc(
              share.count() * rate_count * states * sizeof(double), PLL_ALIGNMENT_AVX))) {
        if (partition_ == nullptr || table_ == nullptr) {
            throw std::bad_alloc();
        }
        set_model(model);
        set_columns(model, share);
    }

    void reset() {
        for (Number edge = 0; edge < lengths_.size(); ++edge) {
            set_length(edge, first_length);
        }
    }

    double run(int rounds) {
        for (int round = 0; round < rounds; ++round) {
            evaluate(traversal_);
            optimize_all();
        }
        return evaluate({});
    }

   private:
    static unsigned of(std::size_t count) { return static_cast<unsigned>(count); }

    void set_model(const Model& model) {
        std::vector<double> exchange;
        for (std::size_t i = 0; i < states; ++i) {
            for (std::size_t j = i + 1; j < states; ++j) {
                exchange.push_back(model.generator[i][j] / model.frequencies[j]);
            }
        }
        pll_set_frequencies(partition_, 0, model.frequencies.data());
        pll_set_subst_params(partition_, 0, exchange.data());
        pll_set_category_rates(partition_, model.rates.data());
    }

    void set_columns(const Model& model, const Share& share) {
        const Evolution evolution(model, tree_);
        std::vector<std::string> rows(tree_.taxa(), std::string(share.count(), '\0'));
        std::vector<unsigned> weights;
        std::vector<Code> column;
        for (std::size_t i = 0; i < share.count(); ++i) {
            evolution.evolve(share.first + i, column);
            for (Number tip = 0; tip < tree_.taxa(); ++tip) {
                rows[tip][i] = static_cast<char>(column[tip]);
            }
            weights.push_back(static_cast<unsigned>(weight_of(share.first + i)));
        }
        std::array<unsigned, 256> codes{};
        for (unsigned code = 0; code < code_count; ++code) {
            codes[code] = code;
        }
        for (Number tip = 0; tip < tree_.taxa(); ++tip) {
            pll_set_tip_states(partition_, tip, codes.data(), rows[tip].c_str());
        }
        pll_set_pattern_weights(partition_, weights.data());
    }

    void set_length(Number edge, double length) {
        lengths_[edge] = length;
        pll_update_prob_matrices(partition_, categories_.data(), &edge, &length, 1);
    }

    [[nodiscard]] int scaler(Number node) const {
        return tree_.is_tip(node) ? PLL_SCALE_BUFFER_NONE : static_cast<int>(node - tree_.taxa());
    }

    void update(std::span<const Step> steps) {
        operations_.clear();
        for (const Step& step : steps) {
            std::array<Number, 2> edges{};
            std::size_t count = 0;
            tree_.others(step, [&](Number edge) { edges[count++] = edge; });
            const Number left = tree_.other_end(edges[0], step.node);
            const Number right = tree_.other_end(edges[1], step.node);
            operations_.push_back({step.node, scaler(step.node), left, edges[0], scaler(left),
                                   right, edges[1], scaler(right)});
        }
        pll_update_partials(partition_, operations_.data(), of(operations_.size()));
    }

    double evaluate(std::span<const Step> steps) {
        update(steps);
        const Edge& ends = tree_.edges()[0];
        double log =
            pll_compute_edge_loglikelihood(partition_, ends.near, scaler(ends.near), ends.far,
                                           scaler(ends.far), 0, categories_.data(), nullptr);
        MPI_Allreduce(MPI_IN_PLACE, &log, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return log;
    }

    void optimize(Number edge) {
        const Edge& ends = tree_.edges()[edge];
        pll_update_sumtable(partition_, ends.near, ends.far, scaler(ends.near), scaler(ends.far),
                            categories_.data(), table_);
        double length = lengths_[edge];
        for (int i = 0; i < newton_steps; ++i) {
            // Of the logarithm with the other sign.
            std::array<double, 2> sums{};
            pll_compute_likelihood_derivatives(partition_, scaler(ends.near), scaler(ends.far),
                                               length, categories_.data(), table_, &sums[0],
                                               &sums[1]);
            MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            length = next_length(length, {0, -sums[0], -sums[1]});
        }
        set_length(edge, length);
    }

    void optimize_all() {
        const std::span<const Step> steps(walk_.steps);
        for (const Visit& visit : walk_.visits) {
            update(steps.subspan(visit.first, visit.last - visit.first));
            optimize(visit.edge);
        }
        update(steps.subspan(walk_.visits.back().last));
    }

    const Tree& tree_;
    std::vector<Step> traversal_;
    Walk walk_;
    std::vector<double> lengths_;
    pll_partition_t* partition_;
    double* table_;
    std::vector<pll_operation_t> operations_;
    // Rates of all categories are changes by the one model that there is.
    std::array<unsigned, rate_count> categories_{};
};

}  // namespace

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const Model model = usual_model();
    const Tree tree(static_cast<Number>(std::atoi(words[1])));
    Rival rival(model, tree, share_of(std::strtoull(words[2], nullptr, 10), rank, ranks));
    const int rounds = std::atoi(words[3]);
    double log = 0;
    std::string seconds;
    // The first one touches the memory.
    for (int sample = -1; sample < std::atoi(words[4]); ++sample) {
        rival.reset();
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        log = rival.run(rounds);
        if (sample >= 0) {
            seconds += (sample > 0 ? "," : "") + std::to_string(MPI_Wtime() - begin);
        }
    }
    if (rank == 0) {
        std::printf("{\"seconds\":[%s],\"log_likelihood\":%.12g,\"ranks\":%d}\n", seconds.c_str(),
                    log, ranks);
    }
    MPI_Finalize();
    return 0;
}
