// The declaration of a benchmark, and the list of those that a program holds.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/values/parameters.hpp"

namespace machmeter {

// How many ranks a benchmark takes; most 0 means any number.
struct Ranks {
    int least = 1;
    int most = 1;
    bool even = false;

    [[nodiscard]] bool allow(int size) const {
        return size >= least && (most == 0 || size <= most) && (!even || size % 2 == 0);
    }
    [[nodiscard]] std::string to_text() const {
        std::string text = std::to_string(least);
        if (most == least) {
            return text;
        }
        text += most == 0 ? " or more" : " to " + std::to_string(most);
        return even ? text + ", an even number" : text;
    }
};

inline constexpr Ranks one_rank{1, 1, false};
inline constexpr Ranks two_ranks{2, 2, true};
inline constexpr Ranks any_ranks{2, 0, false};
inline constexpr Ranks ranks_in_pairs{2, 0, true};

// body: measures and records every point of the session; needs: of the runtime, before it starts.
template <class Runtime>
struct Benchmark {
    std::string_view name;
    ParameterNames parameters;
    void (*body)(typename Runtime::Session&);
    Ranks ranks = one_rank;
    typename Runtime::Needs needs = {};
};

template <class Runtime>
std::vector<Benchmark<Runtime>>& benchmarks() {
    static std::vector<Benchmark<Runtime>> all;
    return all;
}

// A global of this type in the benchmark's own file puts it on the list.
template <class Runtime>
struct RegisterBenchmark {
    explicit RegisterBenchmark(Benchmark<Runtime> benchmark) {
        benchmarks<Runtime>().push_back(std::move(benchmark));
    }
};

// Throws UsageError.
template <class Runtime>
const Benchmark<Runtime>& find_benchmark(std::string_view name) {
    for (const Benchmark<Runtime>& benchmark : benchmarks<Runtime>()) {
        if (benchmark.name == name) {
            return benchmark;
        }
    }
    throw UsageError(std::string(Runtime::program) + " has no benchmark '" + std::string(name) +
                     "'");
}

}  // namespace machmeter
