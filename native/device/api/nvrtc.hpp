// What is used of NVRTC, the compiler of CUDA C++ that is a library, declared by hand (NVIDIA,
// NVRTC User Guide): no header and no library of a vendor is needed to compile.
#pragma once

#include <cstddef>

#include "core/libraries/shared_library.hpp"

namespace machmeter::nvrtc {

using Program = struct ProgramOfNvrtc*;
using Result = int;

inline constexpr Result success = 0;
inline constexpr Result compilation_failed = 6;

struct Functions {
    // Throws NoLibrary.
    explicit Functions(const SharedLibrary& library) {
        library.load(version, "nvrtcVersion");
        library.load(error_text, "nvrtcGetErrorString");
        library.load(create_program, "nvrtcCreateProgram");
        library.load(destroy_program, "nvrtcDestroyProgram");
        library.load(compile_program, "nvrtcCompileProgram");
        library.load(log_bytes, "nvrtcGetProgramLogSize");
        library.load(log, "nvrtcGetProgramLog");
        library.load(cubin_bytes, "nvrtcGetCUBINSize");
        library.load(cubin, "nvrtcGetCUBIN");
    }

    Result (*version)(int*, int*);
    const char* (*error_text)(Result);
    Result (*create_program)(Program*, const char* text, const char* name, int headers,
                             const char* const* contents, const char* const* names);
    Result (*destroy_program)(Program*);
    Result (*compile_program)(Program, int options, const char* const*);
    Result (*log_bytes)(Program, std::size_t*);
    Result (*log)(Program, char*);
    Result (*cubin_bytes)(Program, std::size_t*);
    Result (*cubin)(Program, char*);
};

}  // namespace machmeter::nvrtc
