// nodes.noise: how much longer steps of fixed work on all threads of a node take than without the
// noise of its operating system: the ratio of a step's slowest thread to its own usual time.
//
// Fixed work quanta after Sottile and Minnich (Cluster 2004). All threads begin a step together, as
// those of a program with a barrier in each step do: it is as slow as the thread that is disturbed
// most (Petrini, Kerbyson and Pakin, SC 2003). A thread is compared with itself, so that cores of
// unlike clocks are no noise.
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/work.hpp"
#include "core/openmp/team_clock.hpp"
#include "nodes/each_node.hpp"

namespace machmeter {
namespace {

constexpr double step_seconds = 1e-3;
// A sample is the mean of so many steps.
constexpr std::size_t steps_of_sample = 50;

// Seconds by thread and step.
using Quanta = std::vector<std::vector<double>>;

struct Quiet {
    Quanta seconds;
    bool right = true;
};

Quiet work_in_steps(const Clock& clock, std::size_t threads, std::size_t steps) {
    const std::uint64_t each = work_steps_for(clock, step_seconds);
    Quiet found{Quanta(threads)};
    std::atomic<bool> right = true;
    Rendezvous start;
    int team = 0;
#pragma omp parallel num_threads(static_cast<int>(threads))
    {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        if (thread == 0) {
            team = omp_get_num_threads();
        }
        const auto all = static_cast<std::uint64_t>(omp_get_num_threads());
        std::vector<double> own(steps);
        const std::uint64_t product = work(thread, each);
        for (std::size_t step = 0; step < steps; ++step) {
            start.arrive(step, all);
            const std::uint64_t begin = clock.now();
            const std::uint64_t value = work(thread, each);
            own[step] = seconds_between(begin, clock.now());
            if (value != product) {
                right = false;
            }
        }
        found.seconds[thread] = std::move(own);
    }
    require_team(static_cast<std::size_t>(team), threads);
    found.right = right;
    return found;
}

nodes::Own measure_noise(const Clock& clock, double seconds) {
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    const auto samples = static_cast<std::size_t>(
        std::max(1.0, seconds / (step_seconds * static_cast<double>(steps_of_sample))));
    const std::size_t steps = samples * steps_of_sample;
    const std::uint64_t begin = clock.now();
    const Quiet quiet = work_in_steps(clock, threads, steps);
    nodes::Own own;
    own.samples.timed_seconds = seconds_between(begin, clock.now());
    own.samples.batch = steps_of_sample;
    own.samples.seconds.assign(samples, 0);
    own.right = quiet.right;
    std::vector<double> usual(threads);
    for (std::size_t thread = 0; thread < threads; ++thread) {
        usual[thread] = median(quiet.seconds[thread]);
    }
    double stretch = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        double longest = 0;
        double most = 0;
        for (std::size_t thread = 0; thread < threads; ++thread) {
            const double lasted = quiet.seconds[thread][step];
            longest = std::max(longest, lasted);
            most = std::max(most, lasted / usual[thread]);
        }
        own.samples.seconds[step / steps_of_sample] +=
            longest / static_cast<double>(steps_of_sample);
        stretch += most / static_cast<double>(steps);
    }
    own.numbers = {static_cast<double>(threads), stretch};
    return own;
}

void run_node_noise(MpiSession& session) {
    constexpr std::uint64_t longest = 600;
    nodes::record_each_node(
        session,
        [&](const Parameters& point) {
            return measure_noise(session.clock(),
                                 static_cast<double>(point.count_within("seconds", 1, longest)));
        },
        [](const Parameters& point, const nodes::Own& own) {
            PointResult result(point);
            result.add_samples(own.samples);
            result.check(own.right, "the work of every step on this node had the same result")
                .quantity("threads", own.numbers[0])
                .quantity("stretch", own.numbers[1]);
            return result;
        });
}

const RegisterMpiBenchmark registered(
    {"nodes.noise", {"node", "seconds"}, &run_node_noise, nodes::one_on_each});

}  // namespace
}  // namespace machmeter
