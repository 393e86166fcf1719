// What has to hold of the scores of alignments, by other ways than those of the codes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "codes/align/long.hpp"
#include "codes/align/pairs.hpp"
#include "codes/align/plain.hpp"
#include "codes/align/planted.hpp"
#include "proxies/common/faults.hpp"

namespace machmeter::align {

// Of how many pairs the score is computed again, and of how many blocks the edges.
inline constexpr std::size_t most_compared = 64;
// Letters of either sequence that are aligned again from the beginning.
inline constexpr std::size_t most_from_the_beginning = 2048;

inline bool letters_are_as_made(const AllPairs& pairs) {
    for (std::size_t number = 0; number < pairs.sequences(); ++number) {
        const Letters letters = pairs.letters(number);
        for (std::size_t i = 0; i < letters.size(); ++i) {
            if (letters[i] != gotoh::make_letter(number, i)) {
                return false;
            }
        }
    }
    return true;
}

// Nothing is better for a letter than itself.
inline bool a_sequence_has_all_of_itself(AllPairs& pairs) {
    std::vector<std::int32_t> scores(pairs.sequences());
    pairs.align(AllPairs::Which::self, scores.data());
    for (std::size_t number = 0; number < pairs.sequences(); ++number) {
        std::int32_t sum = 0;
        for (const Letter letter : pairs.letters(number)) {
            sum += gotoh::score(letter, letter);
        }
        if (scores[number] != sum) {
            return false;
        }
    }
    return true;
}

// The longer with a group of shorter ones: other tables, in another order, of every pair.
inline bool scores_are_those_of_exchanged_pairs(AllPairs& pairs) {
    std::vector<std::int32_t> exchanged(pairs.pairs());
    pairs.align(AllPairs::Which::behind, exchanged.data());
    return std::equal(exchanged.begin(), exchanged.end(), pairs.scores());
}

// Pairs of all lengths, the two longest among them.
inline std::vector<std::pair<std::size_t, std::size_t>> some_pairs(std::size_t sequences) {
    std::vector<std::pair<std::size_t, std::size_t>> some{{sequences - 2, sequences - 1}};
    const std::size_t step = (sequences + most_compared - 1) / most_compared;
    for (std::size_t number = 0; number + 1 < sequences; number += step) {
        some.emplace_back(number, sequences - 1 - number);
        some.back().second += number == some.back().second ? 1 : 0;
    }
    return some;
}

inline bool scores_are_plain(const AllPairs& pairs) {
    const auto some = some_pairs(pairs.sequences());
    return std::all_of(some.begin(), some.end(), [&](const auto& pair) {
        const auto [a, b] = pair;
        return pairs.scores()[AllPairs::place(a, b)] ==
               gotoh::plain_global(pairs.letters(a), pairs.letters(b));
    });
}

// Of pairs of few, of mean and of many letters.
inline bool traced_alignments_have_their_scores(const AllPairs& pairs) {
    const std::size_t last = pairs.sequences() - 1;
    const std::array<std::pair<std::size_t, std::size_t>, 3> some{
        {{0, last}, {last / 3, last / 2 + 1}, {last / 2, last / 2 + 1}}};
    return std::all_of(some.begin(), some.end(), [&](const auto& pair) {
        const Letters a = pairs.letters(pair.first);
        const Letters b = pairs.letters(pair.second);
        return gotoh::score_of_steps(a, b, gotoh::FullTables(a, b).trace()) ==
               pairs.scores()[AllPairs::place(pair.first, pair.second)];
    });
}

// What is wrong; empty where nothing is.
inline std::string fault_of(AllPairs& pairs) {
    return proxies::first_fault({
        {letters_are_as_made(pairs), "a letter is another than was made"},
        {scores_are_plain(pairs), "a score differs from that of the plain recurrence"},
        {traced_alignments_have_their_scores(pairs), "a traced alignment has another score"},
        {a_sequence_has_all_of_itself(pairs), "a sequence and itself score less than its letters"},
        {scores_are_those_of_exchanged_pairs(pairs),
         "a pair scores otherwise when the two are exchanged"},
    });
}

// Gaps that are worth nothing never count, and need not be the same.
inline bool is_same(const Entry& one, const Entry& other) {
    return one.score == other.score && std::max(one.gap, 0) == std::max(other.gap, 0);
}

inline bool is_same_line(const Entry* line, const std::vector<Entry>& other) {
    return std::equal(other.begin(), other.end(), line, is_same);
}

// By the plain recurrence from the edges of the block: `rows` and `columns` of it.
inline gotoh::Part plain_block(const LongPair& pair, std::size_t row, std::size_t column,
                               std::size_t rows, std::size_t columns) {
    const std::size_t i = row * pair.block();
    const std::size_t j = column * pair.block();
    const Entry* const above = pair.row_before(row) + j;
    const Entry* const left = pair.column_before(column) + i;
    return gotoh::plain_part(
        pair.a().subspan(i, rows), pair.b().subspan(j, columns),
        {{above, above + columns}, {left, left + rows}, pair.corner_before(row, column)}, 0);
}

inline bool is_plain_block(const LongPair& pair, std::size_t row, std::size_t column) {
    const std::size_t block = pair.block();
    const gotoh::Part part = plain_block(pair, row, column, block, block);
    return part.best == pair.best(row, column) &&
           is_same_line(pair.row_before(row + 1) + column * block, part.last.row) &&
           is_same_line(pair.column_before(column + 1) + row * block, part.last.column);
}

// Some of the blocks, and the one with the best score.
inline bool blocks_are_plain(const LongPair& pair) {
    const std::size_t columns = pair.block_columns();
    const std::size_t blocks = pair.block_rows() * columns;
    const std::size_t most =
        std::max<std::size_t>(1, (most_compared << 18U) / (pair.block() * pair.block()));
    const std::size_t step = (blocks + most - 1) / most;
    std::size_t best = 0;
    for (std::size_t at = 0; at < blocks; ++at) {
        best = pair.best(at / columns, at % columns) > pair.best(best / columns, best % columns)
                   ? at
                   : best;
    }
    for (std::size_t at = 0; at < blocks; at += step) {
        if (!is_plain_block(pair, at / columns, at % columns)) {
            return false;
        }
    }
    return is_plain_block(pair, best / columns, best % columns);
}

// Many blocks at once, from nothing.
inline bool the_beginning_is_plain(const LongPair& pair) {
    const std::size_t most = std::max<std::size_t>(1, most_from_the_beginning / pair.block());
    const std::size_t blocks = std::min({most, pair.block_rows(), pair.block_columns()});
    const std::size_t letters = blocks * pair.block();
    const gotoh::Part part = gotoh::plain_part(pair.a().first(letters), pair.b().first(letters),
                                               gotoh::nothing_before(letters, letters), 0);
    std::int32_t best = 0;
    for (std::size_t at = 0; at < blocks * blocks; ++at) {
        best = std::max(best, pair.best(at / blocks, at % blocks));
    }
    return part.best == best && is_same_line(pair.row_before(blocks), part.last.row) &&
           is_same_line(pair.column_before(blocks), part.last.column);
}

inline bool pieces_are_found(const LongPair& pair, const Planted& planted) {
    return std::all_of(planted.pieces().begin(), planted.pieces().end(), [&](const Piece& piece) {
        const std::size_t row = (piece.row_end - 1) / pair.block();
        const std::size_t column = (piece.column_end - 1) / pair.block();
        const gotoh::Part part = plain_block(pair, row, column, piece.row_end - row * pair.block(),
                                             piece.column_end - column * pair.block());
        return part.last.row.back().score >= piece.score &&
               pair.best(row, column) >= part.last.row.back().score;
    });
}

// The table of the two exchanged is the same with rows for columns. `exchanged` is aligned.
inline bool is_that_of_exchanged(const LongPair& pair, const LongPair& exchanged) {
    for (std::size_t i = 0; i < pair.block_rows(); ++i) {
        for (std::size_t j = 0; j < pair.block_columns(); ++j) {
            if (pair.best(i, j) != exchanged.best(j, i)) {
                return false;
            }
        }
        const Entry* const line = pair.row_before(i + 1);
        if (!std::equal(line, line + pair.b().size(), exchanged.column_before(i + 1), is_same)) {
            return false;
        }
    }
    return true;
}

inline std::string fault_of(const LongPair& pair, const LongPair& exchanged,
                            const Planted& planted) {
    return proxies::first_fault({
        {the_beginning_is_plain(pair), "the beginning differs from the plain recurrence"},
        {blocks_are_plain(pair), "a block differs from the plain recurrence"},
        {pieces_are_found(pair, planted), "a planted piece is not found"},
        {is_that_of_exchanged(pair, exchanged),
         "the table is another when the two sequences are exchanged"},
    });
}

}  // namespace machmeter::align
