// proxies.lqcd: staggered fermions on a lattice, on which MILC spends its time: conjugate gradients
// with links of one step and of three, ranks own blocks of four dimensions, threads share their
// rows.
#include <cmath>
#include <cstdint>
#include <string>

#include "core/libraries/loaded.hpp"
#include "proxies/common/mpi_ranks.hpp"
#include "proxies/lqcd/checks.hpp"
#include "proxies/lqcd/solver.hpp"

namespace machmeter {
namespace {

namespace lqcd = proxies::lqcd;

// strong: so many sites along an edge of the whole lattice; weak: of the block of each rank. Throws
// UsageError where a rank would have fewer sites along an edge than a difference takes in.
lqcd::Sharing sharing_of(const Parameters& point, int ranks) {
    const bool weak = point.choice<bool>("scaling", {{"strong", false}, {"weak", true}});
    const auto extent = static_cast<std::int64_t>(point.count_within("extent", 4, 10'000));
    if (extent % 2 != 0) {
        throw UsageError("extent: " + std::to_string(extent) + " is odd: request an even one");
    }
    const lqcd::Sharing sharing =
        weak ? lqcd::replicated(extent, ranks) : lqcd::shared_out(extent, ranks);
    for (std::size_t d = 0; d < lqcd::dimensions; ++d) {
        if (sharing.whole[d] / 2 < 2 * static_cast<std::int64_t>(sharing.ranks[d])) {
            throw UsageError("extent: " + std::to_string(sharing.whole[d]) + " shared out over " +
                             std::to_string(sharing.ranks[d]) +
                             " ranks leaves fewer than 4 sites: request a larger extent, fewer "
                             "ranks, or scaling=weak");
        }
    }
    return sharing;
}

double bytes_of(const lqcd::Block& block) {
    const auto rows = static_cast<double>(block.rows());
    const double places = static_cast<double>(lqcd::groups_of(block) * proxies::lane_count);
    double others = 0;
    for (std::size_t d = 1; d < lqcd::dimensions; ++d) {
        others += block.is_divided(d)
                      ? 2 * static_cast<double>(lqcd::farthest) * rows / block.count[d]
                      : 0;
    }
    // Both ends of what is sent and received are kept too.
    const double fields = 5 * rows + 4 * others;
    const double next = rows * 12 * sizeof(std::int64_t);
    return 2 * rows * places * lqcd::bytes_of_links +
           fields * lqcd::parts * (places + 2 * lqcd::margin) * sizeof(double) + next;
}

PointResult measure_lqcd(MpiSession& session, const Parameters& point) {
    const auto iterations = static_cast<int>(point.count_within("iterations", 1, 1'000'000));
    const lqcd::Sharing sharing = sharing_of(point, session.team().size());
    proxies::require_memory_of_ranks(
        session, "extent: a lattice of " + std::to_string(sharing.whole[3]) + " sites along time",
        bytes_of(lqcd::Block(sharing, session.team().rank())));
    proxies::MpiRanks ranks = proxies::ranks_of(session);
    lqcd::Solver<proxies::MpiRanks> solver(ranks, session.phases(), sharing);
    const Samples samples = session.sample_long(
        [&] {
            solver.reset();
            ranks.traffic().clear();
        },
        [&] { solver.run(iterations); });
    PointResult result(point);
    result.add_samples(samples);
    proxies::describe_work(session, ranks, samples, result);
    const lqcd::Deviations found = lqcd::check(solver, ranks);
    const std::string fault = found.fault();
    const double updates = sharing.sites() * iterations;
    return result
        .check(fault.empty() && solver.iterations() == iterations,
               fault.empty() ? "Hermitian, as the sum over links at some sites, residual as "
                               "computed again, nearer to the solution"
                             : fault)
        .quantity("flops", updates * lqcd::flops_per_site)
        .quantity("bytes", updates * lqcd::bytes_per_site)
        .quantity("data_bytes", sharing.sites() * lqcd::data_per_site)
        .quantity("residual", found.reduction)
        .quantity("form", found.form)
        .attribute("runtime", openmp_runtime());
}

void run_lqcd(MpiSession& session) { proxies::record_each_that_fits(session, measure_lqcd); }

const RegisterMpiBenchmark registered_lqcd(
    {"proxies.lqcd", {"extent", "iterations", "scaling"}, &run_lqcd, {1, 0, false}});

}  // namespace
}  // namespace machmeter
