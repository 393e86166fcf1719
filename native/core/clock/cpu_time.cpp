#include "core/clock/cpu_time.hpp"

#include <sys/resource.h>

namespace machmeter {
namespace {

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

CpuTime cpu_time() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return {seconds_of(usage.ru_utime), seconds_of(usage.ru_stime)};
}

}  // namespace machmeter
