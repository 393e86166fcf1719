// The likelihood against its definition, any ranks and threads against one, and the faults that its
// checks refuse.
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "proxies/plf/checks.hpp"
#include "proxies/plf/likelihood.hpp"
#include "tests/support/check.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

namespace plf = proxies::plf;
using test::on_proxy_ranks;
using test::ThreadRanks;

constexpr plf::Number usual_taxa = 12;
constexpr std::uint64_t usual_sites = 203;
constexpr int usual_rounds = 2;

struct Outcome {
    double log = 0;
    std::vector<double> lengths;
    std::string fault;
};

struct Problem {
    plf::Number taxa = usual_taxa;
    std::uint64_t sites = usual_sites;
    int rounds = usual_rounds;
};

// What the root found; `run(likelihood, rank)` takes the place of the rounds.
template <class Ranks, class Kernel, class Run>
void check_on_rank(Ranks& mine, const Problem& problem, Run&& run, Outcome& outcome) {
    Phases phases(monotonic_clock);
    const plf::Model model = plf::usual_model();
    const plf::Tree tree(problem.taxa);
    plf::Likelihood<Ranks, Kernel> likelihood(mine, phases, model, tree, problem.sites);
    likelihood.reset();
    run(likelihood, mine.rank());
    const std::vector<double> history = likelihood.history();
    const std::vector<double> lengths = likelihood.lengths();
    const std::string fault =
        plf::check_end(likelihood, mine, problem.sites, problem.rounds).fault();
    if (mine.rank() == 0) {
        outcome = {history.empty() ? 0 : history.back(), lengths, fault};
    }
}

template <class Kernel, class Run>
Outcome run_as(int ranks, int threads, const Problem& problem, Run&& run) {
    Outcome outcome;
    on_proxy_ranks(ranks, threads, [&](ThreadRanks& mine) {
        check_on_rank<ThreadRanks, Kernel>(mine, problem, run, outcome);
    });
    return outcome;
}

template <class Kernel = plf::SiteKernel>
Outcome run(int ranks, int threads, const Problem& problem = {}) {
    return run_as<Kernel>(ranks, threads, problem,
                          [&](auto& likelihood, int /*rank*/) { likelihood.run(problem.rounds); });
}

bool close(double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance * std::abs(expected);
}

// Yang (1994) has these for the shape 0.5.
TEST(rates_are_those_of_the_gamma_distribution) {
    const plf::Values rates = plf::gamma_rates(0.5);
    CHECK(close(rates[0], 0.0334, 2e-3));
    CHECK(close(rates[1], 0.2519, 1e-3));
    CHECK(close(rates[2], 0.8203, 1e-4));
    CHECK(close(rates[3], 2.8944, 1e-4));
    CHECK(close(rates[0] + rates[1] + rates[2] + rates[3], 4, 1e-12));
}

TEST(probabilities_of_changes_are_the_exponential_of_the_generator) {
    const plf::Model model = plf::usual_model();
    for (const double length : {1e-6, 0.01, 0.3, 5.0, 30.0}) {
        const plf::Matrix expected = plf::exponential(model.generator, length);
        const plf::LaneMatrix found = plf::transitions_of(model, length);
        for (std::size_t i = 0; i < plf::states; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < plf::states; ++j) {
                CHECK(close(model.probability(i, j, length, 1), expected[i][j], 1e-11));
                const double fast = found[plf::states * j + i][3];
                CHECK(close(model.probability(i, j, length, model.rates[3]), fast, 1e-11));
                sum += expected[i][j];
            }
            CHECK(close(sum, 1, 1e-13));
        }
    }
}

