// Array clauses around a payload, the same construct without the clause, and whether a clause gives
// every thread its own copy with the right content (OpenMP 5.2, sections 5.4 and 5.7). The size of
// an array is part of its type, as in a program that has such a clause. No clock here.
//
// After EPCC arraybench (Bull, O'Neill, EWOMP 2001), with a reference that has the region (for
// copyprivate: the single) too, so that the clause alone is left.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "core/openmp/padding.hpp"
#include "core/openmp/team_errors.hpp"

namespace machmeter {

enum class ArrayClause : std::uint8_t { private_, firstprivate, copyin, copyprivate };

// An array in a class: Clang 14 copies only one element of a reference to a bare one (copyprivate).
template <std::size_t Bytes>
struct Block {
    std::uint64_t words[Bytes / sizeof(std::uint64_t)];
};

// A threadprivate array. Its words are on the heap: in thread-local storage every thread of every
// other benchmark would have them too, and clear them when it starts. Assignment copies the words.
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

// Declared apart from its definition: GCC accepts a class as threadprivate only then.
extern ThreadArray own_array;
#pragma omp threadprivate(own_array)

// `payload(thread, words)` accesses the array that the thread has in the region; the functions
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

// A private array needs no address of the original, but the region without the clause must pass it
// to every thread, which costs more than the clause: so it is passed here too.
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

// `write(words, index)` is what one thread writes into its array, which the others then get.
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

// One block a thread, each on its own cache lines and first written by its thread, whose own_array
// holds the words.
template <std::size_t Bytes>
class ThreadBlocks {
   public:
    explicit ThreadBlocks(int threads) : lines_(static_cast<std::size_t>(threads)) {
        TeamErrors errors;
#pragma omp parallel num_threads(threads)
        errors.catching([&] {
            auto& own = lines_[static_cast<std::size_t>(omp_get_thread_num())];
            own = std::make_unique<Lines>();
            own_array.hold(&own->block.words[0], Bytes);
        });
        errors.rethrow();
    }

    [[nodiscard]] Block<Bytes>& of(int thread) const {
        return lines_[static_cast<std::size_t>(thread)]->block;
    }

    [[nodiscard]] bool each_is_there() const {
        return std::all_of(lines_.begin(), lines_.end(),
                           [](const auto& lines) { return lines != nullptr; });
    }

   private:
    struct alignas(padded_bytes) Lines {
        Block<Bytes> block{};
    };

    std::vector<std::unique_ptr<Lines>> lines_;
};

inline void fill_words(std::uint64_t* words, std::size_t count, std::uint64_t mark) {
    for (std::size_t i = 0; i < count; ++i) {
        words[i] = mark * 0x1'0000'0001U + i;
    }
}

inline bool words_are(const std::uint64_t* words, std::size_t count, std::uint64_t mark) {
    bool right = true;
    for (std::size_t i = 0; i < count; ++i) {
        right = right && words[i] == mark * 0x1'0000'0001U + i;
    }
    return right;
}

// The payload of the check: every thread of a team reads its array, then writes it, and must read
// its own words when all have written theirs.
class CopyCheck {
   public:
    explicit CopyCheck(std::size_t words) : words_(words) {}

    // The content that every copy must begin with from now on.
    void expect(std::uint64_t mark) {
        mark_ = mark;
        has_content_ = true;
    }

    void operator()(int thread, std::uint64_t* words) {
        if (has_content_ && !words_are(words, words_, mark_)) {
            right_ = false;
        }
#pragma omp barrier
        const std::uint64_t own_mark = first_own_mark + static_cast<std::uint64_t>(thread);
        fill_words(words, words_, own_mark);
#pragma omp barrier
        if (!words_are(words, words_, own_mark)) {
            right_ = false;
        }
        ++threads_seen_;
    }

    [[nodiscard]] bool right(std::uint64_t threads_and_passages) const {
        return right_ && threads_seen_ == threads_and_passages;
    }

   private:
    static constexpr std::uint64_t first_own_mark = 1'000'000;

    std::size_t words_;
    std::uint64_t mark_ = 0;
    bool has_content_ = false;
    std::atomic<bool> right_ = true;
    std::atomic<std::uint64_t> threads_seen_ = 0;
};

// Both clauses leave the original unchanged.
template <std::size_t Bytes, class Regions>
bool private_copies_are_right(int threads, std::uint64_t count, bool with_content,
                              Regions&& regions) {
    constexpr std::size_t words = sizeof(Block<Bytes>) / sizeof(std::uint64_t);
    const auto original = std::make_unique<Block<Bytes>>();
    bool original_kept = true;
    CopyCheck check(words);
    for (std::uint64_t i = 0; i < count; ++i) {
        fill_words(&original->words[0], words, i);
        if (with_content) {
            check.expect(i);
        }
        regions(*original, check);
        original_kept = original_kept && words_are(&original->words[0], words, i);
    }
    return original_kept && check.right(count * static_cast<std::uint64_t>(threads));
}

template <std::size_t Bytes>
bool copyin_is_right(int threads, std::uint64_t count) {
    constexpr std::size_t words = sizeof(Block<Bytes>) / sizeof(std::uint64_t);
    const ThreadBlocks<Bytes> blocks(threads);
    CopyCheck check(words);
    for (std::uint64_t i = 0; blocks.each_is_there() && i < count; ++i) {
        fill_words(own_array.words(), words, i);
        check.expect(i);
        copyin_regions(1, check);
    }
    return check.right(count * static_cast<std::uint64_t>(threads));
}

template <std::size_t Bytes>
bool copyprivate_is_right(int threads, std::uint64_t count) {
    constexpr std::size_t words = sizeof(Block<Bytes>) / sizeof(std::uint64_t);
    const ThreadBlocks<Bytes> blocks(threads);
    CopyCheck check(words);
    check.expect(1);
    auto write = [](std::uint64_t* own, std::uint64_t /*index*/) { fill_words(own, words, 1); };
#pragma omp parallel num_threads(threads)
    copyprivate_passages(count, blocks.of(omp_get_thread_num()), write, check);
    return check.right(count * static_cast<std::uint64_t>(threads));
}

template <std::size_t Bytes>
bool array_clause_is_right(ArrayClause clause, int threads, std::uint64_t count) {
    switch (clause) {
        case ArrayClause::private_:
            return private_copies_are_right<Bytes>(
                threads, count, false,
                [](auto& block, auto& check) { private_regions(1, block, check); });
        case ArrayClause::firstprivate:
            return private_copies_are_right<Bytes>(
                threads, count, true,
                [](auto& block, auto& check) { firstprivate_regions(1, block, check); });
        case ArrayClause::copyin:
            return copyin_is_right<Bytes>(threads, count);
        case ArrayClause::copyprivate:
            return copyprivate_is_right<Bytes>(threads, count);
    }
    return false;
}

}  // namespace machmeter
