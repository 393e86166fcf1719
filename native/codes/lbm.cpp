// codes.lbm: flow by the lattice Boltzmann method around obstacles in a channel, over a list of
// fluid cells, in place.
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "codes/common/grown.hpp"
#include "codes/common/sampled.hpp"
#include "codes/common/touch.hpp"
#include "codes/lbm/checks.hpp"
#include "codes/lbm/lattice.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/loaded.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

// Slow enough for the method to be stable, fast enough for squares to be far above rounding.
constexpr lbm::Fluid lbm_fluid{0.1, 1e-5};
constexpr std::array<double, 3> lbm_velocity = {0.05, 0.02, 0.01};

void require_memory_of_cells(std::uint64_t cells) {
    const auto box = static_cast<double>(cells * cells * cells);
    require_memory("cells: " + std::to_string(cells) + " along three edges",
                   box * (lbm::directions * sizeof(double) + sizeof(std::int32_t)),
                   available_memory_bytes());
}

PointResult measure_lbm(NodeSession& session, const Teams& teams, const Parameters& point) {
    const std::uint64_t cells =
        codes::extent_of(point, {"cells", 16, 1290}, teams.threads(), codes::Power{3});
    const std::uint64_t steps = point.count_within("steps", 2, 100'000);
    const std::uint64_t solid = point.count_within("solid", 0, 50);
    if (steps % 2 != 0) {
        throw UsageError("steps: " + std::to_string(steps) + " is odd: request pairs of steps");
    }
    require_memory_of_cells(cells);
    lbm::Lattice lattice(lbm::Geometry({cells, cells, cells}, static_cast<double>(solid) / 100),
                         lbm_fluid, codes::touch_of(point), session.page_bytes(), teams.threads());
    const lbm::Reference reference =
        lbm::reference_of(lattice, lbm_velocity, steps / 2, session.page_bytes());
    auto rounds = session.event([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            lattice.start(lbm_velocity);
            lattice.run(steps / 2);
        }
    });
    Samples samples = codes::sampled(session, rounds);
    const std::string fault = lbm::fault_of(lattice, reference);
    const auto start_bytes =
        static_cast<double>(lattice.cells() * lbm::directions * sizeof(double));
    return PointResult(point)
        .add_samples(std::move(samples))
        .check(fault.empty(), fault.empty() ? "mass is conserved, the last two steps are those of "
                                              "plain formulas, a plain channel has a parabola"
                                            : fault)
        .quantity("cell_updates", static_cast<double>(lattice.cells() * steps))
        .quantity("bytes",
                  start_bytes + static_cast<double>(steps) / 2 * lattice.moved_in_two_steps())
        .quantity("data_bytes", lattice.data_bytes())
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime());
}

void run_lbm(NodeSession& session) {
    const Teams teams = requested_teams();
    require_whole(teams);
    session.record_each(
        [&](const Parameters& point) { return measure_lbm(session, teams, point); });
}

const RegisterNodeBenchmark registered_lbm({"codes.lbm",
                                            {"cells", "steps", "solid", "touch", "scaling"},
                                            &run_lbm});

}  // namespace
}  // namespace machmeter
