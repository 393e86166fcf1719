// Counts of words in one table of open addresses that all threads fill at once.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "codes/common/touch.hpp"
#include "core/memory/memory.hpp"
#include "memory/assembly/reads/kmers.hpp"
#include "memory/assembly/reads/memory_log.hpp"
#include "memory/assembly/reads/reads.hpp"

namespace machmeter::assembly {

class SharedCounts {
   public:
    // For about so many different words.
    template <Strands strands>
    static SharedCounts of(const Reads& reads, std::uint64_t expected, codes::Touch touch,
                           std::size_t page_bytes, int threads, MemoryLog& log) {
        SharedCounts counts(expected, page_bytes);
        codes::touch_pages(counts.memory_, touch, page_bytes, threads);
        log.add();
        const auto count = static_cast<std::int64_t>(reads.count());
        bool is_complete = true;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(&& : is_complete)
        for (std::int64_t i = 0; i < count; ++i) {
            const char* letters = reads.read(static_cast<std::uint64_t>(i));
            is_complete = counts.add_read<strands>(letters) && is_complete;
            if (omp_get_thread_num() == 0 && i % 256 == 0) {
                log.note();
            }
        }
        counts.is_complete_ = is_complete;
        return counts;
    }

    // To count a word: the line that its place is in.
    static constexpr double bytes_of_word = 64;
    // Whether every word found a place.
    [[nodiscard]] bool is_complete() const { return is_complete_; }
    [[nodiscard]] std::size_t parts() const { return (slots_ + part_slots - 1) / part_slots; }

    // `take(kmer, times)` for each word of a part.
    template <class Take>
    void visit(std::size_t part, Take&& take) const {
        const std::size_t end = std::min((part + 1) * part_slots, slots_);
        for (std::size_t i = part * part_slots; i < end; ++i) {
            const Slot& slot = memory_.as<Slot>()[i];
            const Kmer entry = slot.entry.load(std::memory_order_relaxed);
            if (entry != 0) {
                take(entry - 1, slot.times.load(std::memory_order_relaxed));
            }
        }
    }

   private:
    // entry: a word and 1, so that fresh memory is empty.
    struct Slot {
        std::atomic<Kmer> entry;
        std::atomic<std::uint32_t> times;
    };
    static constexpr std::size_t part_slots = 1U << 14U;

    SharedCounts(std::uint64_t expected, std::size_t page_bytes)
        : slots_(expected + expected / 2 + 1024), memory_(slots_ * sizeof(Slot), page_bytes) {}

    // All words of a read are looked for in memory at once.
    template <Strands strands>
    bool add_read(const char* letters) {
        std::array<Kmer, read_words> kmers;
        std::array<std::size_t, read_words> places;
        std::size_t next = 0;
        each_word<strands>(letters, read_length, [&](Kmer kmer) {
            kmers[next] = kmer;
            places[next] = place_of(kmer, slots_);
            __builtin_prefetch(memory_.as<Slot>() + places[next], 1);
            ++next;
        });
        bool is_complete = true;
        for (std::size_t i = 0; i < next; ++i) {
            is_complete = add_word(kmers[i] + 1, places[i]) && is_complete;
        }
        return is_complete;
    }

    // Whether it found a place.
    bool add_word(Kmer entry, std::size_t place) {
        for (std::size_t tried = 0; tried < slots_; ++tried) {
            Slot& slot = memory_.as<Slot>()[place];
            Kmer found = slot.entry.load(std::memory_order_relaxed);
            if (found == 0 &&
                slot.entry.compare_exchange_strong(found, entry, std::memory_order_relaxed)) {
                found = entry;
            }
            if (found == entry) {
                slot.times.fetch_add(1, std::memory_order_relaxed);
                return true;
            }
            place = place + 1 == slots_ ? 0 : place + 1;
        }
        return false;
    }

    std::size_t slots_;
    Memory memory_;
    bool is_complete_ = true;
};

}  // namespace machmeter::assembly
