// Kernels of devices, compiled by NVRTC for one architecture of NVIDIA's.
//
// To the code of that architecture (cubin) and not to PTX: a driver that is older than NVRTC
// refuses its PTX (error 222).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "device/api/nvrtc.hpp"
#include "device/device.hpp"
#include "device/kernels/cuda_prelude.hpp"

namespace machmeter {

class NvrtcCompiler {
   public:
    // library: its file. Throws NoLibrary, DeviceError.
    explicit NvrtcCompiler(const std::string& library) : nvrtc_(SharedLibrary({library})) {
        int major = 0;
        int minor = 0;
        require(nvrtc_.version(&major, &minor), "nvrtcVersion");
        version_ = "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
    }

    [[nodiscard]] const std::string& version() const { return version_; }

    // As Device::compile; architecture: `sm_90`. Returns the code, for cuModuleLoadData.
    [[nodiscard]] std::string compile(const std::string& text,
                                      const std::vector<std::string>& definitions,
                                      const std::string& architecture) const {
        std::vector<std::string> options{"--gpu-architecture=" + architecture};
        for (const std::string& one : definitions) {
            options.push_back("-D" + one);
        }
        std::vector<const char*> words;
        words.reserve(options.size());
        for (const std::string& one : options) {
            words.push_back(one.c_str());
        }
        const std::string whole = kernels::cuda_prelude + text;
        const Program program(nvrtc_, whole);
        const nvrtc::Result result =
            nvrtc_.compile_program(program.program, static_cast<int>(words.size()), words.data());
        if (result == nvrtc::compilation_failed) {
            const std::string log = answer(program, nvrtc_.log_bytes, nvrtc_.log);
            throw DeviceError(version_ + " refused a kernel for " + architecture + ": " +
                              log.substr(0, log.find('\0')));
        }
        require(result, "nvrtcCompileProgram");
        return answer(program, nvrtc_.cubin_bytes, nvrtc_.cubin);
    }

   private:
    struct Program {
        Program(const nvrtc::Functions& nvrtc, const std::string& text) : functions(nvrtc) {
            require(
                functions,
                functions.create_program(&program, text.c_str(), "kernels.cu", 0, nullptr, nullptr),
                "nvrtcCreateProgram");
        }
        Program(const Program&) = delete;
        Program& operator=(const Program&) = delete;
        ~Program() { functions.destroy_program(&program); }

        const nvrtc::Functions& functions;
        nvrtc::Program program = nullptr;
    };

    static void require(const nvrtc::Functions& nvrtc, nvrtc::Result result, const char* call) {
        if (result != nvrtc::success) {
            throw DeviceError(std::string(call) + " failed: " + nvrtc.error_text(result));
        }
    }
    void require(nvrtc::Result result, const char* call) const { require(nvrtc_, result, call); }

    template <class AskBytes, class Ask>
    [[nodiscard]] std::string answer(const Program& program, AskBytes ask_bytes, Ask ask) const {
        std::size_t bytes = 0;
        require(ask_bytes(program.program, &bytes), "asking NVRTC for the size of its result");
        std::string found(bytes, '\0');
        require(ask(program.program, found.data()), "asking NVRTC for its result");
        return found;
    }

    nvrtc::Functions nvrtc_;
    std::string version_;
};

}  // namespace machmeter
