// A chain of dependent integer multiplications, whose length in cycles is known: it shows the clock
// of a core where no counter can be read.
#pragma once

#include <cstdint>

namespace machmeter::compute {

// On x86-64 a multiplication of 32 bits takes 3 cycles on Intel since Nehalem (E-cores included)
// and on AMD since Zen (uops.info; Fog, Instruction tables); elsewhere it is not known: 0.
#if defined(__x86_64__)
inline constexpr int cycles_of_multiplication = 3;
#else
inline constexpr int cycles_of_multiplication = 0;
#endif

inline constexpr std::uint32_t chain_multiplier = 1664525;
inline constexpr std::uint64_t multiplications_of_chain = std::uint64_t{1} << 15U;

// seed * multiplier^multiplications, modulo 2^32; multiplications: a multiple of 16.
inline std::uint32_t multiply_chain(std::uint32_t seed, std::uint64_t multiplications) {
    std::uint32_t value = seed;
    const std::uint32_t multiplier = chain_multiplier;
    for (std::uint64_t i = 0; i < multiplications; i += 16) {
#if defined(__x86_64__)
        asm volatile(
            "imull %1, %0\n\t imull %1, %0\n\t imull %1, %0\n\t imull %1, %0\n\t"
            "imull %1, %0\n\t imull %1, %0\n\t imull %1, %0\n\t imull %1, %0\n\t"
            "imull %1, %0\n\t imull %1, %0\n\t imull %1, %0\n\t imull %1, %0\n\t"
            "imull %1, %0\n\t imull %1, %0\n\t imull %1, %0\n\t imull %1, %0"
            : "+r"(value)
            : "r"(multiplier)
            : "cc");
#else
        for (int step = 0; step < 16; ++step) {
            value *= multiplier;
        }
#endif
    }
    return value;
}

// The same by repeated squares.
inline std::uint32_t product_of_chain(std::uint32_t seed, std::uint64_t multiplications) {
    std::uint32_t product = seed;
    std::uint32_t square = chain_multiplier;
    for (std::uint64_t left = multiplications; left > 0; left /= 2) {
        product *= left % 2 == 1 ? square : 1;
        square *= square;
    }
    return product;
}

}  // namespace machmeter::compute
