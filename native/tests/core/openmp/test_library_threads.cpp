#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "core/openmp/library_threads.hpp"
#include "tests/support/check.hpp"

namespace machmeter {

TEST(threads_that_worked_are_those_with_cpu_time) {
    const ThreadWatch watch;
    const auto begin = std::chrono::steady_clock::now();
    Worked all;
    std::size_t ended = 0;
    {
        std::thread idle([] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); });
        std::thread busy([&] {
            while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(25)) {
            }
            all = watch.worked();
        });
        busy.join();
        ended = watch.worked().ended;
        idle.join();
    }
    // The busy one alone: the calling thread waits for it.
    CHECK(all.count() == 1);
    CHECK(all.threads.at(0) != getpid());
    CHECK(ended >= 1);
}

TEST(threads_get_the_places_that_no_other_has) {
    const std::vector<int> allowed = allowed_cpus();
    if (allowed.size() < 2) {
        return;
    }
    const std::vector<Cpus> places{{allowed[0]}, {allowed[1]}};
    const Cpus before = allowed;
    bind_thread_to({allowed[1]});
    const PlacedThreads placed({static_cast<int>(gettid())}, places);
    // It is on the second already, and stays.
    CHECK(allowed_cpus() == places[1]);
    CHECK(placed.hold());
    bind_thread_to(before);
    CHECK(!placed.hold());
    const PlacedThreads moved({static_cast<int>(gettid())}, places);
    CHECK(allowed_cpus() == places[0]);
    {
        const OnAll on_all(places);
        CHECK(allowed_cpus() == (Cpus{allowed[0], allowed[1]}));
    }
    CHECK(allowed_cpus() == places[0]);
    bind_thread_to(before);
}

}  // namespace machmeter
