// Counts of words by parts: words are first sorted into parts by their spread bits, then each part
// is counted by one thread in a table that fits into its caches.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/memory/memory.hpp"
#include "memory/assembly/reads/kmers.hpp"
#include "memory/assembly/reads/memory_log.hpp"
#include "memory/assembly/reads/reads.hpp"

namespace machmeter::assembly {

// Words by part, in chunks that threads take as they need them.
class SortedWords {
   public:
    SortedWords(std::uint64_t words, std::size_t parts, int threads, std::size_t page_bytes)
        : parts_(parts),
          previous_(words / chunk_words + parts * static_cast<std::size_t>(threads) + 1, none),
          chunks_(previous_.size() * chunk_bytes + chunk_bytes, page_bytes),
          ends_(parts * static_cast<std::size_t>(threads), nullptr) {
        const auto begin = reinterpret_cast<std::uintptr_t>(chunks_.as<std::byte>());
        first_ = reinterpret_cast<Kmer*>((begin + chunk_bytes - 1) / chunk_bytes * chunk_bytes);
    }

    // The end of each part of a thread, to be written on.
    [[nodiscard]] Kmer** ends_of(int thread) {
        return ends_.data() + static_cast<std::size_t>(thread) * parts_;
    }

    void put(Kmer** ends, std::size_t part, Kmer kmer) {
        Kmer*& end = ends[part];
        if (is_full(end)) {
            end = chunk_after(end);
        }
        *end++ = kmer;
    }

    // `take(begin, end)` for each chunk of a part.
    template <class Take>
    void each_chunk(std::size_t part, Take&& take) const {
        for (std::size_t own = part; own < ends_.size(); own += parts_) {
            const Kmer* end = ends_[own];
            if (end == nullptr) {
                continue;
            }
            std::uint32_t chunk = chunk_before(end);
            take(begin_of(chunk), end);
            for (chunk = previous_[chunk]; chunk != none; chunk = previous_[chunk]) {
                take(begin_of(chunk), begin_of(chunk) + chunk_words);
            }
        }
    }

   private:
    static constexpr std::size_t chunk_words = 128;
    static constexpr std::size_t chunk_bytes = chunk_words * sizeof(Kmer);
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // No chunk yet, or one that ends here: chunks lie at multiples of their size.
    static bool is_full(const Kmer* end) {
        return reinterpret_cast<std::uintptr_t>(end) % chunk_bytes == 0;
    }
    [[nodiscard]] std::uint32_t chunk_before(const Kmer* end) const {
        return static_cast<std::uint32_t>(static_cast<std::size_t>(end - 1 - first_) / chunk_words);
    }
    [[nodiscard]] Kmer* begin_of(std::uint32_t chunk) const { return first_ + chunk * chunk_words; }
    Kmer* chunk_after(const Kmer* end) {
        const std::uint32_t chunk = next_.fetch_add(1, std::memory_order_relaxed);
        previous_[chunk] = end == nullptr ? none : chunk_before(end);
        return begin_of(chunk);
    }

    std::size_t parts_;
    std::vector<std::uint32_t> previous_;
    Memory chunks_;
    Kmer* first_ = nullptr;
    std::vector<Kmer*> ends_;
    std::atomic<std::uint32_t> next_{0};
};

// Words and how often each was added; grows as they come.
class GrowingTable {
   public:
    // Empty, for about so many different ones.
    void clear(std::size_t expected) {
        keys_.assign(std::bit_ceil(std::max<std::size_t>(64, 2 * expected)), no_word);
        times_.resize(keys_.size());
        used_ = 0;
    }

    void add(Kmer kmer, std::uint32_t times = 1) {
        std::size_t slot = slot_of(kmer);
        while (keys_[slot] != kmer) {
            if (keys_[slot] == no_word) {
                keys_[slot] = kmer;
                times_[slot] = times;
                if (2 * ++used_ > keys_.size()) {
                    grow();
                }
                return;
            }
            slot = (slot + 1) & (keys_.size() - 1);
        }
        times_[slot] += times;
    }

    [[nodiscard]] std::size_t used() const { return used_; }

    template <class Take>
    void each(Take&& take) const {
        for (std::size_t slot = 0; slot < keys_.size(); ++slot) {
            if (keys_[slot] != no_word) {
                take(keys_[slot], times_[slot]);
            }
        }
    }

   private:
    // By the lower half of the spread bits: words of a part have the upper ones in common.
    [[nodiscard]] std::size_t slot_of(Kmer kmer) const {
        return (spread(kmer) >> 20U) & (keys_.size() - 1);
    }
    void grow() {
        GrowingTable larger;
        larger.clear(keys_.size());
        each([&](Kmer kmer, std::uint32_t times) { larger.add(kmer, times); });
        *this = std::move(larger);
    }

