// Reads of transcripts as bytes in memory, in no order, with wrong letters.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "codes/common/touch.hpp"
#include "core/memory/memory.hpp"
#include "core/values/random_bits.hpp"
#include "memory/assembly/reads/kmers.hpp"
#include "memory/assembly/reads/transcripts.hpp"

namespace machmeter::assembly {

// What reads are made of. coverage: how often a letter is read in the mean; errors: wrong letters
// of a thousand; strands: of how many reads come.
struct Sample {
    std::uint64_t seed = 0;
    std::uint64_t reads = 0;
    std::uint64_t coverage = 50;
    std::uint64_t errors = 5;
    Strands strands = Strands::both;

    [[nodiscard]] std::uint64_t words() const { return reads * read_words; }
};

// Letters until the next wrong one (of a geometric distribution).
inline std::size_t correct_letters(Dice& dice, std::uint64_t errors) {
    if (errors == 0) {
        return std::numeric_limits<std::size_t>::max();
    }
    const double share = static_cast<double>(errors) / 1000;
    return static_cast<std::size_t>(std::log(1 - dice.next()) / std::log1p(-share));
}

// One read at either end of a transcript, the others anywhere.
inline void write_read(const Transcript& from, std::uint64_t number, const Sample& sample,
                       char* target) {
    Dice dice(mix(sample.seed + 0x5EED) ^ mix(from.first_read + number + 1));
    const std::size_t last = from.sequence.size() - read_length;
    const std::size_t begin = number == 0 ? 0 : number == 1 ? last : dice.within(0, last);
    const bool is_reversed = sample.strands == Strands::both && dice.next() < 0.5;
    const char* source = from.sequence.data() + begin;
    for (std::size_t i = 0; i < read_length; ++i) {
        target[i] = is_reversed ? complement(source[read_length - 1 - i]) : source[i];
    }
    for (std::size_t i = correct_letters(dice, sample.errors); i < read_length;) {
        target[i] = alphabet[(code_of(target[i]) + dice.within(1, 3)) & 3U];
        const std::size_t skip = correct_letters(dice, sample.errors);
        i = skip < read_length ? i + 1 + skip : read_length;
    }
}

class Reads {
   public:
    // Without letters yet.
    Reads(const Sample& sample, codes::Touch touch, std::size_t page_bytes, int threads)
        : sample_(sample), letters_(sample.reads * read_length, page_bytes) {
        codes::touch_pages(letters_, touch, page_bytes, threads);
    }

    Reads(const Sample& sample, const std::vector<Transcript>& transcripts, codes::Touch touch,
          std::size_t page_bytes, int threads)
        : Reads(sample, touch, page_bytes, threads) {
        const std::uint64_t stride = stride_of(sample.reads);
        const auto count = static_cast<std::int64_t>(transcripts.size());
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
        for (std::int64_t i = 0; i < count; ++i) {
            const Transcript& from = transcripts[static_cast<std::size_t>(i)];
            for (std::uint64_t number = 0; number < from.reads; ++number) {
                const std::uint64_t place = (from.first_read + number) * stride % sample.reads;
                write_read(from, number, sample, at(place));
            }
        }
    }

    [[nodiscard]] const Sample& sample() const { return sample_; }
    [[nodiscard]] std::uint64_t count() const { return sample_.reads; }
    [[nodiscard]] const char* read(std::uint64_t place) const {
        return letters_.as<char>() + place * read_length;
    }
    [[nodiscard]] char* at(std::uint64_t place) {
        return letters_.as<char>() + place * read_length;
    }
    [[nodiscard]] std::size_t bytes() const { return letters_.bytes(); }

   private:
    // Reads that are near each other come from all over; without a common divisor each place is
    // taken once.
    static std::uint64_t stride_of(std::uint64_t reads) {
        constexpr double golden = 0.6180339887498949;
        auto stride = std::max<std::uint64_t>(
            1, static_cast<std::uint64_t>(golden * static_cast<double>(reads)));
        while (std::gcd(stride, reads) != 1) {
            ++stride;
        }
        return stride;
    }

    Sample sample_;
    Memory letters_;
};

}  // namespace machmeter::assembly