// One branch between two sequences, by the formula of Jukes and Cantor: the likelihood, and the
// length at which it is largest.
TEST(two_sequences_have_the_likelihood_of_jukes_and_cantor) {
    on_proxy_ranks(1, 1, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        const plf::Model model = plf::jukes_cantor();
        const plf::Tree tree(2);
        constexpr std::uint64_t sites = 1000;
        plf::Likelihood<ThreadRanks> likelihood(mine, phases, model, tree, sites);
        double same = 0;
        double changed = 0;
        double halves = 0;
        for (std::size_t site = 0; site < sites; ++site) {
            const plf::Code first = likelihood.sites().codes(0)[site];
            const plf::Code second = likelihood.sites().codes(1)[site];
            const bool one_gap = (first == plf::gap) != (second == plf::gap);
            const bool no_gap = first != plf::gap && second != plf::gap;
            const double weight = plf::weight_of(site);
            same += no_gap && first == second ? weight : 0;
            changed += no_gap && first != second ? weight : 0;
            halves += one_gap ? weight : 0;
        }
        CHECK(same > 0 && changed > 0 && halves > 0);
        likelihood.reset();
        for (const double length : {0.01, 0.1, 1.0}) {
            const double decay = std::exp(-4.0 / 3 * length);
            const double expected = same * std::log(0.25 * (0.25 + 0.75 * decay)) +
                                    changed * std::log(0.25 * (0.25 - 0.25 * decay)) +
                                    halves * std::log(0.25);
            CHECK(close(likelihood.log_at(0, length), expected, 1e-12));
        }
        likelihood.run(8);
        const double share = changed / (same + changed);
        CHECK(close(likelihood.lengths()[0], -0.75 * std::log(1 - 4.0 / 3 * share), 1e-9));
    });
}

TEST(ranks_and_threads_do_not_change_the_result) {
    const Outcome expected = run(1, 1);
    CHECK(expected.fault.empty());
    for (const int ranks : {1, 2, 4}) {
        for (const int threads : {1, 2}) {
            const Outcome found = run(ranks, threads);
            CHECK(found.fault.empty());
            CHECK(close(found.log, expected.log, 1e-9));
            for (std::size_t edge = 0; edge < expected.lengths.size(); ++edge) {
                CHECK(close(found.lengths[edge], expected.lengths[edge], 1e-6));
            }
        }
    }
}

TEST(small_and_uneven_problems_are_checked_too) {
    CHECK(run(1, 1, {3, 1, 1}).fault.empty());
    CHECK(run(4, 2, {4, 5, 1}).fault.empty());
    CHECK(run(3, 1, {5, 100, 3}).fault.empty());
}

// Deep trees have likelihoods that doubles cannot hold.
TEST(large_trees_are_scaled) {
    const Problem large{700, 9, 1};
    const auto with_count = [&](auto& likelihood, int /*rank*/) {
        likelihood.run(large.rounds);
        std::uint64_t scaled = 0;
        for (plf::Number node = large.taxa; node < likelihood.tree().nodes(); ++node) {
            scaled += likelihood.sites().scalings(node)[0];
        }
        CHECK(scaled > 0);
    };
    CHECK(run_as<plf::SiteKernel>(2, 1, large, with_count).fault.empty());
}

TEST(a_walk_visits_every_branch_with_both_ends_known) {
    const plf::Tree tree(40);
    std::vector<plf::Number> toward(tree.nodes(), 0);
    for (const plf::Step& step : tree.traversal(0)) {
        toward[step.node] = step.toward;
    }
    const plf::Walk walk = tree.walk();
    std::vector<int> visits(tree.edges().size(), 0);
    std::size_t next = 0;
    for (const plf::Visit& visit : walk.visits) {
        CHECK(visit.first == next);
        for (; next < visit.last; ++next) {
            toward[walk.steps[next].node] = walk.steps[next].toward;
        }
        const plf::Edge& ends = tree.edges()[visit.edge];
        CHECK(tree.is_tip(ends.near) || toward[ends.near] == visit.edge);
        CHECK(tree.is_tip(ends.far) || toward[ends.far] == visit.edge);
        ++visits[visit.edge];
    }
    CHECK(visits == std::vector<int>(tree.edges().size(), 1));
    CHECK(walk.steps.size() == 3 * std::size_t{tree.inner()});
}

TEST(shares_of_sites_are_all_sites) {
    for (const int ranks : {1, 3, 7}) {
        std::uint64_t next = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const plf::Share share = plf::share_of(1'000'000'000'000, rank, ranks);
            CHECK(share.first == next);
            next = share.last;
        }
        CHECK(next == 1'000'000'000'000);
    }
}

// A kernel that writes nothing.
struct NoKernel : plf::SiteKernel {
    void combine(const plf::Product& /*product*/, std::size_t /*first*/,
                 std::size_t /*last*/) const {}
};

// Values of single precision.
struct SingleKernel : plf::SiteKernel {
    void combine(const plf::Product& product, std::size_t first, std::size_t last) const {
        SiteKernel::combine(product, first, last);
        for (std::size_t i = plf::states * first; i < plf::states * last; ++i) {
            for (int rate = 0; rate < proxies::lane_count; ++rate) {
                product.values[i][rate] = static_cast<float>(product.values[i][rate]);
            }
        }
    }
};

