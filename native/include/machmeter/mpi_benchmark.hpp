// A benchmark of several ranks: its name, how many ranks it takes and its body.
#pragma once

#include <string_view>
#include <vector>

#include "machmeter/mpi_session.hpp"

namespace machmeter {

struct MpiBenchmark {
    std::string_view name;
    int ranks;
    void (*run)(MpiSession&);
};

inline std::vector<MpiBenchmark>& mpi_benchmarks() {
    static std::vector<MpiBenchmark> all;
    return all;
}

// A global of this type in the benchmark's own file puts it on the list.
struct RegisterMpiBenchmark {
    RegisterMpiBenchmark(std::string_view name, int ranks, void (*run)(MpiSession&)) {
        mpi_benchmarks().push_back({name, ranks, run});
    }
};

}  // namespace machmeter
