// The request for a launch: the same command line for every program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/clock/sampling.hpp"
#include "core/values/parameters.hpp"

namespace machmeter {

struct Arguments {
    std::string benchmark;
    std::string record;
    std::uint64_t launch = 0;
    std::uint64_t seed = 0;
    std::uint64_t page_bytes = 4096;
    SamplingLimits limits;
    std::vector<Parameters> points;
};

// Throws UsageError.
Arguments parse_arguments(int count, const char* const* words);

// Throws UsageError for a point with a parameter that is not among these names.
void require_known(const Arguments& arguments, const ParameterNames& names);

}  // namespace machmeter
