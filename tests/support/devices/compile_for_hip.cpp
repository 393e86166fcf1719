// compile_for_hip LIBRARY ARCHITECTURE: compiles every text of device/kernels by HIPRTC, behind the
// prelude for CUDA, and prints the bytes of each code; or what the compiler says of one.
#include <cstdio>
#include <exception>
#include <string>

#include "core/libraries/shared_library.hpp"
#include "device/kernels/cuda_prelude.hpp"
#include "kernel_texts.hpp"

namespace {

// The functions are those of NVRTC by another name (AMD, HIP RTC Programming Guide).
struct Functions {
    explicit Functions(const machmeter::SharedLibrary& library) {
        library.load(create_program, "hiprtcCreateProgram");
        library.load(compile_program, "hiprtcCompileProgram");
        library.load(log_bytes, "hiprtcGetProgramLogSize");
        library.load(log, "hiprtcGetProgramLog");
        library.load(code_bytes, "hiprtcGetCodeSize");
    }

    int (*create_program)(void**, const char*, const char*, int, const char* const*,
                          const char* const*);
    int (*compile_program)(void*, int, const char* const*);
    int (*log_bytes)(void*, std::size_t*);
    int (*log)(void*, char*);
    int (*code_bytes)(void*, std::size_t*);
};

}  // namespace

int main(int count, char** words) {
    if (count < 3) {
        return 2;
    }
    try {
        const machmeter::SharedLibrary library({words[1]});
        const Functions hip(library);
        const std::string option = std::string("--gpu-architecture=") + words[2];
        const char* options[] = {option.c_str()};
        for (const KernelText& one : kernel_texts()) {
            // As lines: a header of its own uses names that options would define before it.
            std::string text;
            for (std::string definition : one.definitions) {
                text += "#define " + definition.replace(definition.find('='), 1, " ") + "\n";
            }
            text += std::string(machmeter::kernels::cuda_prelude) + one.text;
            void* program = nullptr;
            hip.create_program(&program, text.c_str(), "kernels.hip", 0, nullptr, nullptr);
            const int failed = hip.compile_program(program, 1, options);
            std::size_t bytes = 0;
            if (failed != 0) {
                hip.log_bytes(program, &bytes);
                std::string log(bytes, ' ');
                hip.log(program, log.data());
                std::printf("%s: %s\n", one.name, log.c_str());
                return 1;
            }
            hip.code_bytes(program, &bytes);
            std::printf("%s %zu\n", one.name, bytes);
        }
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
    return 0;
}
