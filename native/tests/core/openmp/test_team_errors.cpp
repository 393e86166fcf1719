// An exception in a team reaches the caller.
#include <omp.h>

#include <stdexcept>

#include "core/openmp/team_errors.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

TEST(an_exception_of_any_thread_is_thrown_again_outside) {
    for (const int thrower : {0, 1, 2}) {
        TeamErrors errors;
        int done = 0;
#pragma omp parallel num_threads(3) reduction(+ : done)
        {
            errors.catching([&] {
                if (omp_get_thread_num() == thrower) {
                    throw std::out_of_range("no memory");
                }
            });
            ++done;
        }
        CHECK(done == 3);
        const auto rethrown = [&] {
            errors.rethrow();
            return 0;
        };
        CHECK_THROWS(std::out_of_range, "no memory", rethrown());
    }
}

TEST(of_several_exceptions_the_first_is_kept_and_without_one_nothing_is_thrown) {
    TeamErrors errors;
    errors.catching([] {});
    errors.rethrow();
    errors.catching([] { throw std::runtime_error("first"); });
    errors.catching([] { throw std::logic_error("second"); });
    const auto rethrown = [&] {
        errors.rethrow();
        return 0;
    };
    CHECK_THROWS(std::runtime_error, "first", rethrown());
}

}  // namespace
}  // namespace machmeter
