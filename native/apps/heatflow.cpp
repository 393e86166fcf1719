// apps.heatflow: independent derivatives of a heat-flow problem, after SHEMAT-Suite in Schmidl et
// al., IEEE Cluster 2010: outer teams over derivatives, inner teams inside the assembly and the
// solve of one. Private arrays come from malloc inside the parallel region, or are slices of one
// array.
#include <omp.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apps/heat_derivatives.hpp"
#include "apps/team_times.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/loaded.hpp"
#include "core/openmp/team_errors.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

// Every solve converged; the first, the middle and the last derivative agree with differences.
bool derivatives_are_right(heat::Problem& problem,
                           const std::vector<heat::Derivative>& derivatives) {
    const bool converged =
        std::all_of(derivatives.begin(), derivatives.end(), [](const heat::Derivative& derivative) {
            return derivative.solved.residual <= heat::solve_tolerance;
        });
    bool right = converged;
    for (const std::size_t number :
         {std::size_t{0}, derivatives.size() / 2, derivatives.size() - 1}) {
        right = right && heat::agrees(derivatives[number].column, problem.difference(number));
    }
    return right;
}

enum HeatPhase : std::uint8_t { assembly, solving, heat_phases };

// All derivatives once, with arrays from `with_arrays(outer thread, use)`, which calls
// use(arrays), or returns false where there is no memory.
template <class WithArrays>
void derive_all(const heat::Problem& problem, const Teams& teams,
                std::vector<heat::Derivative>& derivatives, TeamTimes& times,
                WithArrays&& with_arrays) {
    std::atomic<bool> short_of_memory = false;
    TeamErrors errors;
#pragma omp parallel for num_threads(teams.outer) schedule(dynamic, 1)
    for (std::size_t number = 0; number < derivatives.size(); ++number) {
        errors.catching([&] {
            const bool done = with_arrays(omp_get_thread_num(), [&](const heat::Arrays& arrays) {
                problem.derive(number, arrays, teams.inner, derivatives[number]);
                times.add(omp_get_thread_num(), assembly,
                          derivatives[number].solved.assembly_seconds);
                times.add(omp_get_thread_num(), solving, derivatives[number].solved.solve_seconds);
            });
            if (!done) {
                short_of_memory = true;
            }
        });
    }
    errors.rethrow();
    if (short_of_memory) {
        throw std::runtime_error("malloc refused the arrays of a derivative: request fewer cells");
    }
}

// Page faults of this process so far that read no disk (getrusage(2)).
std::uint64_t page_faults() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_minflt);
}

// page_faults: of one event, all derivatives; shares: of the time of all outer threads.
struct Timed {
    Samples samples;
    double page_faults = 0;
    std::size_t page_bytes = 0;
    double assembly_share = 0;
    double solve_share = 0;
};

template <class WithArrays>
Timed time_derivatives(NodeSession& session, const heat::Problem& problem, const Teams& teams,
                       std::vector<heat::Derivative>& derivatives, WithArrays&& with_arrays) {
    // Counted after the first event, which warms up: later faults recur in every event.
    std::uint64_t before = 0;
    std::uint64_t warm_events = 0;
    TeamTimes times(teams.outer, heat_phases);
    auto events = session.event([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            times.whole([&] { derive_all(problem, teams, derivatives, times, with_arrays); });
        }
        if (warm_events == 0) {
            times.clear();
            before = page_faults();
            warm_events = count;
        }
    });
    Timed timed{session.sample(events)};
    timed.page_faults = static_cast<double>(page_faults() - before) /
                        static_cast<double>(events.rounds() - warm_events);
    timed.assembly_share = times.share(assembly);
    timed.solve_share = times.share(solving);
    return timed;
}

Timed time_inside(NodeSession& session, const heat::Problem& problem, const Teams& teams,
                  std::vector<heat::Derivative>& derivatives) {
    const auto with_arrays = [&](int /*outer*/, auto&& use) {
        const heat::MallocedArrays memory(problem.grid());
        if (memory.complete()) {
            use(memory.arrays());
        }
        return memory.complete();
    };
    return time_derivatives(session, problem, teams, derivatives, with_arrays);
}

