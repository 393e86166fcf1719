// codes.born: energy and forces of a molecule in water, generalized Born, with a list of the atoms
// within a cutoff.
#include <cstdint>
#include <string>
#include <utility>

#include "codes/born/checks.hpp"
#include "codes/born/solvation.hpp"
#include "codes/common/grown.hpp"
#include "codes/common/sampled.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/loaded.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

// Throws UsageError where lists of neighbors, which are there twice while they are made, and what
// threads add up apart, also in the check, do not fit.
void require_memory_of_atoms(std::uint64_t atoms, int threads) {
    const double listed = 2 * born::expected_pairs(atoms) * sizeof(std::uint32_t);
    const double fields = static_cast<double>(atoms) * 144 * (threads + 4);
    require_memory("atoms: " + std::to_string(atoms), 2 * listed + fields,
                   available_memory_bytes());
}

PointResult measure_born(NodeSession& session, const Teams& teams, const Parameters& point) {
    const int threads = teams.threads();
    const std::uint64_t atoms =
        codes::extent_of(point, {"atoms", 20, 1'000'000}, threads, born::expected_pairs);
    const std::uint64_t evaluations = point.count_within("evaluations", 1, 100'000);
    const auto adding =
        point.choice<born::Adding>("forces", {{"private", born::Adding::private_arrays},
                                              {"atomic", born::Adding::atomic},
                                              {"rows", born::Adding::rows}});
    require_memory_of_atoms(atoms, threads);
    const born::Molecule molecule = born::molecule_of(atoms);
    const born::Neighbors neighbors = born::neighbors_of(molecule, threads);
    born::Solvation solvation(molecule, neighbors, adding, threads);
    auto rounds = session.event([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count * evaluations; ++i) {
            solvation.evaluate();
        }
    });
    Samples samples = codes::sampled(session, rounds);
    const std::string fault =
        born::fault_of(born::errors_of(molecule, neighbors, solvation, threads));
    return PointResult(point)
        .add_samples(std::move(samples))
        .check(fault.empty(), fault.empty() ? "forces balance, turn nothing, are the slope of the "
                                              "energy, and the same by each way of adding"
                                            : fault)
        .quantity("pairs", static_cast<double>(neighbors.pairs() * evaluations))
        .quantity("data_bytes", solvation.data_bytes())
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime());
}

void run_born(NodeSession& session) {
    const Teams teams = requested_teams();
    require_whole(teams);
    session.record_each(
        [&](const Parameters& point) { return measure_born(session, teams, point); });
}

const RegisterNodeBenchmark registered_born({"codes.born",
                                             {"atoms", "evaluations", "forces", "scaling"},
                                             &run_born});

}  // namespace
}  // namespace machmeter
