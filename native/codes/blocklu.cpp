// codes.blocklu: LU factorization of a sparse matrix of dense blocks, by tasks that wait for blocks
// or for each other.
#include <cstdint>
#include <string>
#include <utility>

#include "apps/team_times.hpp"
#include "codes/blocklu/checks.hpp"
#include "codes/blocklu/matrix.hpp"
#include "codes/common/grown.hpp"
#include "codes/common/sampled.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/loaded.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

PointResult measure_blocklu(NodeSession& session, const Teams& teams, const Parameters& point) {
    const std::uint64_t block = point.count_within("block", 8, 4096);
    const std::uint64_t blocks =
        codes::extent_of(point, {"blocks", 2, 1024}, teams.threads(),
                         [&](std::uint64_t edge) { return blocklu::Structure(edge).flops(block); });
    const auto tasks = point.choice<blocklu::Tasks>(
        "tasks", {{"depend", blocklu::Tasks::depend}, {"taskwait", blocklu::Tasks::taskwait}});
    const codes::Touch touch = codes::touch_of(point);
    const blocklu::Structure structure(blocks);
    const double bytes = blocklu::Matrix::needed_bytes(structure, block);
    require_memory(
        "blocks: " + std::to_string(structure.at_end()) + " of " + std::to_string(block) + " rows",
        bytes, available_memory_bytes());
    blocklu::Matrix matrix(structure, block, touch, session.page_bytes(), teams.threads());
    TeamTimes times(teams.threads(), blocklu::parts);
    int warm_ups = 1;
    auto rounds = session.event([&](std::uint64_t count) {
        // The first counts where it is the only one.
        if (warm_ups-- == 0) {
            times.clear();
        }
        for (std::uint64_t i = 0; i < count; ++i) {
            times.whole([&] { matrix.factor(tasks, times); });
        }
    });
    Samples samples = codes::sampled(session, rounds);
    const std::string fault = blocklu::fault_of(matrix, structure);
    return PointResult(point)
        .add_samples(std::move(samples))
        .check(fault.empty(), fault.empty() ? "L (U v) = A v; blocks and products are those of a "
                                              "symbolic factorization"
                                            : fault)
        .quantity("flops", structure.flops(block))
        .quantity("data_bytes", bytes)
        .quantity("product_share", times.share(blocklu::products))
        .quantity("solve_share", times.share(blocklu::solutions))
        .quantity("diagonal_share", times.share(blocklu::diagonals))
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime());
}

void run_blocklu(NodeSession& session) {
    const Teams teams = requested_teams();
    require_whole(teams);
    session.record_each(
        [&](const Parameters& point) { return measure_blocklu(session, teams, point); });
}

const RegisterNodeBenchmark registered_blocklu({"codes.blocklu",
                                                {"blocks", "block", "tasks", "touch", "scaling"},
                                                &run_blocklu});

}  // namespace
}  // namespace machmeter
