// machmeter-node: benchmarks of one process and its OpenMP threads.
#include "core/session/node.hpp"

#include "core/session/program.hpp"

int main(int count, char** words) {
    return machmeter::Program<machmeter::NodeRuntime>().run(count, words);
}
