// A problem grows with the threads of its layout where weak scaling is requested, and only there.
#include <cstdint>
#include <string>

#include "codes/common/grown.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

using codes::Power;

std::uint64_t extent(const std::string& point, int threads, int exponent) {
    return codes::extent_of(Parameters(point), {"cells", 2, 1000}, threads, Power{exponent});
}

TEST(a_strong_problem_is_the_same_on_any_team) {
    for (const int threads : {1, 2, 64}) {
        CHECK(extent("cells=100,scaling=strong", threads, 3) == 100);
    }
}

TEST(a_weak_problem_grows_by_the_root_of_the_threads) {
    CHECK(extent("cells=100,scaling=weak", 1, 3) == 100);
    CHECK(extent("cells=100,scaling=weak", 8, 3) == 200);
    CHECK(extent("cells=100,scaling=weak", 10, 1) == 1000);
    CHECK(extent("cells=100,scaling=weak", 64, 6) == 200);
}

TEST(the_nearest_by_ratio_is_taken) {
    for (const int exponent : {1, 2, 3, 6}) {
        const Power work{exponent};
        for (const int threads : {2, 3, 5, 7, 11}) {
            const std::uint64_t found = extent("cells=17,scaling=weak", threads, exponent);
            const auto off = [&](std::uint64_t number) {
                return std::abs(std::log(work(number) / work(17) / threads));
            };
            CHECK(off(found) <= off(found - 1) && off(found) <= off(found + 1));
        }
    }
}

TEST(what_grows_beyond_the_most_is_refused) {
    CHECK(extent("cells=1000,scaling=weak", 1, 3) == 1000);
    CHECK_THROWS(UsageError, "beyond the most, 1000", extent("cells=501,scaling=weak", 8, 3));
    CHECK_THROWS(UsageError, "cells", extent("cells=1,scaling=weak", 1, 3));
    CHECK_THROWS(UsageError, "scaling", extent("cells=10,scaling=none", 1, 3));
    CHECK_THROWS(UsageError, "scaling", extent("cells=10", 1, 3));
}

}  // namespace
}  // namespace machmeter
