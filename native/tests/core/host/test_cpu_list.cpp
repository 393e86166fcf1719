#include <thread>
#include <vector>

#include "core/host/cpu_list.hpp"
#include "core/host/places.hpp"
#include "tests/support/check.hpp"

namespace machmeter {

TEST(lists_are_numbers_with_commas_between) {
    CHECK(parse_cpus("0", "list") == std::vector<int>{0});
    CHECK(parse_cpus("3,17,2", "list") == std::vector<int>({3, 17, 2}));
}

TEST(what_is_no_list_is_refused_by_name) {
    for (const char* text : {"", ",", "1,", "1,,2", "a", "-1", "1-3", " 1", "1.5"}) {
        CHECK_THROWS(UsageError, "PROGRESS", parse_cpus(text, "PROGRESS"));
    }
    CHECK_THROWS(UsageError, "no machine has CPU 1048576", parse_cpus("1048576", "PROGRESS"));
    CHECK_THROWS(UsageError, "PROGRESS", parse_cpus("99999999999999999999", "PROGRESS"));
}

TEST(a_thread_stays_where_it_is_bound) {
    const int last = allowed_cpus().back();
    std::vector<int> obtained;
    std::thread([&] {
        bind_thread_to({last});
        obtained = allowed_cpus();
    }).join();
    CHECK(obtained == std::vector<int>{last});
}

TEST(cpus_that_are_not_there_cannot_be_bound_to) {
    CHECK_THROWS(std::runtime_error, "cannot bind", (bind_thread_to({(1 << 20) - 1}), 0));
}

}  // namespace machmeter
