// Words of 25 letters of a sequence, packed into a number: two bits a letter.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/values/random_bits.hpp"

namespace machmeter::assembly {

using Kmer = std::uint64_t;

// Both strands, where it is not known from which one a read comes: a word and its reverse
// complement are one, the smaller of the two.
enum class Strands { both, one };

inline constexpr std::size_t word = 25;
inline constexpr unsigned letter_bits = 2;
inline constexpr unsigned word_bits = word * letter_bits;
inline constexpr Kmer word_mask = (Kmer{1} << word_bits) - 1;
// No word: those have 50 bits.
inline constexpr Kmer no_word = ~Kmer{0};

// By these two bits of their ASCII codes A, C, T and G are 0, 1, 2, 3, and complements differ by 2.
inline constexpr std::array<char, 4> alphabet{'A', 'C', 'T', 'G'};
inline Kmer code_of(char letter) { return (static_cast<unsigned char>(letter) >> 1U) & 3U; }
inline char complement(char letter) { return alphabet[code_of(letter) ^ 2U]; }

// The last letters of a strand and those of its complement, a letter further each time.
class Window {
   public:
    void push(Kmer code) {
        forward_ = ((forward_ << letter_bits) | code) & word_mask;
        backward_ = (backward_ >> letter_bits) | ((code ^ 2U) << (word_bits - letter_bits));
    }

    [[nodiscard]] Kmer forward() const { return forward_; }
    [[nodiscard]] Kmer backward() const { return backward_; }
    template <Strands strands>
    [[nodiscard]] Kmer canonical() const {
        return strands == Strands::both ? std::min(forward_, backward_) : forward_;
    }

   private:
    Kmer forward_ = 0;
    Kmer backward_ = 0;
};

// `take(kmer)` for every word of a sequence, from its begin.
template <Strands strands, class Take>
void each_word(const char* sequence, std::size_t length, Take&& take) {
    Window window;
    const std::size_t first = std::min(word - 1, length);
    for (std::size_t i = 0; i < first; ++i) {
        window.push(code_of(sequence[i]));
    }
    for (std::size_t i = word - 1; i < length; ++i) {
        window.push(code_of(sequence[i]));
        take(window.canonical<strands>());
    }
}

// The reverse complement, by exchanging ever smaller halves.
inline Kmer reversed(Kmer kmer) {
    Kmer all = kmer ^ 0xAAAAAAAAAAAAAAAAU;
    all = __builtin_bswap64(all);
    all = ((all >> 4U) & 0x0F0F0F0F0F0F0F0FU) | ((all & 0x0F0F0F0F0F0F0F0FU) << 4U);
    all = ((all >> 2U) & 0x3333333333333333U) | ((all & 0x3333333333333333U) << 2U);
    return all >> (64U - word_bits);
}

// The upper bits are spread over all words (Knuth, The Art of Computer Programming 3, 6.4).
inline std::uint64_t spread(Kmer kmer) { return (kmer ^ (kmer >> 29U)) * golden_step; }

// The first place to look for a word in a table of so many.
inline std::size_t place_of(Kmer kmer, std::size_t slots) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<Wide>(spread(kmer)) * slots) >> 64U);
}

}  // namespace machmeter::assembly
