// Noise of a host: equal pieces of work timed repeatedly on every thread (fixed work quanta,
// Sottile and Minnich, Cluster 2004), and the kernel's counts of steal and switches.
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

    [[nodiscard]] std::string to_json() const;
};

// One quantum.
std::uint64_t fixed_work(std::uint64_t seed);

Noise observe_noise(const Clock& clock, int quanta);

}  // namespace machmeter
