// The scores of the global alignments of all pairs of many sequences. A task aligns one sequence
// with a group of as many others as a vector has lanes of 16 bits: all of them along its letters,
// so that the scores of a letter are one vector (Rognes, BMC Bioinformatics 12:221, 2011).
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codes/align/gotoh.hpp"
#include "codes/common/touch.hpp"
#include "core/memory/memory.hpp"

namespace machmeter::align {

using gotoh::Letter;
using gotoh::Letters;

using Shorts __attribute__((vector_size(32), may_alias)) = std::int16_t;

inline Shorts all_shorts(int value) { return Shorts{} + static_cast<std::int16_t>(value); }
inline Shorts larger(const Shorts& a, const Shorts& b) { return a > b ? a : b; }

inline constexpr std::size_t shortest = 19;
inline constexpr std::size_t longest = 2069;

// Lengths spread evenly over a distribution with a mean near 641: most are short.
inline std::size_t length_of(std::uint64_t number) {
    constexpr double golden = 0.6180339887498949;
    const double along = (static_cast<double>(number) + 0.5) * golden;
    const double u = along - std::floor(along);
    const double share = u * u * (0.64 + 0.36 * u);
    return shortest + static_cast<std::size_t>(share * (longest - shortest + 1));
}

// Of the tables of all pairs of the first so many sequences.
inline double cells_of_pairs(std::uint64_t sequences) {
    double letters = 0;
    double cells = 0;
    for (std::uint64_t number = 0; number < sequences; ++number) {
        const auto length = static_cast<double>(length_of(number));
        cells += length * letters;
        letters += length;
    }
    return cells;
}

class AllPairs {
   public:
    static constexpr std::size_t lanes = sizeof(Shorts) / sizeof(std::int16_t);
    // Columns of a table that are done at once: their entries above stay in registers.
    static constexpr std::size_t strip = 4;

    // ahead: each sequence with all longer ones; behind: with all shorter; self: with itself.
    enum class Which : std::uint8_t { ahead, behind, self };

    AllPairs(std::size_t sequences, codes::Touch touch, std::size_t page_bytes, int threads)
        : threads_(threads),
          begins_(begins_of(sequences)),
          strips_(strips_of(begins_)),
          letters_(begins_.back(), page_bytes),
          profiles_(strips_.back() * profile_shorts * sizeof(std::int16_t), page_bytes),
          scores_(pairs() * sizeof(std::int32_t), page_bytes) {
        for (const Memory* memory : {&letters_, &profiles_, &scores_}) {
            codes::touch_pages(*memory, touch, page_bytes, threads);
        }
        for (std::size_t number = 0; number < sequences; ++number) {
            for (std::size_t i = begins_[number]; i < begins_[number + 1]; ++i) {
                letters_.as<Letter>()[i] = gotoh::make_letter(number, i - begins_[number]);
            }
        }
        for (int thread = 0; thread < threads; ++thread) {
            edges_.emplace_back((3 * longest + strip) * sizeof(Shorts), page_bytes);
        }
    }

    // The shortest is the first.
    [[nodiscard]] std::size_t sequences() const { return begins_.size() - 1; }
    [[nodiscard]] std::size_t groups() const { return strips_.size() - 1; }
    [[nodiscard]] std::size_t pairs() const { return sequences() * (sequences() - 1) / 2; }
    [[nodiscard]] std::size_t length(std::size_t number) const {
        return begins_[number + 1] - begins_[number];
    }
    [[nodiscard]] Letters letters(std::size_t number) const {
        return {letters_.as<Letter>() + begins_[number], length(number)};
    }
    // Where the score of a pair is.
    [[nodiscard]] static std::size_t place(std::size_t one, std::size_t other) {
        const auto [less, more] = std::minmax(one, other);
        return more * (more - 1) / 2 + less;
    }
    [[nodiscard]] std::int32_t* scores() const { return scores_.as<std::int32_t>(); }
    [[nodiscard]] std::int16_t* profiles() const { return profiles_.as<std::int16_t>(); }
    [[nodiscard]] double cells() const {
        double sum = 0;
        for (std::size_t number = 1; number < sequences(); ++number) {
            sum += static_cast<double>(length(number)) * static_cast<double>(begins_[number]);
        }
        return sum;
    }
    [[nodiscard]] double data_bytes() const {
        return static_cast<double>(begins_.back()) +
               static_cast<double>(strips_.back() * profile_shorts) * sizeof(std::int16_t) +
               static_cast<double>(pairs()) * sizeof(std::int32_t);
    }

    // What every letter scores with each letter of a group: a strip, a letter and a column have a
    // vector with a lane for each sequence.
    void make_profiles() {
#pragma omp parallel num_threads(threads_)
        for (std::size_t group = 0; group < groups(); ++group) {
            const std::size_t end = strips_[group + 1];
#pragma omp for schedule(static) nowait
            for (std::size_t at = strips_[group]; at < end; ++at) {
                make_profile(group, at);
            }
        }
    }

    // The scores of those pairs, or of each sequence, by tasks, the longest first.
    void align(Which which, std::int32_t* scores) {
#pragma omp parallel num_threads(threads_)
#pragma omp single
        for (std::size_t group = groups(); group-- > 0;) {
            for (std::size_t number = sequences(); number-- > 0;) {
                if (is_any_wanted(which, number, group)) {
#pragma omp task firstprivate(number, group)
                    align_batch(which, number, group, scores);
                }
            }
        }
    }

   private:
    static constexpr std::size_t profile_shorts = gotoh::alphabet * strip * lanes;

    // A score is no more than all letters of the shorter, and no less than two gaps alone, another
    // opened behind them.
    static_assert(longest * gotoh::highest <= INT16_MAX);
    static_assert(3 * gotoh::open + static_cast<int>(2 * longest + strip + 1) * gotoh::extend <=
                  INT16_MAX);

