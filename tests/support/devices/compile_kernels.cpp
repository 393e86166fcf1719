// compile_kernels NVRTC ARCHITECTURE FOLDER [TEXT]: compiles every text of device/kernels by NVRTC,
// as benchmarks do for a GPU, to a cubin in the folder; or this text alone.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "device/kernels/arithmetic.hpp"
#include "device/kernels/atomics.hpp"
#include "device/kernels/latency.hpp"
#include "device/kernels/liquid.hpp"
#include "device/kernels/stream.hpp"
#include "device/nvrtc_compiler.hpp"

namespace {

struct Text {
    const char* name;
    const char* text;
    std::vector<std::string> definitions;
};

}  // namespace

int main(int count, char** words) {
    if (count < 4) {
        return 2;
    }
    using namespace machmeter;
    const std::vector<std::string> in_turn{"LANES=1", "GROUP_ITEMS=256", "STRETCHES=0"};
    const std::vector<std::string> alone{"LANES=1", "GROUP_ITEMS=1", "STRETCHES=1"};
    std::vector<std::string> doubles = in_turn;
    doubles.insert(doubles.end(), {"Real=double", "Vector=double"});
    std::vector<std::string> floats = in_turn;
    floats.insert(floats.end(), {"Real=float", "Vector=float"});
    std::vector<Text> texts{{"stream", kernels::stream, in_turn},
                            {"latency", kernels::latency, alone},
                            {"atomics", kernels::atomics, in_turn},
                            {"liquid", kernels::liquid, in_turn},
                            {"arithmetic", kernels::arithmetic, doubles},
                            {"arithmetic-float", kernels::arithmetic, floats}};
    if (count > 4) {
        texts = {{"given", words[4], in_turn}};
    }
    try {
        const NvrtcCompiler compiler(words[1]);
        std::printf("%s\n", compiler.version().c_str());
        for (const Text& one : texts) {
            std::ofstream(std::string(words[3]) + "/" + one.name + ".cubin", std::ios::binary)
                << compiler.compile(one.text, one.definitions, words[2]);
        }
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
    return 0;
}
