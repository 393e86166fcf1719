// proxies.scf: direct Hartree-Fock, on which GAMESS spends its time: two-electron integrals in
// tasks that ranks take from a counter they share, a Fock matrix added up over all, and the next
// density on each.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/libraries/loaded.hpp"
#include "proxies/common/mpi_ranks.hpp"
#include "proxies/common/mpi_task_counter.hpp"
#include "proxies/scf/checks.hpp"
#include "proxies/scf/solver.hpp"

namespace machmeter {
namespace {

namespace scf = proxies::scf;

// strong: so many in all; weak: as many more integrals as there are ranks, whose number grows with
// the fourth power of that of the molecules while all of them touch each other.
std::size_t molecules_of(const Parameters& point, int ranks) {
    const bool weak = point.choice<bool>("scaling", {{"strong", false}, {"weak", true}});
    constexpr std::uint64_t most = 20'000;
    const auto molecules = static_cast<double>(point.count_within("molecules", 1, most));
    const double whole = weak ? std::round(molecules * std::pow(ranks, 0.25)) : molecules;
    // MPI counts the elements of a matrix, which are summed up, in 31 bits.
    if (whole > most) {
        throw UsageError("molecules: " + std::to_string(whole) + " on " + std::to_string(ranks) +
                         " ranks are more than 20000: request fewer, or scaling=strong");
    }
    return static_cast<std::size_t>(whole);
}

// Matrices of a rank, one more for each thread, and pairs: of a function with those before it, but
// only as many as lie so near that their product is not nothing.
double bytes_of(std::size_t molecules) {
    const double functions = 2 * static_cast<double>(molecules);
    constexpr double matrices = 12;
    constexpr double near = 500;
    return functions * functions * sizeof(double) * (matrices + requested_teams().outer) +
           functions * std::min(functions / 2 + 1, near) *
               (scf::bytes_per_quartet + sizeof(scf::Pair));
}

// What one iteration works on, of a rank: pairs, two matrices, and one of each thread.
double data_of(const scf::Pairs& pairs, std::size_t molecules) {
    const double square = std::pow(2 * static_cast<double>(molecules), 2);
    return static_cast<double>(pairs.size()) * scf::bytes_per_quartet +
           square * sizeof(double) * (2 + requested_teams().outer);
}

PointResult measure_scf(MpiSession& session, const Parameters& point) {
    const auto iterations = static_cast<int>(point.count_within("iterations", 1, 1'000'000));
    const std::size_t molecules = molecules_of(point, session.team().size());
    const double bytes = bytes_of(molecules);
    proxies::require_memory_of_ranks(
        session, "molecules: " + std::to_string(molecules) + " molecules", bytes);
    proxies::MpiRanks ranks = proxies::ranks_of(session);
    proxies::MpiTaskCounter counter(session.team());
    scf::Solver<proxies::MpiRanks, proxies::MpiTaskCounter> solver(ranks, session.phases(), counter,
                                                                   molecules);
    const Samples samples = session.sample_long(
        [&] {
            solver.reset();
            ranks.traffic().clear();
        },
        [&] { solver.run(iterations); });
    PointResult result(point);
    result.add_samples(samples);
    proxies::describe_work(session, ranks, samples, result);
    const scf::Deviations found = scf::check(solver, ranks);
    const std::string fault = found.fault();
    const double quartets = ranks.sum(solver.quartets());
    return result
        .check(fault.empty() && solver.energies().size() == static_cast<std::size_t>(iterations),
               fault.empty()
                   ? "every task done once, some elements by plain sums, all electrons in "
                     "a projector, falling energies"
                   : fault)
        .quantity("quartets", quartets)
        .quantity("flops", quartets * scf::flops_per_quartet)
        .quantity("bytes", quartets * scf::bytes_per_quartet)
        .quantity("data_bytes",
                  data_of(solver.builder().pairs(), molecules) * session.team().size())
        .quantity("energy", solver.energies().back())
        .attribute("runtime", openmp_runtime());
}

void run_scf(MpiSession& session) { proxies::record_each_that_fits(session, measure_scf); }

const RegisterMpiBenchmark registered_scf(
    {"proxies.scf", {"molecules", "iterations", "scaling"}, &run_scf, {1, 0, false}});

}  // namespace
}  // namespace machmeter
