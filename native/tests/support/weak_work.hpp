// How the work of a code grows with the threads of its layout when weak scaling is requested.
#pragma once

#include <omp.h>

#include <string>
#include <string_view>

#include "tests/support/fake_session.hpp"

namespace machmeter::test {

// Work a thread of a weak point on so many threads, over that of the same point on one thread; -1
// where a check fails, or where the work of a strong point depends on the threads.
inline double weak_work(void (*benchmark)(NodeSession&), const std::string& point,
                        std::string_view amount, int threads) {
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
    const bool strong = work_of("strong", 1) == one && work_of("strong", threads) == one;
    const double several = work_of("weak", threads);
    omp_set_num_threads(before);
    return strong && one > 0 && several > 0 ? several / one / threads : -1;
}

}  // namespace machmeter::test
