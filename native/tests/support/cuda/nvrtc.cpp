// Stands in for NVRTC: what it compiles runs by OpenCL. The texts of kernels are the same for both;
// it changes the prelude.
#include "device/api/nvrtc.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "device/kernels/cuda_prelude.hpp"
#include "tests/support/cuda/stand_in.hpp"

namespace {

using machmeter::nvrtc::Result;

struct Source {
    std::string text;
    std::string log;
    std::uint64_t code = 0;
};

constexpr Result invalid_input = 3;
constexpr Result invalid_option = 5;

}  // namespace

extern "C" {

Result nvrtcVersion(int* major, int* minor) {
    *major = 12;
    *minor = 9;
    return machmeter::nvrtc::success;
}

const char* nvrtcGetErrorString(Result result) {
    return result == invalid_option ? "NVRTC_ERROR_INVALID_OPTION" : "NVRTC_ERROR_INVALID_INPUT";
}

Result nvrtcCreateProgram(Source** program, const char* text, const char* /*name*/, int /*headers*/,
                          const char* const* /*contents*/, const char* const* /*names*/) {
    const std::string_view prelude = machmeter::kernels::cuda_prelude;
    if (!std::string_view(text).starts_with(prelude)) {
        return invalid_input;
    }
    *program = new Source{text + prelude.size(), "", 0};
    return machmeter::nvrtc::success;
}

Result nvrtcDestroyProgram(Source** program) {
    delete *program;
    return machmeter::nvrtc::success;
}

Result nvrtcCompileProgram(Source* program, int count, const char* const* options) {
    if (count < 1 || !std::string_view(options[0]).starts_with("--gpu-architecture=sm_")) {
        return invalid_option;
    }
    std::vector<std::string> definitions;
    for (int i = 1; i < count; ++i) {
        definitions.emplace_back(options[i] + std::strlen("-D"));
    }
    auto& programs = machmeter::stand_in::programs();
    try {
        const auto handle = machmeter::stand_in::device().compile(program->text, definitions);
        program->code = programs.size();
        programs.push_back(std::make_unique<machmeter::stand_in::CompiledProgram>(
            machmeter::stand_in::CompiledProgram{handle, program->text, definitions}));
    } catch (const machmeter::DeviceError& error) {
        program->log = error.what();
        return machmeter::nvrtc::compilation_failed;
    }
    return machmeter::nvrtc::success;
}

Result nvrtcGetProgramLogSize(Source* program, std::size_t* bytes) {
    *bytes = program->log.size() + 1;
    return machmeter::nvrtc::success;
}

Result nvrtcGetProgramLog(Source* program, char* log) {
    std::memcpy(log, program->log.c_str(), program->log.size() + 1);
    return machmeter::nvrtc::success;
}

Result nvrtcGetCUBINSize(Source* /*program*/, std::size_t* bytes) {
    *bytes = sizeof(std::uint64_t);
    return machmeter::nvrtc::success;
}

Result nvrtcGetCUBIN(Source* program, char* code) {
    std::memcpy(code, &program->code, sizeof program->code);
    return machmeter::nvrtc::success;
}
}
