#include <omp.h>

#include "core/host/identity.hpp"
#include "core/host/places.hpp"
#include "core/record/noise.hpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_clock.hpp"

namespace machmeter {
namespace {

TEST(every_thread_times_its_quanta_by_the_clock_it_is_given) {
    omp_set_num_threads(1);
    test::fake_step = 3'000;
    const Noise noise = observe_noise(test::fake_clock, 50);
    CHECK(noise.quanta_seconds == std::vector<std::vector<double>>{std::vector<double>(50, 3e-6)});
    CHECK(noise.host == host_name());
    CHECK(noise.cpus.size() == 1 && noise.cpus[0] >= 0);
}

TEST(every_thread_of_a_team_is_there) {
    omp_set_num_threads(3);
    const Noise noise = observe_noise(monotonic_clock, 5);
    CHECK(noise.quanta_seconds.size() == 3);
    CHECK(noise.cpus.size() == 3);
    for (const std::vector<double>& quanta : noise.quanta_seconds) {
        CHECK(quanta.size() == 5);
    }
}

TEST(the_work_is_fixed) {
    CHECK(fixed_work(7) == fixed_work(7));
    CHECK(fixed_work(7) != fixed_work(9));
}

TEST(noise_is_written_with_all_its_parts) {
    Noise noise{"host", {0}, {{0.5}}, 1.5, 2, 0.25, "4ae1", 1795000001, 0.75, 12.5};
    CHECK(noise.to_json() ==
          R"({"host":"host","cpus":[0],"quanta_seconds":[[0.5]],"steal_seconds":1.5,)"
          R"("involuntary_switches":2,"load":0.25,"boot":"4ae1","kernel_started":1795000001,)"
          R"("own_seconds":0.75,"busy_seconds":12.5})");
    noise.kernel_started = 0;
    CHECK(noise.to_json().find(R"("kernel_started":null)") != std::string::npos);
}

TEST(work_of_this_process_makes_its_cpus_busy) {
    omp_set_num_threads(1);
    const Noise before = observe_noise(monotonic_clock, 1);
    const double until = before.own_seconds + 0.2;
    Noise after = before;
    for (std::uint64_t value = 0; after.own_seconds < until;) {
        value = fixed_work(value);
        after = observe_noise(monotonic_clock, 1);
    }
    // In ticks of 10 ms, and the kernel may count them late.
    CHECK(after.busy_seconds - before.busy_seconds > 0.1);
    CHECK(after.kernel_started == before.kernel_started && after.kernel_started > 1e9);
    CHECK(after.boot == kernel_boot());
}

}  // namespace
}  // namespace machmeter