    std::vector<Kmer> keys_;
    std::vector<std::uint32_t> times_;
    std::size_t used_ = 0;
};

class OwnedCounts {
   public:
    // In several passes over the reads each sorts a part of all words only.
    template <Strands strands>
    static OwnedCounts of(const Reads& reads, std::size_t passes, std::size_t page_bytes,
                          int threads, MemoryLog& log) {
        OwnedCounts counts;
        counts.parts_.resize(parts_for(reads.sample().words(), passes));
        const std::size_t each = (counts.parts_.size() + passes - 1) / passes;
        for (std::size_t begin = 0; begin < counts.parts_.size(); begin += each) {
            const std::size_t end = std::min(begin + each, counts.parts_.size());
            SortedWords sorted(reads.sample().words(), counts.parts_.size(), threads, page_bytes);
            counts.sort<strands>(reads, begin, end, threads, sorted, log);
            counts.count(begin, end, threads, sorted, log);
        }
        return counts;
    }

    [[nodiscard]] std::size_t parts() const { return parts_.size(); }
    [[nodiscard]] bool is_complete() const { return true; }
    // To count a word: it is written to its part and read there.
    static constexpr double bytes_of_word = 2 * sizeof(Kmer);

    // `take(kmer, times)` for each word of a part.
    template <class Take>
    void visit(std::size_t part, Take&& take) const {
        const Part& one = parts_[part];
        for (std::size_t i = 0; i < one.kmers.size(); ++i) {
            take(one.kmers[i], one.times[i]);
        }
    }

   private:
    struct Part {
        std::vector<Kmer> kmers;
        std::vector<std::uint32_t> times;
    };

    // So that the table of a part fits into a core's caches.
    static std::size_t parts_for(std::uint64_t words, std::size_t passes) {
        constexpr std::uint64_t words_of_part = 32'768;
        constexpr std::size_t most = 8'192;
        const auto parts = std::bit_ceil(std::max<std::uint64_t>(words / words_of_part, 16));
        return std::max(passes, std::min<std::size_t>(parts, most));
    }

    [[nodiscard]] std::size_t part_of(Kmer kmer) const {
        return static_cast<std::size_t>(((spread(kmer) >> 44U) * parts_.size()) >> 20U);
    }

    template <Strands strands>
    void sort(const Reads& reads, std::size_t begin, std::size_t end, int threads,
              SortedWords& sorted, MemoryLog& log) const {
        const auto count = static_cast<std::int64_t>(reads.count());
#pragma omp parallel num_threads(threads)
        {
            const int thread = omp_get_thread_num();
            Kmer** const ends = sorted.ends_of(thread);
#pragma omp for schedule(static)
            for (std::int64_t i = 0; i < count; ++i) {
                const char* letters = reads.read(static_cast<std::uint64_t>(i));
                each_word<strands>(letters, read_length, [&](Kmer kmer) {
                    const std::size_t part = part_of(kmer);
                    if (part - begin < end - begin) {
                        sorted.put(ends, part, kmer);
                    }
                });
                if (thread == 0 && i % 256 == 0) {
                    log.note();
                }
            }
        }
    }

    void count(std::size_t begin, std::size_t end, int threads, const SortedWords& sorted,
               MemoryLog& log) {
#pragma omp parallel num_threads(threads)
        {
            GrowingTable table;
#pragma omp for schedule(dynamic)
            for (std::size_t part = begin; part < end; ++part) {
                count_part(part, sorted, table);
                if (omp_get_thread_num() == 0) {
                    log.note();
                }
            }
        }
    }

    void count_part(std::size_t part, const SortedWords& sorted, GrowingTable& table) {
        std::size_t words = 0;
        sorted.each_chunk(part, [&](const Kmer* begin, const Kmer* end) {
            words += static_cast<std::size_t>(end - begin);
        });
        table.clear(words / 4);
        sorted.each_chunk(part, [&](const Kmer* begin, const Kmer* end) {
            for (const Kmer* kmer = begin; kmer < end; ++kmer) {
                table.add(*kmer);
            }
        });
        Part& own = parts_[part];
        own.kmers.reserve(table.used());
        own.times.reserve(table.used());
        table.each([&](Kmer kmer, std::uint32_t times) {
            own.kmers.push_back(kmer);
            own.times.push_back(times);
        });
    }

    std::vector<Part> parts_;
};

}  // namespace machmeter::assembly
