#include <omp.h>

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
    const Noise noise{"host", {0}, {{0.5}}, 1.5, 2, 0.25};
    CHECK(noise.to_json() ==
          R"({"host":"host","cpus":[0],"quanta_seconds":[[0.5]],"steal_seconds":1.5,)"
          R"("involuntary_switches":2,"load":0.25})");
}

}  // namespace
}  // namespace machmeter
