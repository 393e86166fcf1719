// Transcripts of made-up genes, of which reads are taken: the same for any team.
//
// A gene has 3 to 7 exons of 120 to 400 letters, its second transcript, of every other gene, lacks
// an inner one and is 0.6 times as frequent. How often a letter is read is log-normal over genes,
// above a floor of half the mean. Some genes may end with one piece in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/values/random_bits.hpp"
#include "memory/assembly/reads/kmers.hpp"

namespace machmeter::assembly {

struct Transcript {
    std::string sequence;
    std::uint64_t first_read = 0;
    std::uint64_t reads = 0;
};

inline constexpr std::size_t read_length = 100;
// Words of a read.
inline constexpr std::size_t read_words = read_length - word + 1;

// How often a letter of the rarest transcript is read at least, for a mean over all.
inline double floor_of(double coverage) { return coverage / 2; }

class Dice {
   public:
    explicit Dice(std::uint64_t seed) : seed_(seed) {}
    double next() { return uniform(seed_, index_++); }
    // From `least` to `most`, both included.
    std::size_t within(std::size_t least, std::size_t most) {
        return least + static_cast<std::size_t>(next() * static_cast<double>(most - least + 1));
    }
    // Of mean 1 (Box and Muller 1958).
    double log_normal() {
        const double radius = std::sqrt(-2 * std::log(1 - next()));
        return std::exp(radius * std::cos(2 * std::numbers::pi * next()) - 0.5);
    }

   private:
    std::uint64_t seed_;
    std::uint64_t index_ = 0;
};

inline std::string random_sequence(Dice& dice, std::size_t length) {
    std::string sequence(length, 'A');
    for (char& letter : sequence) {
        letter = alphabet[dice.within(0, 3)];
    }
    return sequence;
}

// The piece in common of a gene that is one of so many of a hundred; else nothing.
inline std::string common_end(std::uint64_t seed, std::uint64_t gene, std::uint64_t joined) {
    constexpr std::size_t length = 200;
    Dice of_gene(mix(seed + 2) ^ mix(gene + 1));
    Dice of_all(mix(seed + 3));
    return of_gene.within(1, 100) <= joined ? random_sequence(of_all, length) : "";
}

// The transcripts of a gene, with reads by how often each is read.
inline void add_gene(std::uint64_t seed, std::uint64_t gene, double coverage, std::uint64_t joined,
                     std::vector<Transcript>& all) {
    Dice dice(mix(seed + golden_step * (gene + 1)));
    std::vector<std::string> exons(dice.within(3, 7));
    for (std::string& exon : exons) {
        exon = random_sequence(dice, dice.within(120, 400));
    }
    exons.back() += common_end(seed, gene, joined);
    const double floor = floor_of(coverage);
    const double often = floor + (coverage - floor) * dice.log_normal();
    const std::size_t transcripts = gene % 2 == 0 ? 2 : 1;
    const std::size_t skipped = dice.within(1, exons.size() - 2);
    for (std::size_t which = 0; which < transcripts; ++which) {
        Transcript made;
        for (std::size_t exon = 0; exon < exons.size(); ++exon) {
            if (which == 0 || exon != skipped) {
                made.sequence += exons[exon];
            }
        }
        const double share = which == 0 ? often : std::max(floor, 0.6 * often);
        const double reads = share * static_cast<double>(made.sequence.size()) / read_length;
        made.reads = std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::ceil(reads)));
        all.push_back(std::move(made));
    }
}

// Transcripts of which there are that many reads in all, the last ones as many as are left.
inline std::vector<Transcript> make_transcripts(std::uint64_t seed, std::uint64_t reads,
                                                std::uint64_t coverage, std::uint64_t joined = 0) {
    std::vector<Transcript> all;
    std::uint64_t next = 0;
    for (std::uint64_t gene = 0, done = 0; next < reads; ++gene) {
        add_gene(seed, gene, static_cast<double>(coverage), joined, all);
        for (; done < all.size(); ++done) {
            all[done].first_read = next;
            next += all[done].reads;
        }
    }
    // Those without all of their reads would be below the floor: others are read more often.
    std::uint64_t left = 0;
    while (!all.empty() && all.back().first_read + all.back().reads > reads && all.size() > 1) {
        left = reads - std::min(reads, all.back().first_read);
        all.pop_back();
    }
    all.back().reads += left;
    all.back().reads = std::min(all.back().reads, reads - all.back().first_read);
    return all;
}

}  // namespace machmeter::assembly
