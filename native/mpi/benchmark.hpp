// A benchmark of several ranks: its name, its parameters, how many ranks it takes and its body.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "mpi/session.hpp"

namespace machmeter {

// How many ranks a benchmark takes; most 0 means any number.
struct Ranks {
    int least = 2;
    int most = 0;
    bool even = false;

    [[nodiscard]] bool allow(int size) const {
        return size >= least && (most == 0 || size <= most) && (!even || size % 2 == 0);
    }
};

inline constexpr Ranks two_ranks{2, 2, true};
inline constexpr Ranks any_ranks{2, 0, false};
inline constexpr Ranks ranks_in_pairs{2, 0, true};

// thread_level: what MPI_Init_thread is asked for.
struct MpiBenchmark {
    std::string_view name;
    ParameterNames parameters;
    Ranks ranks;
    void (*run)(MpiSession&);
    int thread_level;
};

inline std::vector<MpiBenchmark>& mpi_benchmarks() {
    static std::vector<MpiBenchmark> all;
    return all;
}

// A global of this type in the benchmark's own file puts it on the list.
struct RegisterMpiBenchmark {
    RegisterMpiBenchmark(std::string_view name, ParameterNames parameters, Ranks ranks,
                         void (*run)(MpiSession&), int thread_level = MPI_THREAD_FUNNELED) {
        mpi_benchmarks().push_back({name, std::move(parameters), ranks, run, thread_level});
    }
};

}  // namespace machmeter
