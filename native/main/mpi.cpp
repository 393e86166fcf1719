// machmeter-mpi: benchmarks of several ranks.
#include "core/session/program.hpp"
#include "mpi/runtime.hpp"

int main(int count, char** words) {
    return machmeter::Program<machmeter::MpiRuntime>().run(count, words);
}
