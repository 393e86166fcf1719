// codes.coulomb: ions of one sign that repel each other by screened Coulomb forces, every pair in
// every step.
#include <cstdint>
#include <string>
#include <utility>

#include "codes/common/grown.hpp"
#include "codes/common/sampled.hpp"
#include "codes/coulomb/checks.hpp"
#include "codes/coulomb/motion.hpp"
#include "core/libraries/loaded.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

PointResult measure_coulomb(NodeSession& session, const Teams& teams, const Parameters& point) {
    const int threads = teams.threads();
    const std::uint64_t cells =
        codes::extent_of(point, {"cells", 8, 100}, threads, codes::Power{6});
    const std::uint64_t steps = point.count_within("steps", 1, 100'000);
    const coulomb::Ions start = coulomb::crystal_of(cells);
    coulomb::Ions ions = start;
    auto rounds = session.event([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            ions = start;
            coulomb::move(ions, steps, threads);
        }
    });
    Samples samples = codes::sampled(session, rounds);
    const std::string fault = coulomb::fault_of(coulomb::errors_of(ions, start, threads));
    const auto count = static_cast<double>(ions.count);
    return PointResult(point)
        .add_samples(std::move(samples))
        .check(fault.empty(), fault.empty() ? "forces balance and are the slope of the energy, as "
                                              "plain formulas say; energy stays"
                                            : fault)
        .quantity("pairs", count * (count - 1) * static_cast<double>(steps + 1))
        .quantity("data_bytes", ions.data_bytes())
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime());
}

void run_coulomb(NodeSession& session) {
    const Teams teams = requested_teams();
    require_whole(teams);
    session.record_each(
        [&](const Parameters& point) { return measure_coulomb(session, teams, point); });
}

const RegisterNodeBenchmark registered_coulomb({"codes.coulomb",
                                                {"cells", "steps", "scaling"},
                                                &run_coulomb});

}  // namespace
}  // namespace machmeter