    static std::vector<std::size_t> begins_of(std::size_t sequences) {
        std::vector<std::size_t> begins{0};
        for (std::size_t number = 0; number < sequences; ++number) {
            begins.push_back(length_of(number));
        }
        std::sort(begins.begin() + 1, begins.end());
        for (std::size_t number = 0; number < sequences; ++number) {
            begins[number + 1] += begins[number];
        }
        return begins;
    }

    // Of every group the first strip: it has as many as its longest, which is its last sequence.
    static std::vector<std::size_t> strips_of(const std::vector<std::size_t>& begins) {
        const std::size_t sequences = begins.size() - 1;
        std::vector<std::size_t> strips{0};
        for (std::size_t first = 0; first < sequences; first += lanes) {
            const std::size_t last = std::min(first + lanes, sequences) - 1;
            const std::size_t columns = begins[last + 1] - begins[last];
            strips.push_back(strips.back() + (columns + strip - 1) / strip);
        }
        return strips;
    }

    void make_profile(std::size_t group, std::size_t at) {
        std::int16_t* const profile = profiles() + at * profile_shorts;
        const std::size_t first = (at - strips_[group]) * strip;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t number = group * lanes + lane;
            for (std::size_t column = 0; column < strip; ++column) {
                const bool is_there = number < sequences() && first + column < length(number);
                const Letter other =
                    is_there ? letters(number)[first + column] : gotoh::behind_the_end;
                for (std::size_t letter = 0; letter < gotoh::alphabet; ++letter) {
                    profile[(letter * strip + column) * lanes + lane] = table_[letter][other];
                }
            }
        }
    }

    [[nodiscard]] static bool is_wanted(Which which, std::size_t number, std::size_t other) {
        switch (which) {
            case Which::ahead:
                return number < other;
            case Which::behind:
                return number > other;
            case Which::self:
                break;
        }
        return number == other;
    }

    [[nodiscard]] bool is_any_wanted(Which which, std::size_t number, std::size_t group) const {
        const std::size_t first = group * lanes;
        const std::size_t last = std::min(first + lanes, sequences()) - 1;
        return is_wanted(which, number, std::clamp(number, first, last)) ||
               is_wanted(which, number, first) || is_wanted(which, number, last);
    }

    void align_batch(Which which, std::size_t number, std::size_t group, std::int32_t* scores) {
        const Letters own = letters(number);
        const Memory& edges = edges_[static_cast<std::size_t>(omp_get_thread_num())];
        auto* const left = reinterpret_cast<Shorts*>(edges.as<std::byte>());
        Shorts* const bottom = left + 2 * longest;
        for (std::size_t i = 0; i < own.size(); ++i) {
            const Shorts score = before_all(i + 1);
            left[2 * i] = score;
            left[2 * i + 1] = score - all_shorts(gotoh::open + gotoh::extend);
        }
        for (std::size_t at = strips_[group]; at < strips_[group + 1]; ++at) {
            const std::size_t column = (at - strips_[group]) * strip;
            align_strip(own, profiles() + at * profile_shorts, column, left, bottom + column);
        }
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t other = group * lanes + lane;
            if (other < sequences() && is_wanted(which, number, other)) {
                scores[which == Which::self ? number : place(number, other)] =
                    bottom[length(other) - 1][lane];
            }
        }
    }

    // Where `letters` of one sequence are aligned with none of the other.
    static Shorts before_all(std::size_t letters) {
        return all_shorts(letters == 0 ? 0
                                       : -gotoh::open - gotoh::extend * static_cast<int>(letters));
    }

    // Some columns over all letters of `own`. left: score and gap of the column before, then of the
    // last; bottom: the scores of the last row.
    static void align_strip(Letters own, const std::int16_t* profile, std::size_t column,
                            Shorts* left, Shorts* bottom) {
        const Shorts opened = all_shorts(gotoh::open + gotoh::extend);
        const Shorts extended = all_shorts(gotoh::extend);
        const auto* const vectors = reinterpret_cast<const Shorts*>(profile);
        Shorts above[strip];
        Shorts down[strip];
        for (std::size_t c = 0; c < strip; ++c) {
            above[c] = before_all(column + c + 1);
            down[c] = above[c] - opened;
        }
        Shorts before = before_all(column);
        for (std::size_t i = 0; i < own.size(); ++i) {
            const Shorts* const with = vectors + own[i] * strip;
            Shorts diagonal = before;
            before = left[2 * i];
            Shorts along = left[2 * i + 1];
            for (std::size_t c = 0; c < strip; ++c) {
                const Shorts here = larger(larger(along, down[c]), diagonal + with[c]);
                diagonal = above[c];
                above[c] = here;
                along = larger(along - extended, here - opened);
                down[c] = larger(down[c] - extended, here - opened);
            }
            left[2 * i] = above[strip - 1];
            left[2 * i + 1] = along;
        }
        for (std::size_t c = 0; c < strip; ++c) {
            bottom[c] = above[c];
        }
    }

    using Table = std::array<std::array<std::int16_t, gotoh::alphabet + 1>, gotoh::alphabet>;

    static constexpr Table table_ = [] {
        Table table{};
        for (int a = 0; a < gotoh::alphabet; ++a) {
            for (int b = 0; b <= gotoh::alphabet; ++b) {
                table[a][b] = static_cast<std::int16_t>(gotoh::score(a, b));
            }
        }
        return table;
    }();

    int threads_;
    std::vector<std::size_t> begins_;
    std::vector<std::size_t> strips_;
    Memory letters_;
    Memory profiles_;
    Memory scores_;
    // Of each thread, first touched by it.
    std::vector<Memory> edges_;
};

}  // namespace machmeter::align
