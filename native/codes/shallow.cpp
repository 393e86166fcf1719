// codes.shallow: the shallow-water equations on a periodic grid, stepped by three loops over all
// cells (Sadourny, J. Atmos. Sci. 32, 1975): as many bytes as the memory gives.
#include <cstdint>
#include <string>
#include <utility>

#include "codes/common/grown.hpp"
#include "codes/common/sampled.hpp"
#include "codes/common/touch.hpp"
#include "codes/shallow/checks.hpp"
#include "codes/shallow/model.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/loaded.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

PointResult measure_shallow(NodeSession& session, const Teams& teams, const Parameters& point) {
    const std::uint64_t cells =
        codes::extent_of(point, {"cells", 64, 100'000}, teams.threads(), codes::Power{2});
    const std::uint64_t steps = point.count_within("steps", 2, 100'000);
    const shallow::Grid grid{cells, cells};
    const double bytes = shallow::Model::needed_bytes(grid);
    require_memory("cells: " + std::to_string(cells) + " along two edges", bytes,
                   available_memory_bytes());
    shallow::Model model(grid, {}, codes::touch_of(point), session.page_bytes(), teams.threads());
    model.start();
    const shallow::Sums start = shallow::sums_of(model);
    model.run(steps);
    const std::uint64_t first = shallow::fingerprint_of(model);
    auto rounds = session.event([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            model.start();
            model.run(steps);
        }
    });
    Samples samples = codes::sampled(session, rounds);
    const std::string fault = shallow::fault_of(model, start, first);
    const auto field_bytes = static_cast<double>(grid.cells() * sizeof(double));
    const auto fields_moved =
        static_cast<double>(steps * shallow::Model::moved_in_step + shallow::Model::moved_at_start);
    return PointResult(point)
        .add_samples(std::move(samples))
        .check(fault.empty(), fault.empty() ? "mass, energy and potential enstrophy are those of "
                                              "the start; the last step is that of plain formulas"
                                            : fault)
        .quantity("cell_updates", static_cast<double>(grid.cells() * steps))
        .quantity("bytes", field_bytes * fields_moved)
        .quantity("data_bytes", bytes)
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime());
}

void run_shallow(NodeSession& session) {
    const Teams teams = requested_teams();
    require_whole(teams);
    session.record_each(
        [&](const Parameters& point) { return measure_shallow(session, teams, point); });
}

const RegisterNodeBenchmark registered_shallow({"codes.shallow",
                                                {"cells", "steps", "touch", "scaling"},
                                                &run_shallow});

}  // namespace
}  // namespace machmeter