// Derivatives are 0.
struct FlatKernel : plf::SiteKernel {
    void differentiate(const plf::Table& /*table*/, const plf::Factors& /*factors*/,
                       std::size_t /*first*/, std::size_t /*last*/, plf::Sums& /*sums*/) const {}
};

thread_local bool is_idle = false;

// Right until this rank idles.
struct IdleKernel : plf::SiteKernel {
    void combine(const plf::Product& product, std::size_t first, std::size_t last) const {
        if (!is_idle) {
            SiteKernel::combine(product, first, last);
        }
    }
    void differentiate(const plf::Table& table, const plf::Factors& factors, std::size_t first,
                       std::size_t last, plf::Sums& sums) const {
        if (!is_idle) {
            SiteKernel::differentiate(table, factors, first, last, sums);
        }
    }
    void evaluate(const plf::Table& table, const plf::Factors& factors, std::size_t first,
                  std::size_t last, plf::Sums& sums) const {
        if (!is_idle) {
            SiteKernel::evaluate(table, factors, first, last, sums);
        }
    }
};

TEST(a_kernel_that_does_nothing_is_refused) {
    CHECK(run<NoKernel>(1, 1).fault == "likelihoods of sites are not those of the definition");
    CHECK(!run<NoKernel>(2, 1, {3, 5, 1}).fault.empty());
}

TEST(single_precision_is_refused) {
    CHECK(run<SingleKernel>(1, 1).fault == "likelihoods of sites are not those of the definition");
    CHECK(!run<SingleKernel>(2, 2, {3, 5, 1}).fault.empty());
}

TEST(wrong_derivatives_are_refused) {
    CHECK(run<FlatKernel>(1, 1).fault == "derivatives of the likelihood are not its differences");
}

TEST(an_idle_rank_is_refused) {
    const auto with_idle = [](auto& likelihood, int rank) {
        is_idle = rank == 1;
        likelihood.run(usual_rounds);
        is_idle = false;
    };
    CHECK(run_as<IdleKernel>(2, 1, {}, with_idle).fault ==
          "the likelihood of the run is not that of its tree");
}

TEST(an_old_output_is_refused) {
    const auto without_rounds = [](auto& /*likelihood*/, int /*rank*/) {};
    CHECK(run_as<plf::SiteKernel>(1, 1, {}, without_rounds).fault ==
          "not as much was computed as was requested");
    const auto with_one_less = [](auto& likelihood, int /*rank*/) {
        likelihood.run(usual_rounds - 1);
    };
    CHECK(run_as<plf::SiteKernel>(1, 1, {}, with_one_less).fault ==
          "not as much was computed as was requested");
}

TEST(a_changed_branch_is_refused) {
    const auto with_change = [](auto& likelihood, int rank) {
        likelihood.run(usual_rounds);
        if (rank == 1) {
            likelihood.set_length(3, 2 * likelihood.lengths()[3]);
        }
    };
    CHECK(run_as<plf::SiteKernel>(2, 1, {}, with_change).fault ==
          "ranks do not have the same lengths of branches");
}

// Loses so many sums, each on every rank.
struct LossyTeam : test::ThreadTeam {
    using ThreadTeam::ThreadTeam;

    void sum(std::span<double> values) const {
        if (lost > 0) {
            --lost;
            return;
        }
        ThreadTeam::sum(values);
    }

    static thread_local int lost;
};
thread_local int LossyTeam::lost = 0;

std::string fault_after_losing(int sums) {
    Outcome outcome;
    test::Wires wires;
    test::on_ranks(2, [&](int rank, test::ThreadTransport& transport) {
        omp_set_num_threads(1);
        using Lossy = proxies::Ranks<test::ThreadTransport, LossyTeam>;
        const LossyTeam team(wires, rank, 2);
        Lossy mine(transport, team);
        check_on_rank<Lossy, plf::SiteKernel>(
            mine, {},
            [&](auto& likelihood, int /*rank*/) {
                LossyTeam::lost = sums;
                likelihood.run(usual_rounds);
                LossyTeam::lost = 0;
            },
            outcome);
    });
    return outcome.fault;
}

TEST(a_lost_sum_is_refused) {
    CHECK(fault_after_losing(0).empty());
    // The likelihood before the first round, the first step of a branch, all of them.
    CHECK(fault_after_losing(1) == "optimized branches made the likelihood smaller");
    CHECK(!fault_after_losing(2).empty());
    CHECK(fault_after_losing(1000) == "ranks do not have the same lengths of branches");
}

}  // namespace
}  // namespace machmeter
