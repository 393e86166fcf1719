// A point that cannot be measured here: recorded without samples, with what is lacking and what to
// do, so that the launch goes on with the others.
#pragma once

#include <string>

#include "core/record/record.hpp"

namespace machmeter {

inline PointResult not_measured(const Parameters& point, const std::string& why) {
    return {point, {}, 1, false, "not measured: " + why};
}

}  // namespace machmeter
