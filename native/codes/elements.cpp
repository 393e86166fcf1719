// codes.elements: explicit finite elements of a body that moves, as crash codes step them: small
// loops over elements, whose forces threads add to nodes.
#include <cstdint>
#include <string>
#include <utility>

#include "codes/common/grown.hpp"
#include "codes/common/sampled.hpp"
#include "codes/common/touch.hpp"
#include "codes/elements/body.hpp"
#include "codes/elements/checks.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/loaded.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

// Elements are computed in fours: so many along an edge.
std::uint64_t cells_of(const Parameters& point, int threads) {
    const std::uint64_t requested = point.count("cells");
    if (requested % elements::block_size != 0) {
        throw UsageError("cells: " + std::to_string(requested) +
                         " is no multiple of 4: elements are computed in fours");
    }
    const auto whole = [](std::uint64_t cells) { return cells - cells % elements::block_size; };
    return whole(codes::extent_of(point, {"cells", 8, 800}, threads, [&](std::uint64_t cells) {
        return codes::Power{3}(whole(cells));
    }));
}

PointResult measure_elements(NodeSession& session, const Teams& teams, const Parameters& point) {
    using elements::Scatter;
    const std::uint64_t cells = cells_of(point, teams.threads());
    const std::uint64_t steps = point.count_within("steps", 1, 100'000);
    const std::uint64_t costly = point.count_within("costly", 0, 100);
    const auto scatter = point.choice<Scatter>("scatter", {{"colors", Scatter::colors},
                                                           {"corners", Scatter::corners},
                                                           {"private", Scatter::own_arrays}});
    const elements::Mesh mesh(cells);
    const double bytes = elements::Body::needed_bytes(mesh, scatter, teams.threads());
    require_memory("cells: " + std::to_string(cells) + " along three edges", bytes,
                   available_memory_bytes());
    elements::Body body(mesh, scatter, costly, codes::touch_of(point), session.page_bytes(),
                        teams.threads());
    const elements::Reference reference =
        elements::reference_of(body, scatter, steps, session.page_bytes());
    auto rounds = session.event([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            body.start();
            body.run(steps);
        }
    });
    Samples samples = codes::sampled(session, rounds);
    const std::string fault = elements::fault_of(body, reference);
    return PointResult(point)
        .add_samples(std::move(samples))
        .check(fault.empty(), fault.empty() ? "forces balance and turn nothing, energy stays, the "
                                              "last step is that of plain formulas"
                                            : fault)
        .quantity("element_updates", static_cast<double>(mesh.elements() * steps))
        .quantity("data_bytes", bytes)
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime());
}

void run_elements(NodeSession& session) {
    const Teams teams = requested_teams();
    require_whole(teams);
    session.record_each(
        [&](const Parameters& point) { return measure_elements(session, teams, point); });
}

const RegisterNodeBenchmark registered_elements(
    {"codes.elements", {"cells", "steps", "scatter", "costly", "touch", "scaling"}, &run_elements});

}  // namespace
}  // namespace machmeter
