// apps.heatflow: independent derivatives of a heat-flow problem, after SHEMAT-Suite in Schmidl et
// al., IEEE Cluster 2010: outer teams over derivatives, inner teams inside the assembly and the
// solve of one. Private arrays come from malloc inside the parallel region, or are slices of one
// array.
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "machmeter/construct_sampling.hpp"
#include "machmeter/heat_derivatives.hpp"
#include "machmeter/node_benchmark.hpp"
#include "machmeter/openmp_runtime.hpp"
#include "machmeter/teams.hpp"

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
#pragma omp parallel for num_threads(teams.outer) schedule(dynamic, 1)
    for (std::size_t number = 0; number < derivatives.size(); ++number) {
        const bool done = with_arrays(omp_get_thread_num(), [&](const heat::Arrays& arrays) {
            problem.derive(number, arrays, teams.inner, derivatives[number]);
        });
        if (!done) {
            short_of_memory = true;
        }
    }
    if (short_of_memory) {
        throw std::runtime_error("malloc gave no memory for the arrays of a derivative");
    }
}

struct Timed {
    Samples samples;
    std::size_t page_bytes = 0;
};

Timed time_inside(Session& session, const heat::Problem& problem, const Teams& teams,
                  std::vector<heat::Derivative>& derivatives) {
    const auto with_arrays = [&](int /*outer*/, auto&& use) {
        const heat::MallocedArrays memory(problem.grid());
        if (memory.complete()) {
            use(memory.arrays());
        }
        return memory.complete();
    };
    return {session.sample([&](std::uint64_t count) {
                for (std::uint64_t i = 0; i < count; ++i) {
                    derive_all(problem, teams, derivatives, with_arrays);
                }
            }),
            0};
}

Timed time_slices(Session& session, const heat::Problem& problem, const Teams& teams,
                  std::vector<heat::Derivative>& derivatives) {
    const heat::SlicedArrays memory(problem.grid(), teams.outer, session.page_bytes());
    const auto with_arrays = [&](int outer, auto&& use) {
        use(memory.arrays(outer));
        return true;
    };
    Samples samples = session.sample([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            derive_all(problem, teams, derivatives, with_arrays);
        }
    });
    return {std::move(samples), memory.obtained_page_bytes()};
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
            {{"derivatives", static_cast<double>(derivatives.size())},
             {"iterations", iterations},
             {"bytes_per_team",
              static_cast<double>(heat::Arrays::count * heat::array_bytes(problem.grid()))},
             {"outer_threads", static_cast<double>(teams.outer)},
             {"inner_threads", static_cast<double>(teams.inner)}},
            {{"wait_policy", wait_policy()},
             {"runtime", openmp_runtime()},
             {"pages", inside ? "as malloc gives them" : "as asked"}},
            timed.page_bytes};
}

void run_heatflow(Session& session) {
    const Teams teams = asked_teams();
    require_whole(teams);
    std::map<std::uint64_t, heat::Problem> problems;
    for (const Parameters& point : session.points()) {
        const std::uint64_t edge = point.count_within("cells", 4, 1024);
        heat::Problem& problem = problems.try_emplace(edge, edge, teams.outer).first->second;
        session.record(measure_heatflow(session, teams, problem, point));
    }
}

const RegisterNodeBenchmark registered_heatflow("apps.heatflow", &run_heatflow);

}  // namespace
}  // namespace machmeter
