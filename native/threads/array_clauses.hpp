// Array clauses around a payload, and the same construct without the clause. The size of an array
// is part of its type, as in a program that has such a clause. No clock here.
//
// After EPCC arraybench (Bull, O'Neill, EWOMP 2001), with a reference that has the region (for
// copyprivate: the single) too, so that the clause alone is left.
#pragma once

#include <omp.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace machmeter {

enum class ArrayClause : std::uint8_t { private_, firstprivate, copyin, copyprivate };

// An array in a class: clang 14 copies but one element of a reference to a bare one (copyprivate).
template <std::size_t Bytes>
struct Block {
    std::uint64_t words[Bytes / sizeof(std::uint64_t)];
};

// A threadprivate array. Its words lie on the heap: in thread-local storage every thread of every
// other benchmark would have them too, and clear them when it starts. Assigned, it copies words.
class ThreadArray {
   public:
    constexpr ThreadArray() = default;
    ThreadArray(const ThreadArray&) = delete;
    ThreadArray& operator=(const ThreadArray& other) {
        if (this != &other) {
            std::memcpy(words_, other.words_, bytes_);
        }
        return *this;
    }

    // Both arrays of a copy have the same size. The words are the caller's.
    void hold(std::uint64_t* words, std::size_t bytes) {
        words_ = words;
        bytes_ = bytes;
    }

    [[nodiscard]] std::uint64_t* words() const { return words_; }

   private:
    std::uint64_t* words_ = nullptr;
    std::size_t bytes_ = 0;
};

// Declared apart from its definition: gcc takes a class as threadprivate only so.
extern ThreadArray own_array;
#pragma omp threadprivate(own_array)

// `payload(thread, words)` looks at the array that the thread has in the region; the functions
// named `*_regions` make teams, the others are called by every thread of one.

template <class Payload>
void copyin_regions(std::uint64_t count, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp parallel copyin(own_array)
        payload(omp_get_thread_num(), own_array.words());
    }
}

template <class Payload>
void regions_without_copyin(std::uint64_t count, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp parallel
        payload(omp_get_thread_num(), own_array.words());
    }
}

inline void take_address(const void* address) { asm volatile("" : : "r"(address)); }

// Threads need not know the original to have a private array, but those of the region without the
// clause must be told it, which costs more than the clause: so they are told here too.
template <std::size_t Bytes, class Payload>
void private_regions(std::uint64_t count, Block<Bytes>& block, Payload& payload) {
    const Block<Bytes>* original = &block;
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp parallel private(block)
        {
            take_address(original);
            payload(omp_get_thread_num(), &block.words[0]);
        }
    }
}

template <std::size_t Bytes, class Payload>
void firstprivate_regions(std::uint64_t count, Block<Bytes>& block, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp parallel firstprivate(block)
        payload(omp_get_thread_num(), &block.words[0]);
    }
}

// Reference of private and firstprivate.
template <std::size_t Bytes, class Payload>
void shared_regions(std::uint64_t count, Block<Bytes>& block, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp parallel
        payload(omp_get_thread_num(), &block.words[0]);
    }
}

// `write(words, index)` is what one thread does to its array, which the others then get.
template <std::size_t Bytes, class Write, class Payload>
void copyprivate_passages(std::uint64_t count, Block<Bytes>& own, Write& write, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp single copyprivate(own)
        write(&own.words[0], i);
        payload(omp_get_thread_num(), &own.words[0]);
    }
}

template <std::size_t Bytes, class Write, class Payload>
void single_without_copy(std::uint64_t count, Block<Bytes>& own, Write& write, Payload& payload) {
    for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp single
        write(&own.words[0], i);
        payload(omp_get_thread_num(), &own.words[0]);
    }
}

}  // namespace machmeter
