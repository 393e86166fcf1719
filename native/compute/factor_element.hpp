// Elements of matrices, by their places alone.
#pragma once

#include <cstdint>

#include "core/values/random_bits.hpp"

namespace machmeter::compute {

// Element `index` of a matrix of factors: from -1 to below 1, with all bits of a mantissa.
inline double factor_element(std::uint64_t matrix, std::uint64_t index) {
    return 2 * uniform(matrix, index) - 1;
}

}  // namespace machmeter::compute
