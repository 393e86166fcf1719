// Whether an array clause gives every thread a copy of its own with the right content (OpenMP 5.2,
// sections 5.4 and 5.7).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/openmp/team_errors.hpp"
#include "threads/array_clauses.hpp"

namespace machmeter {

// One block a thread, each on cache lines of its own and first written by its thread; the calling
// thread's own_array holds the words of its block.
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
    struct alignas(64) Lines {
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

// The payload of the check: every thread of a team looks at its array, then writes it, and sees its
// own words when all have written theirs.
class CopyCheck {
   public:
    explicit CopyCheck(std::size_t words) : words_(words) {}

    // What every copy holds at first, from now on.
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

// Both leave the original as it was.
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
