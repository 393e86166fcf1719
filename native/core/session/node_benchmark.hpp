// A benchmark of one process: its name, its parameters and its body. Define one and it can be
// launched.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "core/session/session.hpp"

namespace machmeter {

struct NodeBenchmark {
    std::string_view name;
    ParameterNames parameters;
    void (*run)(Session&);
};

inline std::vector<NodeBenchmark>& node_benchmarks() {
    static std::vector<NodeBenchmark> all;
    return all;
}

// A global of this type in the benchmark's own file puts it on the list.
struct RegisterNodeBenchmark {
    RegisterNodeBenchmark(std::string_view name, ParameterNames parameters, void (*run)(Session&)) {
        node_benchmarks().push_back({name, std::move(parameters), run});
    }
};

}  // namespace machmeter
