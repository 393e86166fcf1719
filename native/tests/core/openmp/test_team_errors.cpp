// An exception in a team ends up with the caller, and teams have the size asked for.
#include <omp.h>

#include <stdexcept>

#include "core/openmp/team_errors.hpp"
#include "core/openmp/team_size.hpp"
#include "tests/support/check.hpp"

namespace machmeter {

TEST(an_exception_of_any_thread_is_thrown_again_outside) {
    for (const int thrower : {0, 1, 2}) {
        TeamErrors errors;
        int done = 0;
#pragma omp parallel num_threads(3) reduction(+ : done)
        {
            errors.catching([&] {
                if (omp_get_thread_num() == thrower) {
                    throw std::out_of_range("no room");
                }
            });
            ++done;
        }
        CHECK(done == 3);
        const auto rethrown = [&] {
            errors.rethrow();
            return 0;
        };
        CHECK_THROWS(std::out_of_range, "no room", rethrown());
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

TEST(a_team_of_another_size_is_an_error_that_names_both) {
    require_team(3, 3);
    const auto lacking = [] {
        require_team(2, 3);
        return 0;
    };
    CHECK_THROWS(std::runtime_error, "the team has 2 threads of 3", lacking());
}

}  // namespace machmeter
