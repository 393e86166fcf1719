// machmeter-mpi: benchmarks of several ranks.
#include <sys/syscall.h>
#include <unistd.h>

#include "core/session/program.hpp"
#include "mpi/runtime.hpp"
#include "mpi/yields.hpp"

// In place of the C library's, for every shared library that this program loads.
extern "C" int sched_yield() noexcept {
    ++machmeter::yields;
    return static_cast<int>(syscall(SYS_sched_yield));
}

int main(int count, char** words) {
    return machmeter::Program<machmeter::MpiRuntime>().run(count, words);
}
