// codes.alignlong: the best local alignment of two long sequences, a task a block of the table.
#include <cstdint>
#include <string>
#include <utility>

#include "codes/align/checks.hpp"
#include "codes/align/long.hpp"
#include "codes/align/planted.hpp"
#include "codes/common/grown.hpp"
#include "codes/common/sampled.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/loaded.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

std::size_t block_of(const Parameters& point) {
    return point.choice<std::size_t>(
        "block", {{"128", 128}, {"256", 256}, {"512", 512}, {"1024", 1024}, {"2048", 2048}});
}

// Throws UsageError where the table's edges, and those of the check's, do not fit.
void require_memory_of_long(std::uint64_t length, std::size_t block) {
    const auto letters = static_cast<double>(length + block);
    require_memory("length: " + std::to_string(length),
                   2 * align::LongPair::bytes_for(letters, letters, static_cast<double>(block)),
                   available_memory_bytes());
}

PointResult measure_long(NodeSession& session, const Teams& teams, const Parameters& point) {
    const std::uint64_t length = codes::extent_of(
        point, {"length", align::Planted::shortest, 50'000'000}, teams.threads(), codes::Power{2});
    const std::size_t block = block_of(point);
    const codes::Touch touch = codes::touch_of(point);
    require_memory_of_long(length, block);
    const align::Planted planted(length);
    align::LongPair pair(planted.a(), planted.b(), block, touch, session.page_bytes(),
                         teams.threads());
    auto rounds = session.event([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            pair.make_profiles();
            pair.align();
        }
    });
    Samples samples = codes::sampled(session, rounds);
    align::LongPair exchanged(planted.b(), planted.a(), block, touch, session.page_bytes(),
                              teams.threads());
    exchanged.make_profiles();
    exchanged.align();
    const std::string fault = align::fault_of(pair, exchanged, planted);
    return PointResult(point)
        .add_samples(std::move(samples))
        .check(fault.empty(), fault.empty()
                                  ? "planted pieces are found; the table is the same when "
                                    "exchanged, and parts of it by the plain recurrence"
                                  : fault)
        .quantity("cells", static_cast<double>(length) * static_cast<double>(length))
        .quantity("data_bytes", pair.data_bytes())
        .quantity("best", pair.best())
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime());
}

void run_long(NodeSession& session) {
    const Teams teams = requested_teams();
    require_whole(teams);
    session.record_each(
        [&](const Parameters& point) { return measure_long(session, teams, point); });
}

const RegisterNodeBenchmark registered_long({"codes.alignlong",
                                             {"length", "block", "touch", "scaling"},
                                             &run_long});

}  // namespace
}  // namespace machmeter
