// What letters and gaps are worth in an alignment of two sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/values/random_bits.hpp"

namespace machmeter::gotoh {

using Letter = std::uint8_t;
using Letters = std::span<const Letter>;

inline constexpr int alphabet = 20;
// A letter behind the end of a sequence: nothing is gained by aligning it.
inline constexpr Letter behind_the_end = alphabet;
// A gap of n letters costs `open` + n `extend`.
inline constexpr int open = 10;
inline constexpr int extend = 1;
// A score that none falls below, from which a gap can still be subtracted.
inline constexpr std::int32_t lowest = -(1 << 29);

// A letter with itself has 4 to 9; with one of its class of four 1; with any other -1 to -4. So
// random letters have less than nothing in the mean, -1.5, and are not aligned for long.
constexpr int score(int a, int b) {
    if (a == behind_the_end || b == behind_the_end) {
        return -100;
    }
    if (a == b) {
        return 4 + a % 6;
    }
    return a % 5 == b % 5 ? 1 : -1 - (a * b + a + b) % 4;
}
inline constexpr int highest = 9;

// Letter `index` of the sequence `number`, at random.
inline Letter make_letter(std::uint64_t number, std::uint64_t index) {
    return static_cast<Letter>(uniform(number + 1, index) * alphabet);
}

// The best of all alignments that end at a place of the table; and of those with a gap, what it is
// worth at the next place.
struct Entry {
    std::int32_t score;
    std::int32_t gap;

    friend bool operator==(const Entry&, const Entry&) = default;
};

}  // namespace machmeter::gotoh
