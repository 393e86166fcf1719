// Noise of a host: equal pieces of work timed repeatedly on every thread (fixed work quanta,
// Sottile and Minnich, Cluster 2004), and the kernel's counts of steal, switches and busy CPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/clock/clock.hpp"

namespace machmeter {

struct Noise {
    std::string host;
    std::vector<int> cpus;
    std::vector<std::vector<double>> quanta_seconds;
    double steal_seconds = 0;
    long involuntary_switches = 0;
    double load = 0;
    std::string boot = {};
    double kernel_started = 0;  // seconds since 1970
    double own_seconds = 0;     // CPU time of all threads of this process
    double busy_seconds = 0;    // of the CPUs that its threads may use, since the kernel started

    [[nodiscard]] std::string to_json() const;
};

// One quantum.
std::uint64_t fixed_work(std::uint64_t seed);

Noise observe_noise(const Clock& clock, int quanta);

}  // namespace machmeter
