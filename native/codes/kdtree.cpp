// codes.kdtree: how many of all points lie near each, by a k-d tree; built by tasks that halve the
// points, searched by tasks of some queries each.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "apps/team_times.hpp"
#include "codes/common/grown.hpp"
#include "codes/common/sampled.hpp"
#include "codes/kdtree/checks.hpp"
#include "codes/kdtree/tree.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/loaded.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

// Places in the tree, one after the other or shuffled (Fisher and Yates).
std::vector<std::uint32_t> order_of_queries(std::uint64_t points, bool shuffled) {
    constexpr std::uint64_t stream = 9;
    std::vector<std::uint32_t> order(points);
    std::iota(order.begin(), order.end(), 0U);
    for (std::uint64_t i = points - 1; shuffled && i > 0; --i) {
        const auto other =
            static_cast<std::uint64_t>(uniform(stream, i) * static_cast<double>(i + 1));
        std::swap(order[i], order[std::min(other, i)]);
    }
    return order;
}

// Throws UsageError where points, tree, order and the check's list of cells do not fit.
void require_memory_of_points(std::uint64_t points) {
    constexpr double bytes_of_point = 2 * sizeof(kdtree::Point) + 3 * sizeof(float) + 3 * 4 + 16;
    require_memory("points: " + std::to_string(points),
                   static_cast<double>(points) * bytes_of_point, available_memory_bytes());
}

PointResult measure_kdtree(NodeSession& session, const Teams& teams, const Parameters& point) {
    const std::uint64_t points =
        codes::extent_of(point, {"points", 64, 4'000'000'000}, teams.threads(), codes::Power{1});
    const std::uint64_t found = point.count_within("found", 1, 1'000'000);
    // Most balls would leave the box: the check, a list of cells, would look at all pairs.
    if (static_cast<double>(found) > 0.06 * static_cast<double>(points)) {
        throw UsageError("found: " + std::to_string(found) + " are more than 6 % of " +
                         std::to_string(points) + " points: request fewer, or more points");
    }
    const bool shuffled = point.choice<bool>("sequence", {{"tree", false}, {"random", true}});
    require_memory_of_points(points);
    kdtree::Tree tree(points, codes::touch_of(point), session.page_bytes(), teams.threads());
    const float squared = kdtree::squared_radius(points, found);
    const std::vector<std::uint32_t> order = order_of_queries(points, shuffled);
    TeamTimes times(1, 2);
    int warm_ups = 1;
    auto rounds = session.event([&](std::uint64_t count) {
        // The first counts where it is the only one.
        if (warm_ups-- == 0) {
            times.clear();
        }
        for (std::uint64_t i = 0; i < count; ++i) {
            times.whole([&] {
                times.add(0, 0, time_alone(monotonic_clock, [&] { tree.build(); }));
                times.add(0, 1, time_alone(monotonic_clock, [&] { tree.search(order, squared); }));
            });
        }
    });
    Samples samples = codes::sampled(session, rounds);
    const std::string fault = kdtree::fault_of(tree, squared);
    return PointResult(point)
        .add_samples(std::move(samples))
        .check(fault.empty(), fault.empty()
                                  ? "every point is there and in its box; counts are those "
                                    "of a list of cells"
                                  : fault)
        .quantity("queries", static_cast<double>(points))
        .quantity("data_bytes", tree.data_bytes())
        .quantity("build_share", times.share(0))
        .quantity("search_share", times.share(1))
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime());
}

void run_kdtree(NodeSession& session) {
    const Teams teams = requested_teams();
    require_whole(teams);
    session.record_each(
        [&](const Parameters& point) { return measure_kdtree(session, teams, point); });
}

const RegisterNodeBenchmark registered_kdtree({"codes.kdtree",
                                               {"points", "found", "sequence", "touch", "scaling"},
                                               &run_kdtree});

}  // namespace
}  // namespace machmeter
