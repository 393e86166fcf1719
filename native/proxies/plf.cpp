// proxies.plf: the phylogenetic likelihood function, on which RAxML and ExaML spend their time: the
// likelihood of a tree of DNA sequences, whose branches Newton's method optimizes one by one. Ranks
// and their threads share the sites, and add up two numbers for each step of it.
#include <cstdint>
#include <string>

#include "core/libraries/loaded.hpp"
#include "proxies/common/mpi_ranks.hpp"
#include "proxies/plf/checks.hpp"
#include "proxies/plf/likelihood.hpp"

namespace machmeter {
namespace {

namespace plf = proxies::plf;

// strong: so many sites in all; weak: for each rank. Throws UsageError where a rank has none.
std::uint64_t sites_of(const Parameters& point, int ranks) {
    const bool weak = point.choice<bool>("scaling", {{"strong", false}, {"weak", true}});
    const std::uint64_t sites = point.count_within("sites", 1, 1'000'000'000'000);
    const auto size = static_cast<std::uint64_t>(ranks);
    if (!weak && sites < size) {
        throw UsageError("sites: " + std::to_string(ranks) + " ranks cannot share " +
                         std::to_string(sites) +
                         ": request more sites, fewer ranks, or scaling=weak");
    }
    return weak ? sites * size : sites;
}

// Beside its sites each rank has the whole tree: matrices of branches and tables of tips, some
// twice.
void require_memory_of(const MpiSession& session, double taxa, std::uint64_t sites) {
    constexpr double bytes_of_taxon =
        4 * sizeof(plf::LaneMatrix) + sizeof(plf::TipTable) + 8 * sizeof(plf::Matrix) + 500;
    const double own = static_cast<double>(sites) / static_cast<double>(session.team().size());
    const double bytes = (own + plf::sites_per_group) * plf::bytes_per_site(taxa);
    proxies::require_memory_of_ranks(session, "sites: " + std::to_string(sites) + " sites",
                                     bytes + taxa * bytes_of_taxon);
}

// Of one event on all ranks.
void add_work(MpiSession& session, const plf::Work& mine, PointResult& result) {
    result.quantity("site_updates", session.team().sum(mine.updates))
        .quantity("table_sites", session.team().sum(mine.tables))
        .quantity("slope_sites", session.team().sum(mine.slopes))
        .quantity("flops", session.team().sum(mine.flops))
        .quantity("bytes", session.team().sum(mine.bytes));
}

PointResult measure_plf(MpiSession& session, const Parameters& point) {
    const auto taxa = static_cast<plf::Number>(point.count_within("taxa", 3, 100'000));
    const auto rounds = static_cast<int>(point.count_within("rounds", 1, 1'000'000));
    const std::uint64_t sites = sites_of(point, session.team().size());
    require_memory_of(session, taxa, sites);
    proxies::MpiRanks ranks = proxies::ranks_of(session);
    const plf::Model model = plf::usual_model();
    const plf::Tree tree(taxa);
    plf::Likelihood<proxies::MpiRanks> likelihood(ranks, session.phases(), model, tree, sites);
    const Samples samples = session.sample_long(
        [&] {
            likelihood.reset();
            // So that no connection is made in the timed part.
            ranks.sum(0.0);
            ranks.traffic().clear();
        },
        [&] { likelihood.run(rounds); });
    PointResult result(point);
    result.add_samples(samples);
    proxies::describe_work(session, ranks, samples, result);
    add_work(session, likelihood.work(), result);
    result.quantity("data_bytes", static_cast<double>(sites) * plf::bytes_per_site(taxa));
    const std::string fault = plf::check_end(likelihood, ranks, sites, rounds).fault();
    return result
        .check(fault.empty(),
               fault.empty() ? "likelihood with other roots, of some sites by the definition, its "
                               "derivatives by differences, none lost by a round"
                             : fault)
        .quantity("log_likelihood", likelihood.history().back())
        .attribute("runtime", openmp_runtime());
}

void run_plf(MpiSession& session) { proxies::record_each_that_fits(session, measure_plf); }

const RegisterMpiBenchmark registered_plf(
    {"proxies.plf", {"taxa", "sites", "rounds", "scaling"}, &run_plf, {1, 0, false}});

}  // namespace
}  // namespace machmeter
