// Generated sparse matrices, row by row: any thread can make any row, and every launch makes the
// same ones.
//
// A row's nonzeros are in a window of columns, one in each of as many equal parts of the window as
// it has nonzeros: distinct and in order without sorting. Windows no wider than their nonzeros are
// full.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/values/parameters.hpp"
#include "core/values/random_bits.hpp"
#include "sparse/compressed_rows.hpp"

namespace machmeter::sparse {

struct Window {
    std::uint32_t nonzeros;
    std::uint32_t first_column;
    std::uint32_t width;
};

enum class Pattern : std::uint8_t { banded, ramp, power_law, random };

// Throws UsageError.
inline Pattern parse_pattern(std::string_view name) {
    return choose<Pattern>("matrix, a pattern or a path ending in .mtx", name,
                           {{"banded", Pattern::banded},
                            {"ramp", Pattern::ramp},
                            {"power-law", Pattern::power_law},
                            {"random", Pattern::random}});
}

// Pseudorandom bits.
inline std::uint64_t scramble(std::uint64_t value) { return mix(value + golden_step); }

// The upper half of `bits` as a whole number below `limit`.
inline std::uint32_t below(std::uint64_t bits, std::uint32_t limit) {
    return static_cast<std::uint32_t>(((bits >> 32U) * limit) >> 32U);
}

// A square matrix with about as many nonzeros as requested.
class Generated {
   public:
    Generated(Pattern pattern, std::uint64_t nonzeros)
        : pattern_(pattern), mean_length_(mean_length(pattern, nonzeros)) {
        const std::uint64_t rows = std::max<std::uint64_t>(nonzeros / mean_length_, 1);
        if (rows > most_columns) {
            throw UsageError("nonzeros: " + std::to_string(nonzeros) +
                             " need more columns than 32 bits count");
        }
        rows_ = static_cast<std::uint32_t>(rows);
    }

    [[nodiscard]] std::uint32_t rows() const { return rows_; }
    [[nodiscard]] std::uint32_t columns() const { return rows_; }

    [[nodiscard]] Window window(std::uint32_t row) const {
        switch (pattern_) {
            case Pattern::banded:
                return band(row);
            case Pattern::ramp:
                return wedge(row);
            case Pattern::power_law:
                return {power_law_length(row), 0, columns()};
            case Pattern::random:
                return {std::min(random_least + below(scramble(row), random_spread), columns()), 0,
                        columns()};
        }
        return {0, 0, 0};
    }

    // The row's nonzeros in order of their columns; values within [0.5, 1.5).
    void fill(std::uint32_t row, const Window& window, Column* columns, double* values) const {
        for (std::uint32_t k = 0; k < window.nonzeros; ++k) {
            const std::uint64_t bits = scramble((std::uint64_t{row} << 32U) + k);
            const std::uint32_t begin = part_begin(window, k);
            const std::uint32_t width = part_begin(window, k + 1) - begin;
            columns[k] = static_cast<Column>(window.first_column + begin + below(bits, width));
            values[k] = 0.5 + static_cast<double>(bits & 0xFFFFFFFFU) * 0x1p-32;
        }
    }

   private:
    static constexpr std::uint32_t half_band = 12;
    static constexpr double most_ramp_mean = 64;
    static constexpr std::uint32_t power_law_mean = 8;
    static constexpr std::uint32_t random_least = 8;
    static constexpr std::uint32_t random_spread = 17;

    static std::uint32_t mean_length(Pattern pattern, std::uint64_t nonzeros) {
        switch (pattern) {
            case Pattern::banded:
                return 2 * half_band + 1;
            case Pattern::ramp: {
                // No row is longer than its number: a small ramp is the lower triangle.
                const double triangle = std::sqrt(static_cast<double>(nonzeros) / 2);
                return static_cast<std::uint32_t>(std::clamp(triangle, 1.0, most_ramp_mean));
            }
            case Pattern::power_law:
                return power_law_mean;
            case Pattern::random:
                return random_least + random_spread / 2;
        }
        return 1;
    }

    static std::uint32_t part_begin(const Window& window, std::uint32_t part) {
        return static_cast<std::uint32_t>(std::uint64_t{part} * window.width / window.nonzeros);
    }

    // Half a band on either side of the diagonal, cut at the edges of the matrix.
    [[nodiscard]] Window band(std::uint32_t row) const {
        const std::uint32_t first = row > half_band ? row - half_band : 0;
        const std::uint32_t end = std::min(row + half_band + 1, rows_);
        return {end - first, first, end - first};
    }

    // Rows that end on the diagonal, from one nonzero to twice the mean.
    [[nodiscard]] Window wedge(std::uint32_t row) const {
        const auto grown =
            static_cast<std::uint32_t>(std::uint64_t{row} * (2 * mean_length_ - 1) / rows_);
        const std::uint32_t length = std::min(1 + grown, row + 1);
        return {length, row + 1 - length, length};
    }

    // Expected lengths fall with the row's number to the power -2/3, as degrees fall with age in
    // graphs that grow by preferential attachment (Barabasi and Albert, Science 1999): lengths
    // have a density of exponent -5/2. Each is drawn evenly from nothing to twice its expectation.
    [[nodiscard]] std::uint32_t power_law_length(std::uint32_t row) const {
        const double age = (static_cast<double>(row) + 1) / static_cast<double>(rows_);
        // The mean of age^(-2/3) over (0, 1] is 3.
        const double expected = power_law_mean / 3.0 / std::cbrt(age * age);
        const double drawn = static_cast<double>(scramble(row) >> 11U) * 0x1p-53;
        const double length = 2 * expected * drawn + 0.5;
        return static_cast<std::uint32_t>(std::min(length, static_cast<double>(rows_)));
    }

    Pattern pattern_;
    std::uint32_t mean_length_;
    std::uint32_t rows_ = 0;
};

}  // namespace machmeter::sparse
