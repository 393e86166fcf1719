// The product of one row with a vector, in two loops for two kinds of matrices.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sparse/compressed_rows.hpp"

namespace machmeter::sparse {

// Column numbers that may be read behind a row's own, and values that may be prefetched: both
// arrays are that much longer.
inline constexpr std::size_t lookahead = 64;

// GCC and Clang split it into what the processor has; elements need no alignment beyond their own.
using Eight __attribute__((vector_size(64), aligned(8), may_alias)) = double;

inline double sum_of(const Eight& parts) {
    return ((parts[0] + parts[4]) + (parts[1] + parts[5])) +
           ((parts[2] + parts[6]) + (parts[3] + parts[7]));
}

// For rows with runs of neighboring columns: eight of a run are one vector of x, no gather. Needs
// columns in order, each once. Values and column numbers are prefetched 64 nonzeros ahead: 5 to 15
// % faster on a Zen 4 core.
struct RunsProduct {
    static constexpr const char* name = "vectors of 8 where columns are consecutive";

    double operator()(const Column* columns, const double* values, std::uint64_t nonzeros,
                      const double* x) const {
        constexpr std::uint64_t step = 8;
        double rest = 0;
        std::uint64_t k = 0;
        if (nonzeros >= step) {
            Eight parts{};
            for (; k + step <= nonzeros; k += step) {
                __builtin_prefetch(values + k + lookahead);
                __builtin_prefetch(columns + k + lookahead);
                const double* from = x + columns[k];
                if (columns[k + step - 1] - columns[k] == static_cast<Column>(step - 1)) {
                    parts += *reinterpret_cast<const Eight*>(values + k) *
                             *reinterpret_cast<const Eight*>(from);
                } else {
                    for (std::uint64_t j = k; j < k + step; ++j) {
                        rest += values[j] * x[columns[j]];
                    }
                }
            }
            rest += sum_of(parts);
        }
        for (; k < nonzeros; ++k) {
            rest += values[k] * x[columns[k]];
        }
        return rest;
    }
};

// For rows whose columns are apart: the elements of x are prefetched 64 nonzeros ahead, across the
// ends of rows. Gather instructions were slower on a Zen 4 core, up to twice on short rows.
struct ScatteredProduct {
    static constexpr const char* name = "scalar, elements of x prefetched";

    double operator()(const Column* columns, const double* values, std::uint64_t nonzeros,
                      const double* x) const {
        double sum = 0;
        for (std::uint64_t k = 0; k < nonzeros; ++k) {
            __builtin_prefetch(x + columns[k + lookahead]);
            sum += values[k] * x[columns[k]];
        }
        return sum;
    }
};

}  // namespace machmeter::sparse
