// What has to hold of the counts of words, by other ways than those that counted them.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/values/random_bits.hpp"
#include "memory/assembly/reads/kmers.hpp"
#include "memory/assembly/reads/reads.hpp"

namespace machmeter::assembly {

using Counted = std::pair<Kmer, std::uint64_t>;

struct Totals {
    std::uint64_t distinct = 0;
    std::uint64_t words = 0;
    std::uint64_t digest = 0;  // of every word with its count, in any order
};

template <class Counts>
Totals totals_of(const Counts& counts, int threads) {
    Totals all;
    std::uint64_t distinct = 0;
    std::uint64_t words = 0;
    std::uint64_t digest = 0;
#pragma omp parallel for schedule(dynamic) num_threads(threads) \
    reduction(+ : distinct, words, digest)
    for (std::size_t part = 0; part < counts.parts(); ++part) {
        counts.visit(part, [&](Kmer kmer, std::uint64_t times) {
            ++distinct;
            words += times;
            digest += mix(mix(kmer) + times);
        });
    }
    all.distinct = distinct;
    all.words = words;
    all.digest = digest;
    return all;
}

// Which words are counted once more: about so many of all.
class Chosen {
   public:
    explicit Chosen(std::uint64_t words) : step_(words / most + 1) {}
    [[nodiscard]] bool has(Kmer kmer) const { return mix(kmer) % step_ == 0; }

   private:
    static constexpr std::uint64_t most = 1U << 20U;
    std::uint64_t step_;
};

// Chosen words of the reads with their counts, by sorting them.
inline std::vector<Counted> counted_by_sorting(const Reads& reads, const Chosen& chosen,
                                               int threads) {
    std::vector<Kmer> all;
    const auto count = static_cast<std::int64_t>(reads.count());
#pragma omp parallel num_threads(threads)
    {
        std::vector<Kmer> own;
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < count; ++i) {
            const char* letters = reads.read(static_cast<std::uint64_t>(i));
            Kmer forward = 0;
            for (std::size_t letter = 0; letter < read_length; ++letter) {
                forward = (forward * 4 + code_of(letters[letter])) & word_mask;
                const bool is_both = reads.sample().strands == Strands::both;
                const Kmer kmer = is_both ? std::min(forward, reversed(forward)) : forward;
                if (letter + 1 >= word && chosen.has(kmer)) {
                    own.push_back(kmer);
                }
            }
        }
#pragma omp critical
        all.insert(all.end(), own.begin(), own.end());
    }
    std::sort(all.begin(), all.end());
    std::vector<Counted> counted;
    for (const Kmer kmer : all) {
        if (counted.empty() || counted.back().first != kmer) {
            counted.emplace_back(kmer, 0);
        }
        ++counted.back().second;
    }
    return counted;
}

template <class Counts>
std::vector<Counted> chosen_counts(const Counts& counts, const Chosen& chosen) {
    std::vector<Counted> counted;
    for (std::size_t part = 0; part < counts.parts(); ++part) {
        counts.visit(part, [&](Kmer kmer, std::uint64_t times) {
            if (chosen.has(kmer)) {
                counted.emplace_back(kmer, times);
            }
        });
    }
    std::sort(counted.begin(), counted.end());
    return counted;
}

// What is wrong with the counts; empty where nothing is.
template <class Counts>
std::string fault_of_counts(const Reads& reads, const Counts& counts, const Totals& totals,
                            int threads) {
    if (!counts.is_complete()) {
        return "the table is full: a word found no place";
    }
    const std::uint64_t words = reads.sample().words();
    if (totals.words != words) {
        return "the counts sum to " + std::to_string(totals.words) +
               ", the words of the reads to " + std::to_string(words);
    }
    const Chosen chosen(words);
    if (chosen_counts(counts, chosen) != counted_by_sorting(reads, chosen, threads)) {
        return "a count differs from that of a sorted list of words";
    }
    return "";
}

}  // namespace machmeter::assembly
