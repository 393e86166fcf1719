// Every text of device/kernels with the definitions that benchmarks compile it with for a GPU.
#pragma once

#include <string>
#include <vector>

#include "device/kernels/arithmetic.hpp"
#include "device/kernels/atomics.hpp"
#include "device/kernels/latency.hpp"
#include "device/kernels/liquid.hpp"
#include "device/kernels/stream.hpp"
#include "device/kernels/units.hpp"

struct KernelText {
    const char* name;
    const char* text;
    std::vector<std::string> definitions;
};

inline std::vector<KernelText> kernel_texts() {
    using namespace machmeter;
    const std::vector<std::string> in_turn{"LANES=1", "GROUP_ITEMS=256", "STRETCHES=0"};
    const std::vector<std::string> alone{"LANES=1", "GROUP_ITEMS=1", "STRETCHES=1"};
    std::vector<std::string> doubles = in_turn;
    doubles.insert(doubles.end(), {"Real=double", "Vector=double"});
    std::vector<std::string> floats = in_turn;
    floats.insert(floats.end(), {"Real=float", "Vector=float"});
    return {{"stream", kernels::stream, in_turn},
            {"latency", kernels::latency, alone},
            {"atomics", kernels::atomics, in_turn},
            {"units", kernels::units, alone},
            {"liquid", kernels::liquid, in_turn},
            {"arithmetic", kernels::arithmetic, doubles},
            {"arithmetic-float", kernels::arithmetic, floats}};
}
