// The sweeps of memory.stream over one thread's part of the arrays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machmeter/vector.hpp"

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

inline constexpr std::size_t vectors_per_step = 4;
inline constexpr std::size_t line_doubles = 64 / sizeof(double);
inline constexpr std::size_t granule_bytes = 512;  // of a chunk: whole steps of any sweep
static_assert(granule_bytes % (vectors_per_step * sizeof(Vector)) == 0);
static_assert(line_doubles % doubles_per_vector == 0);

template <Stores stores>
void put(double* to, Vector value) {
    if constexpr (stores == Stores::nontemporal) {
        vector::store_nontemporal(to, value);
    } else {
        vector::store(to, value);
    }
}

// Temporal sweeps go through the chunk in order, as a plain loop does. Non-temporal ones go
// through both its halves at once, a line of each in turn: more lines are in flight, 3 to 10 % more
// on one Zen 4 core and no less on two.
template <Stores stores, class Body>
void sweep(std::size_t count, Body body) {
    constexpr std::size_t fronts = stores == Stores::nontemporal ? 2 : 1;
    constexpr std::size_t step =
        stores == Stores::nontemporal ? line_doubles : vectors_per_step * doubles_per_vector;
    const std::size_t length = count / fronts;
    for (std::size_t i = 0; i < length; i += step) {
        for (std::size_t front = 0; front < fronts; ++front) {
            for (std::size_t j = 0; j < step; j += doubles_per_vector) {
                body(front * length + i + j);
            }
        }
    }
    if constexpr (stores == Stores::nontemporal) {
        vector::fence_nontemporal();
    }
}

template <Stores stores>
[[gnu::noinline]] double copy_chunk(const Chunk& x) {
    sweep<stores>(x.count, [a = x.a, b = x.b](std::size_t i) { put<stores>(a + i, load(b + i)); });
    return 0;
}

template <Stores stores>
[[gnu::noinline]] double scale_chunk(const Chunk& x) {
    const Vector s = vector::broadcast(x.scalar);
    sweep<stores>(x.count, [a = x.a, b = x.b, s](std::size_t i) {
        put<stores>(a + i, vector::multiply(s, load(b + i)));
    });
    return 0;
}

template <Stores stores>
[[gnu::noinline]] double add_chunk(const Chunk& x) {
    sweep<stores>(x.count, [a = x.a, b = x.b, c = x.c](std::size_t i) {
        put<stores>(a + i, vector::add(load(b + i), load(c + i)));
    });
    return 0;
}

template <Stores stores>
[[gnu::noinline]] double triad_chunk(const Chunk& x) {
    const Vector s = vector::broadcast(x.scalar);
    sweep<stores>(x.count, [a = x.a, b = x.b, c = x.c, s](std::size_t i) {
        put<stores>(a + i, vector::multiply_add(s, load(c + i), load(b + i)));
    });
    return 0;
}

template <Stores stores>
[[gnu::noinline]] double write_chunk(const Chunk& x) {
    const Vector s = vector::broadcast(x.scalar);
    sweep<stores>(x.count, [a = x.a, s](std::size_t i) { put<stores>(a + i, s); });
    return 0;
}

template <Stores stores>
[[gnu::noinline]] double update_chunk(const Chunk& x) {
    const Vector s = vector::broadcast(x.scalar);
    sweep<stores>(x.count, [a = x.a, s](std::size_t i) {
        put<stores>(a + i, vector::multiply(s, load(a + i)));
    });
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
