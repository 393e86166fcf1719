// A device of OpenCL in the place of one of CUDA: what the stand-ins of driver and NVRTC share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/opencl_device.hpp"

namespace machmeter::stand_in {

struct CompiledProgram {
    DeviceHandle program;
    std::string text;
    std::vector<std::string> definitions;
};

// Of all implementations the first device that there is. Throws NoLibrary, DeviceError.
inline Device& device() {
    static OpenClDevice made("/etc/OpenCL/vendors", 0);
    return made;
}

// Never moved: code holds the number of its program here.
inline std::vector<std::unique_ptr<CompiledProgram>>& programs() {
    static std::vector<std::unique_ptr<CompiledProgram>> all;
    return all;
}

}  // namespace machmeter::stand_in
