// The widest vector of doubles this build may use, with ordinary and non-temporal stores.
#pragma once

#include <cstddef>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace machmeter::vector {

#if defined(__AVX512F__)

using Vector = __m512d;
inline constexpr const char* instruction_set = "AVX-512 intrinsics";
inline constexpr bool has_nontemporal_stores = true;

inline Vector broadcast(double value) { return _mm512_set1_pd(value); }
inline Vector load(const double* from) { return _mm512_load_pd(from); }
inline void store(double* to, Vector value) { _mm512_store_pd(to, value); }
inline void store_nontemporal(double* to, Vector value) { _mm512_stream_pd(to, value); }
inline Vector add(Vector x, Vector y) { return _mm512_add_pd(x, y); }
inline Vector multiply(Vector x, Vector y) { return _mm512_mul_pd(x, y); }
inline Vector multiply_add(Vector x, Vector y, Vector z) { return _mm512_fmadd_pd(x, y, z); }
inline void fence_nontemporal() { _mm_sfence(); }

#elif defined(__AVX__)

using Vector = __m256d;
inline constexpr const char* instruction_set = "AVX intrinsics";
inline constexpr bool has_nontemporal_stores = true;

inline Vector broadcast(double value) { return _mm256_set1_pd(value); }
inline Vector load(const double* from) { return _mm256_load_pd(from); }
inline void store(double* to, Vector value) { _mm256_store_pd(to, value); }
inline void store_nontemporal(double* to, Vector value) { _mm256_stream_pd(to, value); }
inline Vector add(Vector x, Vector y) { return _mm256_add_pd(x, y); }
inline Vector multiply(Vector x, Vector y) { return _mm256_mul_pd(x, y); }
inline void fence_nontemporal() { _mm_sfence(); }
#if defined(__FMA__)
inline Vector multiply_add(Vector x, Vector y, Vector z) { return _mm256_fmadd_pd(x, y, z); }
#else
inline Vector multiply_add(Vector x, Vector y, Vector z) { return add(multiply(x, y), z); }
#endif

#elif defined(__SSE2__)

using Vector = __m128d;
inline constexpr const char* instruction_set = "SSE2 intrinsics";
inline constexpr bool has_nontemporal_stores = true;

inline Vector broadcast(double value) { return _mm_set1_pd(value); }
inline Vector load(const double* from) { return _mm_load_pd(from); }
inline void store(double* to, Vector value) { _mm_store_pd(to, value); }
inline void store_nontemporal(double* to, Vector value) { _mm_stream_pd(to, value); }
inline Vector add(Vector x, Vector y) { return _mm_add_pd(x, y); }
inline Vector multiply(Vector x, Vector y) { return _mm_mul_pd(x, y); }
inline Vector multiply_add(Vector x, Vector y, Vector z) { return add(multiply(x, y), z); }
inline void fence_nontemporal() { _mm_sfence(); }

#elif defined(__aarch64__)

// STNP, the non-temporal store, writes a pair of registers, so a vector is a pair here.
using Vector = float64x2x2_t;
inline constexpr const char* instruction_set = "NEON intrinsics";
inline constexpr bool has_nontemporal_stores = true;

inline Vector broadcast(double value) { return {{vdupq_n_f64(value), vdupq_n_f64(value)}}; }
inline Vector load(const double* from) { return {{vld1q_f64(from), vld1q_f64(from + 2)}}; }
inline void store(double* to, Vector value) {
    vst1q_f64(to, value.val[0]);
    vst1q_f64(to + 2, value.val[1]);
}
inline void store_nontemporal(double* to, Vector value) {
    asm volatile("stnp %q1, %q2, [%0]"
                 :
                 : "r"(to), "w"(value.val[0]), "w"(value.val[1])
                 : "memory");
}
inline Vector add(Vector x, Vector y) {
    return {{vaddq_f64(x.val[0], y.val[0]), vaddq_f64(x.val[1], y.val[1])}};
}
inline Vector multiply(Vector x, Vector y) {
    return {{vmulq_f64(x.val[0], y.val[0]), vmulq_f64(x.val[1], y.val[1])}};
}
inline Vector multiply_add(Vector x, Vector y, Vector z) {
    return {{vfmaq_f64(z.val[0], x.val[0], y.val[0]), vfmaq_f64(z.val[1], x.val[1], y.val[1])}};
}
inline void fence_nontemporal() { asm volatile("dmb ishst" : : : "memory"); }

#else

// GCC and Clang split this into what the processor has.
typedef double Vector __attribute__((vector_size(16)));
inline constexpr const char* instruction_set = "portable vectors";
inline constexpr bool has_nontemporal_stores = false;

inline Vector broadcast(double value) { return Vector{value, value}; }
inline Vector load(const double* from) { return *reinterpret_cast<const Vector*>(from); }
inline void store(double* to, Vector value) { *reinterpret_cast<Vector*>(to) = value; }
inline void store_nontemporal(double* to, Vector value) { store(to, value); }
inline Vector add(Vector x, Vector y) { return x + y; }
inline Vector multiply(Vector x, Vector y) { return x * y; }
inline Vector multiply_add(Vector x, Vector y, Vector z) { return x * y + z; }
inline void fence_nontemporal() {}

#endif

inline constexpr std::size_t doubles_per_vector = sizeof(Vector) / sizeof(double);

inline double sum(Vector value) {
    alignas(Vector) double parts[doubles_per_vector];
    store(parts, value);
    double total = 0;
    for (const double part : parts) {
        total += part;
    }
    return total;
}

}  // namespace machmeter::vector
