// How the work of a code grows with the threads of its layout when weak scaling is requested.
#pragma once

#include <omp.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/fake_session.hpp"

namespace machmeter::test {

// Of each of the teams, work a thread of a weak point over that of the same point on one thread; -1
// where a check fails, or where the work of a strong point depends on the threads.
inline std::vector<double> weak_work(void (*benchmark)(NodeSession&), const std::string& point,
                                     std::string_view amount, const std::vector<int>& teams) {
    const int before = omp_get_max_threads();
    const auto work_of = [&](const char* scaling, int team) {
        omp_set_num_threads(team);
        // Work does not depend on how often it is timed.
        const PointResult result =
            run_with_fake_clock(benchmark, {point + ",scaling=" + scaling}, 1'000'000'000, 4096, 1)
                .at(0);
        return result.check_passed ? quantity_of(result, amount) : -1;
    };
    const double one = work_of("weak", 1);
    const bool same = one > 0 && work_of("strong", 1) == one;
    std::vector<double> parts;
    for (const int team : teams) {
        const double several = work_of("weak", team);
        const bool right = same && several > 0 && work_of("strong", team) == one;
        parts.push_back(right ? several / one / team : -1);
    }
    omp_set_num_threads(before);
    return parts;
}

}  // namespace machmeter::test