Timed time_slices(NodeSession& session, const heat::Problem& problem, const Teams& teams,
                  std::vector<heat::Derivative>& derivatives) {
    const heat::SlicedArrays memory(problem.grid(), teams.outer, session.page_bytes());
    const auto with_arrays = [&](int outer, auto&& use) {
        use(memory.arrays(outer));
        return true;
    };
    Timed timed = time_derivatives(session, problem, teams, derivatives, with_arrays);
    timed.page_bytes = memory.page_bytes();
    return timed;
}

// What the allocator did with the arrays of the last derivative: released and mapped again, they
// fault at their first touch, with huge pages at least once for all nine.
std::string pages_inside(double faults_per_derivative) {
    return faults_per_derivative >= 1 ? "from malloc, at least partly released to the kernel "
                                        "between derivatives"
                                      : "from malloc, kept by the allocator";
}

// Throws UsageError where the arrays of all outer teams, and what they read, do not fit.
void require_memory_of_cells(const heat::Grid& grid, const Teams& teams, std::size_t page_bytes,
                             double available) {
    // Conductivities and temperatures, and both once more for the differences.
    constexpr double shared = 4;
    const auto array = static_cast<double>(heat::array_bytes(grid));
    const auto of_team =
        static_cast<double>(round_up(heat::Arrays::count * heat::array_bytes(grid), page_bytes));
    require_memory("cells: arrays of " + std::to_string(grid.edge) + " cells an edge for " +
                       std::to_string(teams.outer) + " outer teams",
                   of_team * teams.outer + shared * array, available);
}

PointResult measure_heatflow(NodeSession& session, const Teams& teams, heat::Problem& problem,
                             const Parameters& point) {
    const bool inside = point.choice<bool>("arrays", {{"inside", true}, {"slices", false}});
    std::vector<heat::Derivative> derivatives(point.count_within("derivatives", 1, 100'000));
    Timed timed = inside ? time_inside(session, problem, teams, derivatives)
                         : time_slices(session, problem, teams, derivatives);
    const auto count = static_cast<double>(derivatives.size());
    std::uint64_t iterations = 0;
    for (const heat::Derivative& derivative : derivatives) {
        iterations += derivative.solved.iterations;
    }
    const auto edge = static_cast<double>(problem.grid().edge);
    const double updates = static_cast<double>(iterations) * edge * edge * edge;
    const double bytes_per_team =
        static_cast<double>(heat::Arrays::count * heat::array_bytes(problem.grid()));
    return PointResult(point)
        .add_samples(std::move(timed.samples))
        .check(derivatives_are_right(problem, derivatives),
               "every solve converged; the first, middle and last derivative agree with central "
               "differences")
        .quantity("derivatives", count)
        .quantity("iterations", iterations)
        .quantity("flops", updates * heat::flops_per_cell)
        .quantity("bytes", updates * heat::bytes_per_cell)
        .quantity("data_bytes", bytes_per_team * std::min<double>(teams.outer, count))
        .quantity("assembly_share", timed.assembly_share)
        .quantity("solve_share", timed.solve_share)
        .quantity("bytes_per_team", bytes_per_team)
        .quantity("page_faults", timed.page_faults)
        .quantity("outer_threads", teams.outer)
        .quantity("inner_threads", teams.inner)
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime())
        .attribute("pages", inside ? pages_inside(timed.page_faults / count) : "as requested")
        .on_pages(timed.page_bytes);
}

void run_heatflow(NodeSession& session) {
    const Teams teams = requested_teams();
    require_whole(teams);
    std::map<std::uint64_t, heat::Problem> problems;
    session.record_each([&](const Parameters& point) {
        const std::uint64_t edge = point.count_within("cells", 4, 1024);
        require_memory_of_cells({edge}, teams, session.page_bytes(), available_memory_bytes());
        heat::Problem& problem = problems.try_emplace(edge, edge, teams.outer).first->second;
        return measure_heatflow(session, teams, problem, point);
    });
}

const RegisterNodeBenchmark registered_heatflow({"apps.heatflow",
                                                 {"derivatives", "arrays", "cells"},
                                                 &run_heatflow});

}  // namespace
}  // namespace machmeter
