// machmeter-shmem: benchmarks of several processing elements.
#include "core/session/program.hpp"
#include "shmem/runtime.hpp"

int main(int count, char** words) {
    return machmeter::Program<machmeter::ShmemRuntime>().run(count, words);
}
