// A chain of dependent integer multiplications, whose length in cycles is known: it shows the clock
// of a core where no counter can be read.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace machmeter::compute {

// A multiplication of 32 bits takes 3 cycles on Intel since Nehalem (E-cores included) and on AMD
// since Zen, of which Hygon is a copy (uops.info; Fog, Instruction tables); elsewhere it is not
// known: 0. Family 15 of Intel is Pentium 4, with 10 cycles; what is newer than family 6 is above.
constexpr int cycles_of_multiplication(std::string_view vendor, unsigned family) {
    const bool intel = vendor == "GenuineIntel" && (family == 6 || family > 15);
    const bool amd = vendor == "AuthenticAMD" && family >= 0x17;
    return intel || amd || vendor == "HygonGenuine" ? 3 : 0;
}

// On the CPU that this runs on.
inline int cycles_of_multiplication() {
#if defined(__x86_64__)
    unsigned signature = 0;
    unsigned unused = 0;
    std::array<unsigned, 3> name{};
    if (__get_cpuid(0, &unused, name.data(), &name[2], &name[1]) == 0 ||
        __get_cpuid(1, &signature, &unused, &unused, &unused) == 0) {
        return 0;
    }
    std::array<char, sizeof(name)> vendor{};
    std::memcpy(vendor.data(), name.data(), sizeof(name));
    const unsigned base = signature >> 8U & 0xFU;
    const unsigned family = base == 0xFU ? base + (signature >> 20U & 0xFFU) : base;
    return cycles_of_multiplication(std::string_view(vendor.data(), vendor.size()), family);
#else
    return 0;
#endif
}

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
