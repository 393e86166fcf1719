// compile_kernels NVRTC ARCHITECTURE FOLDER [TEXT]: compiles every text of device/kernels by NVRTC,
// as benchmarks do for a GPU, to a cubin in the folder; or this text alone.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "device/nvrtc_compiler.hpp"
#include "kernel_texts.hpp"

int main(int count, char** words) {
    if (count < 4) {
        return 2;
    }
    std::vector<KernelText> texts = kernel_texts();
    if (count > 4) {
        texts = {{"given", words[4], texts.front().definitions}};
    }
    try {
        const machmeter::NvrtcCompiler compiler(words[1]);
        std::printf("%s\n", compiler.version().c_str());
        for (const KernelText& one : texts) {
            std::ofstream(std::string(words[3]) + "/" + one.name + ".cubin", std::ios::binary)
                << compiler.compile(one.text, one.definitions, words[2]);
        }
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
    return 0;
}
