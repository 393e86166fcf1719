// What has to hold after a run, by ways that the run does not take.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "proxies/common/faults.hpp"
#include "proxies/common/of_all_ranks.hpp"
#include "proxies/plf/alignment.hpp"
#include "proxies/plf/likelihood.hpp"
#include "proxies/plf/naive.hpp"
#include "proxies/plf/work.hpp"

namespace machmeter::proxies::plf {

// Of all ranks; each is 0 in exact arithmetic, and relative where it is not a number of things.
struct Deviations {
    // Sites that no rank has, or two have.
    double sites = 0;
    // Rounds and conditional likelihoods that were requested and not computed.
    double work = 0;
    // Of lengths of branches between ranks.
    double lengths = 0;
    // Of the last logarithm of the run from that with all nodes computed again.
    double stale = 0;
    // Of the logarithm with the root on other branches ("pulley principle", Felsenstein, 1981).
    double root = 0;
    // Of logarithms of some sites from the naive ones.
    double naive = 0;
    // Of derivatives by a length from differences.
    double slopes = 0;
    // By which a round made the likelihood smaller.
    double lost = 0;

    // Why the run is wrong; empty where it is right.
    [[nodiscard]] std::string fault() const {
        constexpr double rounding = 1e-10;
        constexpr double of_differences = 1e-5;
        return first_fault({
            {sites == 0, "sites were lost or doubled"},
            {work == 0, "not as much was computed as was requested"},
            {lengths <= rounding, "ranks do not have the same lengths of branches"},
            {naive <= rounding, "likelihoods of sites are not those of the definition"},
            {root <= rounding, "the likelihood depends on where the root is"},
            {stale <= rounding, "the likelihood of the run is not that of its tree"},
            {slopes <= of_differences, "derivatives of the likelihood are not its differences"},
            {lost <= rounding, "optimized branches made the likelihood smaller"},
        });
    }
};

inline double relative(double found, double expected) {
    return std::abs(found - expected) / std::abs(expected);
}

// The larger one, or NaN where either is.
inline double worse(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

// Shares of all ranks add up, and each begins where that before it ends: then the sum of
// differences of squares is a square.
template <class Ranks>
double sites_missing(Ranks& ranks, const Share& share, std::uint64_t sites) {
    const auto first = static_cast<double>(share.first);
    const auto last = static_cast<double>(share.last);
    const auto all = static_cast<double>(sites);
    std::array<double, 2> sums{last - first, (last - first) * ((last + first) / all)};
    ranks.sum(sums);
    constexpr double rounding = 1e-9;
    return std::abs(sums[0] - all) + (std::abs(sums[1] - all) <= rounding * all ? 0 : 1);
}

// Beyond 2^53 sums over ranks are rounded.
inline double missing(double found, double requested) {
    constexpr double rounding = 1e-12;
    const double difference = std::abs(found - requested);
    return difference <= rounding * requested ? 0 : difference;
}

template <class Ranks>
double work_missing(Ranks& ranks, const Work& work, double taxa, double sites, double rounds) {
    std::array<double, 2> sums{work.updates, work.slopes};
    ranks.sum(sums);
    return missing(sums[0], updates_requested(taxa, sites, rounds)) +
           missing(sums[1], slopes_requested(taxa, sites, rounds, newton_steps));
}

template <class Ranks>
double lengths_apart(Ranks& ranks, const std::vector<double>& lengths) {
    std::vector<double> sums = lengths;
    ranks.sum(sums);
    double worst = 0;
    for (std::size_t edge = 0; edge < sums.size(); ++edge) {
        worst = worse(relative(sums[edge] / ranks.size(), lengths[edge]), worst);
    }
    return largest_of(ranks, worst);
}

// Roots on four branches, those of tip 0 and of the last tip among them.
template <class Of>
double root_deviation(Of& likelihood) {
    constexpr std::size_t count = 4;
    const std::size_t edges = likelihood.lengths().size();
    const double expected = likelihood.log_at(0, likelihood.lengths()[0]);
    double worst = 0;
    for (std::size_t i = 1; i < count; ++i) {
        const auto edge = static_cast<Number>((edges - 1) * i / (count - 1));
        const double found = likelihood.log_at(edge, likelihood.lengths()[edge]);
        worst = worse(relative(found, expected), worst);
    }
    return worst;
}

// Of this rank, with the table that of edge 0. More sites where they are cheap.
template <class Of>
double naive_deviation(Of& likelihood) {
    const Share& share = likelihood.sites().share();
    const std::size_t most = likelihood.tree().taxa() <= 1000 ? 8 : 2;
    const std::size_t count = std::min(share.count(), most);
    const NaiveLikelihood naive(likelihood.model(), likelihood.tree(), likelihood.lengths());
    const Evolution evolution(likelihood.model(), likelihood.tree());
    std::vector<Code> column;
    double worst = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t site = (share.count() - 1) * k / std::max<std::size_t>(1, count - 1);
        evolution.evolve(share.first + site, column);
        // A column of gaps alone has the logarithm 0.
        const double expected = naive.log_of(column);
        const double found = likelihood.log_of_site(site, 0);
        worst = worse(std::abs(found - expected) / std::max(1.0, std::abs(expected)), worst);
    }
    return worst;
}

// At a length at which the likelihood has a slope, unlike that to which it was optimized.
template <class Of>
double slope_deviation(Of& likelihood, Number edge) {
    const double length = 2 * likelihood.lengths()[edge] + 0.05;
    const double step = 1e-4 * length;
    const Sums found = likelihood.slopes_at(edge, length);
    const double first =
        (likelihood.log_at(edge, length + step) - likelihood.log_at(edge, length - step)) /
        (2 * step);
    const double second = (likelihood.slopes_at(edge, length + step).first -
                           likelihood.slopes_at(edge, length - step).first) /
                          (2 * step);
    // A column of gaps alone has no slope.
    const double size = std::max(std::abs(first), std::abs(second) * length) + 1e-6;
    return worse(std::abs(found.first - first), length * std::abs(found.second - second)) / size;
}

// Of each round the likelihood at its end, against that at its begin.
inline double likelihood_lost(const std::vector<double>& history) {
    double lost = 0;
    for (std::size_t i = 1; i < history.size(); ++i) {
        lost = worse((history[i - 1] - history[i]) / std::abs(history[i - 1]), lost);
    }
    return lost;
}

// Every rank calls this after a run of so many rounds; values of nodes come out toward an edge.
template <class Of, class Ranks>
Deviations check_end(Of& likelihood, Ranks& ranks, std::uint64_t sites, int rounds) {
    const Tree& tree = likelihood.tree();
    const std::vector<double> history = likelihood.history();
    Deviations found;
    found.sites = sites_missing(ranks, likelihood.sites().share(), sites);
    found.work =
        work_missing(ranks, likelihood.work(), tree.taxa(), static_cast<double>(sites), rounds) +
        std::abs(likelihood.rounds() - rounds) +
        std::abs(static_cast<double>(history.size()) - (rounds + 1));
    found.lengths = lengths_apart(ranks, likelihood.lengths());
    found.root = root_deviation(likelihood);
    const double again = likelihood.log_at(0, likelihood.lengths()[0]);
    found.naive = largest_of(ranks, naive_deviation(likelihood));
    found.stale = history.empty() ? 1 : relative(history.back(), again);
    found.slopes =
        worse(slope_deviation(likelihood, 0),
              slope_deviation(likelihood, static_cast<Number>(likelihood.lengths().size() / 2)));
    found.lost = likelihood_lost(history);
    return found;
}

}  // namespace machmeter::proxies::plf
