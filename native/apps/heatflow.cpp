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
#include "core/host/available_memory.hpp"
#include "core/libraries/openmp_runtime.hpp"
#include "core/openmp/team_errors.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node_benchmark.hpp"
#include "threads/paired_sampling.hpp"

namespace machmeter {
namespace {

// Every solve converged; the first, the middle and the last derivative are those of differences.
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

// All derivatives once, with arrays from `with_arrays(outer thread, use)`, which calls
// use(arrays), or returns false where there is no memory.
template <class WithArrays>
void derive_all(const heat::Problem& problem, const Teams& teams,
                std::vector<heat::Derivative>& derivatives, WithArrays&& with_arrays) {
    std::atomic<bool> short_of_memory = false;
    TeamErrors errors;
#pragma omp parallel for num_threads(teams.outer) schedule(dynamic, 1)
    for (std::size_t number = 0; number < derivatives.size(); ++number) {
        errors.catching([&] {
            const bool done = with_arrays(omp_get_thread_num(), [&](const heat::Arrays& arrays) {
                problem.derive(number, arrays, teams.inner, derivatives[number]);
            });
            if (!done) {
                short_of_memory = true;
            }
        });
    }
    errors.rethrow();
    if (short_of_memory) {
        throw std::runtime_error("malloc gave no memory for the arrays of a derivative");
    }
}

// Pages that the kernel has mapped for this process so far without reading a disk (getrusage(2)).
std::uint64_t page_faults() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_minflt);
}

// page_faults: of one event, all derivatives.
struct Timed {
    Samples samples;
    double page_faults = 0;
    std::size_t page_bytes = 0;
};

template <class WithArrays>
Timed time_derivatives(Session& session, const heat::Problem& problem, const Teams& teams,
                       std::vector<heat::Derivative>& derivatives, WithArrays&& with_arrays) {
    // Counted after the first event, which warms up: what faults then does so every time.
    std::uint64_t before = 0;
    std::uint64_t calls = 0;
    std::uint64_t events = 0;
    Timed timed{session.sample([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            derive_all(problem, teams, derivatives, with_arrays);
        }
        if (calls++ == 0) {
            before = page_faults();
        } else {
            events += count;
        }
    })};
    timed.page_faults = static_cast<double>(page_faults() - before) / static_cast<double>(events);
    return timed;
}

Timed time_inside(Session& session, const heat::Problem& problem, const Teams& teams,
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

Timed time_slices(Session& session, const heat::Problem& problem, const Teams& teams,
                  std::vector<heat::Derivative>& derivatives) {
    const heat::SlicedArrays memory(problem.grid(), teams.outer, session.page_bytes());
    const auto with_arrays = [&](int outer, auto&& use) {
        use(memory.arrays(outer));
        return true;
    };
    Timed timed = time_derivatives(session, problem, teams, derivatives, with_arrays);
    timed.page_bytes = memory.obtained_page_bytes();
    return timed;
}

// What the allocator did with the arrays of a derivative that is done: mapped anew, they fault when
// they are first touched, with huge pages at least once for all nine.
std::string pages_inside(double faults_per_derivative) {
    return faults_per_derivative >= 1 ? "as malloc gives them, given back by the allocator between "
                                        "derivatives, at least in part"
                                      : "as malloc gives them, kept by the allocator";
}

// Throws UsageError where the arrays of all outer teams, and what they read, do not fit.
void require_room_for_cells(const heat::Grid& grid, const Teams& teams, std::size_t page_bytes,
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

bool arrays_are_inside(const Parameters& point) {
    const std::string& wanted = point.text("arrays");
    if (wanted != "inside" && wanted != "slices") {
        throw UsageError("arrays: '" + wanted + "' is none of inside, slices");
    }
    return wanted == "inside";
}

PointResult measure_heatflow(Session& session, const Teams& teams, heat::Problem& problem,
                             const Parameters& point) {
    const bool inside = arrays_are_inside(point);
    std::vector<heat::Derivative> derivatives(point.count_within("derivatives", 1, 100'000));
    Timed timed = inside ? time_inside(session, problem, teams, derivatives)
                         : time_slices(session, problem, teams, derivatives);
    const auto count = static_cast<double>(derivatives.size());
    double iterations = 0;
    for (const heat::Derivative& derivative : derivatives) {
        iterations += static_cast<double>(derivative.solved.iterations);
    }
    return {point,
            {{"seconds", std::move(timed.samples.seconds)}},
            timed.samples.batch,
            derivatives_are_right(problem, derivatives),
            "every solve converged; the first, middle and last derivative are those of central "
            "differences",
            {{"derivatives", count},
             {"iterations", iterations},
             {"bytes_per_team",
              static_cast<double>(heat::Arrays::count * heat::array_bytes(problem.grid()))},
             {"page_faults", timed.page_faults},
             {"outer_threads", static_cast<double>(teams.outer)},
             {"inner_threads", static_cast<double>(teams.inner)}},
            {{"wait_policy", wait_policy()},
             {"runtime", openmp_runtime()},
             {"pages", inside ? pages_inside(timed.page_faults / count) : "as asked"}},
            timed.page_bytes};
}

void run_heatflow(Session& session) {
    const Teams teams = asked_teams();
    require_whole(teams);
    std::map<std::uint64_t, heat::Problem> problems;
    for (const Parameters& point : session.points()) {
        const std::uint64_t edge = point.count_within("cells", 4, 1024);
        require_room_for_cells({edge}, teams, session.page_bytes(), available_memory_bytes());
        heat::Problem& problem = problems.try_emplace(edge, edge, teams.outer).first->second;
        session.record(measure_heatflow(session, teams, problem, point));
    }
}

const RegisterNodeBenchmark registered_heatflow("apps.heatflow", {"derivatives", "arrays", "cells"},
                                                &run_heatflow);

}  // namespace
}  // namespace machmeter
