// What the kernel counts since it started, for all processes (proc(5), stat).
#pragma once

#include <set>

namespace machmeter {

// Seconds in which these CPUs were busy since the kernel started, whoever it was, each counted.
double busy_seconds(const std::set<int>& cpus);

// When the kernel started, seconds since 1970; 0 where it does not say.
double kernel_started();

}  // namespace machmeter
