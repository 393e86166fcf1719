// The best local alignment of two long sequences, by blocks of the table: a task a block, which
// waits for the one above and the one to the left. Within a block a column is done in lanes that
// have a stretch of rows each, as if no gap came from the lane before, and then raised by the gaps
// that do (after Farrar, Bioinformatics 23:156, 2007). The edges of all blocks are kept.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "codes/align/gotoh.hpp"
#include "codes/common/touch.hpp"
#include "core/memory/memory.hpp"

namespace machmeter::align {

using gotoh::Entry;
using gotoh::Letter;
using gotoh::Letters;

using Words __attribute__((vector_size(32), may_alias)) = std::int32_t;

inline Words all_words(std::int32_t value) { return Words{} + value; }
inline Words larger(const Words& a, const Words& b) { return a > b ? a : b; }
inline bool is_any_above(const Words& a, const Words& b) {
    const auto above = a > b;
    std::array<std::uint64_t, 4> bits{};
    std::memcpy(bits.data(), &above, sizeof bits);
    return ((bits[0] | bits[1]) | (bits[2] | bits[3])) != 0;
}

class LongPair {
   public:
    static constexpr std::size_t lanes = sizeof(Words) / sizeof(std::int32_t);
    static constexpr std::size_t largest_block = 2048;

    // block: rows and columns, a multiple of the lanes.
    LongPair(Letters a, Letters b, std::size_t block, codes::Touch touch, std::size_t page_bytes,
             int threads)
        : threads_(threads),
          block_(block),
          stretch_(block / lanes),
          a_(in_whole_blocks(a, block)),
          b_(in_whole_blocks(b, block)),
          bests_(block_rows() * block_columns()),
          profiles_(a_.size() * letters_of_profile * sizeof(std::int32_t), page_bytes),
          rows_((block_rows() + 1) * b_.size() * sizeof(Entry), page_bytes),
          columns_((block_columns() + 1) * a_.size() * sizeof(Entry), page_bytes) {
        for (const Memory* memory : {&profiles_, &rows_, &columns_}) {
            codes::touch_pages(*memory, touch, page_bytes, threads);
        }
        std::fill_n(row_before(0), b_.size(), Entry{0, gotoh::lowest});
        std::fill_n(column_before(0), a_.size(), Entry{0, gotoh::lowest});
    }

    [[nodiscard]] std::size_t block() const { return block_; }
    [[nodiscard]] std::size_t block_rows() const { return a_.size() / block_; }
    [[nodiscard]] std::size_t block_columns() const { return b_.size() / block_; }
    [[nodiscard]] Letters a() const { return a_; }
    [[nodiscard]] Letters b() const { return b_; }
    // The last row of the blocks before a row of blocks, over all columns of the table.
    [[nodiscard]] Entry* row_before(std::size_t row) const {
        return rows_.as<Entry>() + row * b_.size();
    }
    [[nodiscard]] Entry* column_before(std::size_t column) const {
        return columns_.as<Entry>() + column * a_.size();
    }
    // The score diagonally before a block.
    [[nodiscard]] std::int32_t corner_before(std::size_t row, std::size_t column) const {
        return column == 0 ? 0 : row_before(row)[column * block_ - 1].score;
    }
    [[nodiscard]] std::int32_t& best(std::size_t row, std::size_t column) {
        return bests_[row * block_columns() + column];
    }
    [[nodiscard]] std::int32_t best(std::size_t row, std::size_t column) const {
        return bests_[row * block_columns() + column];
    }
    [[nodiscard]] std::int32_t best() const {
        return *std::max_element(bests_.begin(), bests_.end());
    }
    [[nodiscard]] std::int32_t* profiles() const { return profiles_.as<std::int32_t>(); }
    [[nodiscard]] static double bytes_for(double rows, double columns, double block) {
        return rows * letters_of_profile * sizeof(std::int32_t) +
               2 * (rows / block + 1) * columns * sizeof(Entry) + rows + columns;
    }
    [[nodiscard]] double data_bytes() const {
        return bytes_for(static_cast<double>(a_.size()), static_cast<double>(b_.size()),
                         static_cast<double>(block_));
    }

