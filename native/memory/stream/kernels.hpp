// The sweeps of memory.stream over one thread's part of the arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "memory/stream/vector.hpp"

namespace machmeter::stream {

using vector::doubles_per_vector;
using vector::load;
using vector::Vector;

enum class Stores : std::uint8_t { temporal, nontemporal };

// One thread's part of the arrays: a is written, b and c are read.
struct Chunk {
    double* a;
    const double* b;
    const double* c;
    std::size_t count;
    double scalar;
};

// Of one half of the chunk in a non-temporal sweep, 64 bytes: a constant, so that the compiler
// unrolls it, of whole lines where a line is no longer.
inline constexpr std::size_t step_doubles = 8;
inline constexpr std::size_t granule_bytes = 512;  // of a chunk: whole steps of any sweep
static_assert(granule_bytes % (2 * step_doubles * sizeof(double)) == 0);
static_assert(step_doubles % doubles_per_vector == 0);

// Non-temporal sweeps go through both halves of the chunk at once, a step of each in turn: more
// lines are in flight, 3 to 10 % more bandwidth on one Zen 4 core and no less on two.
template <class Value>
void sweep_nontemporal(double* a, std::size_t count, Value value) {
    const std::size_t half = count / 2;
    for (std::size_t i = 0; i < half; i += step_doubles) {
        for (const std::size_t front : {std::size_t{0}, half}) {
            for (std::size_t j = 0; j < step_doubles; j += doubles_per_vector) {
                const std::size_t at = front + i + j;
                vector::store_nontemporal(a + at, value(at));
            }
        }
    }
    vector::fence_nontemporal();
}

// Temporal sweeps are STREAM's plain loops, vectorized by the compiler: explicit 512-bit vectors
// were 10 to 25 % slower than its own choice on a Zen 4 core.
template <Stores stores>
[[gnu::noinline]] double copy_chunk(const Chunk& x) {
    double* __restrict a = x.a;
    const double* __restrict b = x.b;
    if constexpr (stores == Stores::nontemporal) {
        sweep_nontemporal(a, x.count, [b](std::size_t i) { return load(b + i); });
    } else {
        for (std::size_t i = 0; i < x.count; ++i) {
            a[i] = b[i];
        }
    }
    return 0;
}

template <Stores stores>
[[gnu::noinline]] double scale_chunk(const Chunk& x) {
    double* __restrict a = x.a;
    const double* __restrict b = x.b;
    if constexpr (stores == Stores::nontemporal) {
        const Vector s = vector::broadcast(x.scalar);
        sweep_nontemporal(a, x.count,
                          [b, s](std::size_t i) { return vector::multiply(s, load(b + i)); });
    } else {
        const double s = x.scalar;
        for (std::size_t i = 0; i < x.count; ++i) {
            a[i] = s * b[i];
        }
    }
    return 0;
}

template <Stores stores>
[[gnu::noinline]] double add_chunk(const Chunk& x) {
    double* __restrict a = x.a;
    const double* __restrict b = x.b;
    const double* __restrict c = x.c;
    if constexpr (stores == Stores::nontemporal) {
        sweep_nontemporal(a, x.count,
                          [b, c](std::size_t i) { return vector::add(load(b + i), load(c + i)); });
    } else {
        for (std::size_t i = 0; i < x.count; ++i) {
            a[i] = b[i] + c[i];
        }
    }
    return 0;
}

template <Stores stores>
[[gnu::noinline]] double triad_chunk(const Chunk& x) {
    double* __restrict a = x.a;
    const double* __restrict b = x.b;
    const double* __restrict c = x.c;
    if constexpr (stores == Stores::nontemporal) {
        const Vector s = vector::broadcast(x.scalar);
        sweep_nontemporal(a, x.count, [b, c, s](std::size_t i) {
            return vector::multiply_add(s, load(c + i), load(b + i));
        });
    } else {
        const double s = x.scalar;
        for (std::size_t i = 0; i < x.count; ++i) {
            a[i] = b[i] + s * c[i];
        }
    }
    return 0;
}

template <Stores stores>
[[gnu::noinline]] double write_chunk(const Chunk& x) {
    double* __restrict a = x.a;
    if constexpr (stores == Stores::nontemporal) {
        const Vector s = vector::broadcast(x.scalar);
        sweep_nontemporal(a, x.count, [s](std::size_t) { return s; });
    } else {
        const double s = x.scalar;
        for (std::size_t i = 0; i < x.count; ++i) {
            a[i] = s;
        }
    }
    return 0;
}

template <Stores stores>
[[gnu::noinline]] double update_chunk(const Chunk& x) {
    double* __restrict a = x.a;
    if constexpr (stores == Stores::nontemporal) {
        const Vector s = vector::broadcast(x.scalar);
        sweep_nontemporal(a, x.count,
                          [a, s](std::size_t i) { return vector::multiply(s, load(a + i)); });
    } else {
        const double s = x.scalar;
        for (std::size_t i = 0; i < x.count; ++i) {
            a[i] = s * a[i];
        }
    }
    return 0;
}

[[gnu::noinline]] inline double read_chunk(const Chunk& x) {
    // As many sums as additions in flight.
    constexpr std::size_t sums = 8;
    constexpr std::size_t step = sums * doubles_per_vector;
    static_assert(granule_bytes % (step * sizeof(double)) == 0);
    Vector partial[sums];
    for (Vector& zero : partial) {
        zero = vector::broadcast(0);
    }
    for (std::size_t i = 0; i < x.count; i += step) {
        for (std::size_t j = 0; j < sums; ++j) {
            partial[j] = vector::add(partial[j], load(x.b + i + j * doubles_per_vector));
        }
    }
    for (std::size_t j = 1; j < sums; ++j) {
        partial[0] = vector::add(partial[0], partial[j]);
    }
    return vector::sum(partial[0]);
}

}  // namespace machmeter::stream
