// Chains of fused multiply-adds in registers, a function for each width and precision.
//
// All of a function is one assembler statement: no compiler and no flag changes what is measured,
// puts a chain into memory, or has to be told to compile for a CPU that is not this one.
#pragma once

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace machmeter::compute {

// More than latency times units of every CPU so far (x86: 5 cycles times 2 units; Arm: 4 cycles
// times 4 units, on A64FX 9 times 2), with two registers left for what is multiplied.
#if defined(__aarch64__)
inline constexpr std::size_t chains = 24;
#else
inline constexpr std::size_t chains = 12;
#endif
inline constexpr std::size_t registers = chains + 2;
inline constexpr std::size_t widest_register_bytes = 64;

// run: so many steps; in each, every lane of every chain grows by the product of the same lane of
// the two last registers. numbers: the contents of all `registers`, one after the other.
template <class Number>
struct Kernel {
    std::string_view width;
    std::string_view instruction;
    std::size_t lanes;
    bool (*runs_here)();
    void (*run)(Number* numbers, std::uint64_t steps);
};

#if defined(__x86_64__)

#define MACHMETER_CHAINS(op, ...)                                                                  \
    op(0, __VA_ARGS__) op(1, __VA_ARGS__) op(2, __VA_ARGS__) op(3, __VA_ARGS__) op(4, __VA_ARGS__) \
        op(5, __VA_ARGS__) op(6, __VA_ARGS__) op(7, __VA_ARGS__) op(8, __VA_ARGS__)                \
            op(9, __VA_ARGS__) op(10, __VA_ARGS__) op(11, __VA_ARGS__)
#define MACHMETER_LOAD(i, move, bytes, r) move " " #bytes "*" #i "(%[numbers]), %%" r #i "\n\t"
#define MACHMETER_STORE(i, move, bytes, r) move " %%" r #i ", " #bytes "*" #i "(%[numbers])\n\t"
#define MACHMETER_MULTIPLY_ADD(i, fma, r) fma " %%" r "13, %%" r "12, %%" r #i "\n\t"

// clang-format off
// The upper halves of the registers are left empty, as all code without AVX expects them.
#define MACHMETER_KERNEL(name, isa, Number, bytes, move, fma, r)                                  \
    __attribute__((target(isa))) inline void name(Number* numbers, std::uint64_t steps) {         \
        asm volatile(                                                                             \
            MACHMETER_CHAINS(MACHMETER_LOAD, move, bytes, r)                                      \
            MACHMETER_LOAD(12, move, bytes, r)                                                    \
            MACHMETER_LOAD(13, move, bytes, r)                                                    \
            ".p2align 6\n"                                                                        \
            "1:\n\t"                                                                              \
            MACHMETER_CHAINS(MACHMETER_MULTIPLY_ADD, fma, r)                                      \
            "subq $1, %[steps]\n\t"                                                               \
            "jnz 1b\n\t"                                                                          \
            MACHMETER_CHAINS(MACHMETER_STORE, move, bytes, r)                                     \
            "vzeroupper"                                                                          \
            : [steps] "+r"(steps)                                                                 \
            : [numbers] "r"(numbers)                                                              \
            : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",     \
              "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");              \
    }
// clang-format on

MACHMETER_KERNEL(scalar_double, "fma", double, 8, "vmovsd", "vfmadd231sd", "xmm")
MACHMETER_KERNEL(scalar_single, "fma", float, 4, "vmovss", "vfmadd231ss", "xmm")
MACHMETER_KERNEL(double_128, "fma", double, 16, "vmovups", "vfmadd231pd", "xmm")
MACHMETER_KERNEL(single_128, "fma", float, 16, "vmovups", "vfmadd231ps", "xmm")
MACHMETER_KERNEL(double_256, "fma", double, 32, "vmovups", "vfmadd231pd", "ymm")
MACHMETER_KERNEL(single_256, "fma", float, 32, "vmovups", "vfmadd231ps", "ymm")
MACHMETER_KERNEL(double_512, "avx512f", double, 64, "vmovups", "vfmadd231pd", "zmm")
MACHMETER_KERNEL(single_512, "avx512f", float, 64, "vmovups", "vfmadd231ps", "zmm")

// These also ask the system, which may have turned the wide registers off.
inline bool has_fma() { return __builtin_cpu_supports("fma") != 0; }
inline bool has_avx512() { return __builtin_cpu_supports("avx512f") != 0; }

inline std::vector<Kernel<double>> kernels_of(double /*number*/) {
    return {{"scalar", "vfmadd231sd on xmm registers", 1, &has_fma, &scalar_double},
            {"128-bit", "vfmadd231pd on xmm registers", 2, &has_fma, &double_128},
            {"256-bit", "vfmadd231pd on ymm registers", 4, &has_fma, &double_256},
            {"512-bit", "vfmadd231pd on zmm registers", 8, &has_avx512, &double_512}};
}

inline std::vector<Kernel<float>> kernels_of(float /*number*/) {
    return {{"scalar", "vfmadd231ss on xmm registers", 1, &has_fma, &scalar_single},
            {"128-bit", "vfmadd231ps on xmm registers", 4, &has_fma, &single_128},
            {"256-bit", "vfmadd231ps on ymm registers", 8, &has_fma, &single_256},
            {"512-bit", "vfmadd231ps on zmm registers", 16, &has_avx512, &single_512}};
}

#elif defined(__aarch64__)

#define MACHMETER_CHAINS(op, ...)                                                                  \
    op(0, __VA_ARGS__) op(1, __VA_ARGS__) op(2, __VA_ARGS__) op(3, __VA_ARGS__) op(4, __VA_ARGS__) \
        op(5, __VA_ARGS__) op(6, __VA_ARGS__) op(7, __VA_ARGS__) op(8, __VA_ARGS__)                \
            op(9, __VA_ARGS__) op(10, __VA_ARGS__) op(11, __VA_ARGS__) op(12, __VA_ARGS__)         \
                op(13, __VA_ARGS__) op(14, __VA_ARGS__) op(15, __VA_ARGS__) op(16, __VA_ARGS__)    \
                    op(17, __VA_ARGS__) op(18, __VA_ARGS__) op(19, __VA_ARGS__)                    \
                        op(20, __VA_ARGS__) op(21, __VA_ARGS__) op(22, __VA_ARGS__)                \
                            op(23, __VA_ARGS__)
#define MACHMETER_LOAD(i, bytes, r) "ldr " r #i ", [%[numbers], #" #bytes "*" #i "]\n\t"
#define MACHMETER_STORE(i, bytes, r) "str " r #i ", [%[numbers], #" #bytes "*" #i "]\n\t"
#define MACHMETER_VECTOR(i, of) "fmla v" #i of ", v24" of ", v25" of "\n\t"
#define MACHMETER_SCALAR(i, r) "fmadd " r #i ", " r "24, " r "25, " r #i "\n\t"
// Registers of the length that the system gave this process.
#define MACHMETER_SVE_BEGIN(of) ".arch_extension sve\n\tptrue p0" of "\n\t"
#define MACHMETER_SVE_LOAD(i, bytes, r) "ldr z" #i ", [%[numbers], #" #i ", mul vl]\n\t"
#define MACHMETER_SVE_STORE(i, bytes, r) "str z" #i ", [%[numbers], #" #i ", mul vl]\n\t"
#define MACHMETER_SVE_VECTOR(i, of) "fmla z" #i of ", p0/m, z24" of ", z25" of "\n\t"

// clang-format off
#define MACHMETER_KERNEL(name, Number, begin, load, store, bytes, r, form, of)                    \
    inline void name(Number* numbers, std::uint64_t steps) {                                      \
        asm volatile(                                                                             \
            begin                                                                                 \
            MACHMETER_CHAINS(load, bytes, r)                                                      \
            load(24, bytes, r)                                                                    \
            load(25, bytes, r)                                                                    \
            ".p2align 6\n"                                                                        \
            "1:\n\t"                                                                              \
            MACHMETER_CHAINS(form, of)                                                            \
            "subs %[steps], %[steps], #1\n\t"                                                     \
            "b.ne 1b\n\t"                                                                         \
            MACHMETER_CHAINS(store, bytes, r)                                                     \
            : [steps] "+r"(steps)                                                                 \
            : [numbers] "r"(numbers)                                                              \
            : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",  \
              "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", \
              "v23", "v24", "v25", "p0");                                                         \
    }
#define MACHMETER_NEON_KERNEL(name, Number, bytes, r, form, of) \
    MACHMETER_KERNEL(name, Number, "", MACHMETER_LOAD, MACHMETER_STORE, bytes, r, form, of)
#define MACHMETER_SVE_KERNEL(name, Number, of)                                               \
    MACHMETER_KERNEL(name, Number, MACHMETER_SVE_BEGIN(of), MACHMETER_SVE_LOAD,              \
                     MACHMETER_SVE_STORE, 0, "z", MACHMETER_SVE_VECTOR, of)
// clang-format on

MACHMETER_NEON_KERNEL(scalar_double, double, 8, "d", MACHMETER_SCALAR, "d")
MACHMETER_NEON_KERNEL(scalar_single, float, 4, "s", MACHMETER_SCALAR, "s")
MACHMETER_NEON_KERNEL(double_128, double, 16, "q", MACHMETER_VECTOR, ".2d")
MACHMETER_NEON_KERNEL(single_128, float, 16, "q", MACHMETER_VECTOR, ".4s")
MACHMETER_SVE_KERNEL(double_sve, double, ".d")
MACHMETER_SVE_KERNEL(single_sve, float, ".s")

// Part of every 64-bit Arm CPU that runs Linux.
inline bool has_neon() { return true; }

// SVE with registers of so many bytes, as the system gives them to this process.
template <int bytes>
inline bool has_sve() {
    return (getauxval(AT_HWCAP) & HWCAP_SVE) != 0 &&
           (prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) == bytes;
}

inline std::vector<Kernel<double>> kernels_of(double /*number*/) {
    return {{"scalar", "fmadd on d registers", 1, &has_neon, &scalar_double},
            {"128-bit", "fmla on v.2d registers", 2, &has_neon, &double_128},
            {"256-bit", "fmla on z.d registers (SVE)", 4, &has_sve<32>, &double_sve},
            {"512-bit", "fmla on z.d registers (SVE)", 8, &has_sve<64>, &double_sve}};
}

inline std::vector<Kernel<float>> kernels_of(float /*number*/) {
    return {{"scalar", "fmadd on s registers", 1, &has_neon, &scalar_single},
            {"128-bit", "fmla on v.4s registers", 4, &has_neon, &single_128},
            {"256-bit", "fmla on z.s registers (SVE)", 8, &has_sve<32>, &single_sve},
            {"512-bit", "fmla on z.s registers (SVE)", 16, &has_sve<64>, &single_sve}};
}

#else

inline std::vector<Kernel<double>> kernels_of(double /*number*/) { return {}; }
inline std::vector<Kernel<float>> kernels_of(float /*number*/) { return {}; }

#endif

}  // namespace machmeter::compute
