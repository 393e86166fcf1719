// codes.alignpairs: the scores of the alignments of all pairs of many sequences, a task for one
// with a group of others.
#include <cstdint>
#include <string>
#include <utility>

#include "codes/align/checks.hpp"
#include "codes/align/pairs.hpp"
#include "codes/common/grown.hpp"
#include "codes/common/sampled.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/loaded.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

// Throws UsageError where profiles, scores, those of the check and a full table do not fit.
void require_memory_of_pairs(std::uint64_t sequences) {
    constexpr double mean_columns = 1000;  // Of a group, at the most.
    const auto count = static_cast<double>(sequences);
    const double profiles = count * mean_columns * gotoh::alphabet * sizeof(std::int16_t);
    const double table = static_cast<double>(align::longest * align::longest) * 12;
    require_memory("sequences: " + std::to_string(sequences),
                   profiles + count * count * sizeof(std::int32_t) + table,
                   available_memory_bytes());
}

PointResult measure_pairs(NodeSession& session, const Teams& teams, const Parameters& point) {
    const std::uint64_t sequences = codes::extent_of(point, {"sequences", 2, 1'000'000},
                                                     teams.threads(), align::cells_of_pairs);
    require_memory_of_pairs(sequences);
    align::AllPairs pairs(sequences, codes::touch_of(point), session.page_bytes(), teams.threads());
    auto rounds = session.event([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            pairs.make_profiles();
            pairs.align(align::AllPairs::Which::ahead, pairs.scores());
        }
    });
    Samples samples = codes::sampled(session, rounds);
    const std::string fault = align::fault_of(pairs);
    return PointResult(point)
        .add_samples(std::move(samples))
        .check(fault.empty(), fault.empty() ? "every pair scores the same when exchanged; some as "
                                              "by the plain recurrence and as traced"
                                            : fault)
        .quantity("cells", pairs.cells())
        .quantity("data_bytes", pairs.data_bytes())
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime());
}

void run_pairs(NodeSession& session) {
    const Teams teams = requested_teams();
    require_whole(teams);
    session.record_each(
        [&](const Parameters& point) { return measure_pairs(session, teams, point); });
}

const RegisterNodeBenchmark registered_pairs({"codes.alignpairs",
                                              {"sequences", "touch", "scaling"},
                                              &run_pairs});

}  // namespace
}  // namespace machmeter