    // What every letter scores with the letters of `a`: a row of blocks and a letter have a vector
    // for each place in the stretches.
    void make_profiles() {
        const std::size_t rows = block_rows();
#pragma omp parallel for num_threads(threads_) schedule(static)
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t letter = 0; letter < letters_of_profile; ++letter) {
                std::int32_t* const profile = profile_of(row, letter);
                for (std::size_t i = 0; i < block_; ++i) {
                    profile[striped(i)] = table_[letter][a_[row * block_ + i]];
                }
            }
        }
    }

    void align() {
        const std::size_t rows = block_rows();
        const std::size_t columns = block_columns();
        std::vector<char> is_done((rows + 1) * (columns + 1));
        [[maybe_unused]] char* const done = is_done.data();
#pragma omp parallel num_threads(threads_)
#pragma omp single
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                [[maybe_unused]] const std::size_t above = row * (columns + 1) + column + 1;
                [[maybe_unused]] const std::size_t left = above + columns;
#pragma omp task firstprivate(row, column) depend(in : done[above], done[left]) \
    depend(out : done[left + 1])
                best(row, column) = align_block(row, column);
            }
        }
    }

   private:
    // What a column is done with: the scores and gaps of the column before, striped.
    struct Stripes {
        alignas(Words) std::array<std::int32_t, largest_block> scores;
        alignas(Words) std::array<std::int32_t, largest_block> gaps;
        Words best;
    };

    static constexpr std::size_t letters_of_profile = gotoh::alphabet + 1;

    static std::vector<Letter> in_whole_blocks(Letters letters, std::size_t block) {
        std::vector<Letter> whole((letters.size() + block - 1) / block * block,
                                  gotoh::behind_the_end);
        std::copy(letters.begin(), letters.end(), whole.begin());
        return whole;
    }

    [[nodiscard]] std::int32_t* profile_of(std::size_t row, std::size_t letter) const {
        return profiles() + (row * letters_of_profile + letter) * block_;
    }
    // Where row i of a block is: in a lane with those near it.
    [[nodiscard]] std::size_t striped(std::size_t i) const {
        return i % stretch_ * lanes + i / stretch_;
    }

    [[nodiscard]] std::int32_t align_block(std::size_t row, std::size_t column) const {
        Stripes stripes;
        stripes.best = all_words(0);
        const Entry* const left = column_before(column) + row * block_;
        for (std::size_t i = 0; i < block_; ++i) {
            stripes.scores[striped(i)] = left[i].score;
            stripes.gaps[striped(i)] = left[i].gap;
        }
        const Entry* const above = row_before(row) + column * block_;
        Entry* const below = row_before(row + 1) + column * block_;
        std::int32_t corner = corner_before(row, column);
        for (std::size_t j = 0; j < block_; ++j) {
            const std::int32_t* const profile = profile_of(row, b_[column * block_ + j]);
            below[j] = align_column(profile, corner, above[j].gap, stripes);
            corner = above[j].score;
        }
        Entry* const right = column_before(column + 1) + row * block_;
        for (std::size_t i = 0; i < block_; ++i) {
            right[i] = {stripes.scores[striped(i)], stripes.gaps[striped(i)]};
        }
        std::int32_t best = 0;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            best = std::max(best, stripes.best[lane]);
        }
        return best;
    }

    // corner: the score diagonally before the first row; gap: that from above. What is below.
    [[nodiscard]] Entry align_column(const std::int32_t* profile, std::int32_t corner,
                                     std::int32_t gap, Stripes& stripes) const {
        const Words opened = all_words(gotoh::open + gotoh::extend);
        const Words extended = all_words(gotoh::extend);
        const auto* const with = reinterpret_cast<const Words*>(profile);
        auto* const scores = reinterpret_cast<Words*>(stripes.scores.data());
        auto* const gaps = reinterpret_cast<Words*>(stripes.gaps.data());
        Words diagonal = from_lane_before(scores[stretch_ - 1], corner);
        Words down = all_words(gotoh::lowest);
        down[0] = gap;
        Words best = stripes.best;
        for (std::size_t k = 0; k < stretch_; ++k) {
            // A gap that is opened behind another never pays: the next one does not wait for
            // `here`.
            const Words along = gaps[k];
            const Words without = larger(diagonal + with[k], larger(along, all_words(0)));
            const Words here = larger(without, down);
            down = larger(down - extended, without - opened);
            diagonal = scores[k];
            scores[k] = here;
            best = larger(best, here);
            gaps[k] = larger(along - extended, here - opened);
        }
        stripes.best = best;
        const std::int32_t last = raise(down, scores, gaps);
        return {scores[stretch_ - 1][lanes - 1], last};
    }

    // By the gaps that come from the lane before, until none of them raises a score: most often
    // none does. The gap that leaves the last lane, exactly where it is above 0.
    std::int32_t raise(const Words& leaving, Words* scores, Words* gaps) const {
        Words down = from_lane_before(leaving, 0);
        if (!is_any_above(down, all_words(0))) {
            return leaving[lanes - 1];
        }
        const auto whole = static_cast<std::int32_t>(stretch_) * gotoh::extend;
        for (std::size_t lane = 1; lane < lanes; ++lane) {
            down[lane] = std::max(down[lane], down[lane - 1] - whole);
        }
        const std::int32_t last = std::max(leaving[lanes - 1], down[lanes - 1] - whole);
        const Words opened = all_words(gotoh::open + gotoh::extend);
        for (std::size_t k = 0; k < stretch_; ++k) {
            if (!is_any_above(down, larger(scores[k] - opened, all_words(0)))) {
                break;
            }
            scores[k] = larger(scores[k], down);
            gaps[k] = larger(gaps[k], scores[k] - opened);
            down -= all_words(gotoh::extend);
        }
        return last;
    }

    // Every lane has what the one before had, the first `first`.
    static Words from_lane_before(const Words& words, std::int32_t first) {
#if defined(__clang__)
        Words shifted = __builtin_shufflevector(words, words, 0, 0, 1, 2, 3, 4, 5, 6);
#else
        Words shifted = __builtin_shuffle(words, Words{0, 0, 1, 2, 3, 4, 5, 6});
#endif
        shifted[0] = first;
        return shifted;
    }

    using Table = std::array<std::array<std::int32_t, letters_of_profile>, letters_of_profile>;

    static constexpr Table table_ = [] {
        Table table{};
        for (int a = 0; a <= gotoh::alphabet; ++a) {
            for (int b = 0; b <= gotoh::alphabet; ++b) {
                table[a][b] = gotoh::score(a, b);
            }
        }
        return table;
    }();

    int threads_;
    std::size_t block_;
    std::size_t stretch_;
    std::vector<Letter> a_;
    std::vector<Letter> b_;
    std::vector<std::int32_t> bests_;
    Memory profiles_;
    Memory rows_;
    Memory columns_;
};

}  // namespace machmeter::align
