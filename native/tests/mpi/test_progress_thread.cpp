#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/values/parameters.hpp"
#include "mpi/progress_thread.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

void probes_until_it_ends(Pause pause) {
    std::atomic<int> probes{0};
    const int cpu = allowed_cpus().back();
    {
        const ProgressThread thread({cpu}, pause, 5, 3, [&] { ++probes; });
        CHECK(thread.place().rank == 5 && thread.place().thread == 3);
        CHECK(thread.place().cpus == std::vector<int>{cpu});
        while (probes < 100) {
            std::this_thread::yield();
        }
    }
    const int at_end = probes;
    std::this_thread::sleep_for(10 * progress_sleep);
    CHECK(probes == at_end);
}

TEST(it_probes_repeatedly_from_its_start_to_its_end) {
    probes_until_it_ends(Pause::yield);
    probes_until_it_ends(Pause::sleep);
}

TEST(its_text_has_its_pause) {
    CHECK(progress_text(Pause::yield).find("sched_yield") != std::string::npos);
    CHECK(progress_text(Pause::sleep).find("sleeping 50 us") != std::string::npos);
}

TEST(where_it_cannot_be_bound_there_is_no_thread) {
    int probes = 0;
    CHECK_THROWS(std::runtime_error, "cannot bind",
                 (ProgressThread({(1 << 20) - 1}, Pause::yield, 0, 1, [&] { ++probes; }), 0));
    CHECK(probes == 0);
}

TEST(its_cpus_come_from_the_environment) {
    unsetenv(progress_variable);
    CHECK(requested_progress_cpus().empty());
    setenv(progress_variable, "", 1);
    CHECK(requested_progress_cpus().empty());
    setenv(progress_variable, "7,9", 1);
    CHECK(requested_progress_cpus() == std::vector<int>({7, 9}));
    setenv(progress_variable, "all", 1);
    CHECK_THROWS(UsageError, "MACHMETER_PROGRESS_CPUS", requested_progress_cpus());
    unsetenv(progress_variable);
}

TEST(one_cpu_in_common_is_enough_to_share) {
    CHECK(have_common_cpu({1, 2}, {2, 3}));
    CHECK(!have_common_cpu({1, 2}, {3}));
    CHECK(!have_common_cpu({}, {3}));
}

}  // namespace
}  // namespace machmeter
