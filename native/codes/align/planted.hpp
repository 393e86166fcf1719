// Two sequences at random with pieces of one planted in the other, changed a little.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codes/align/gotoh.hpp"

namespace machmeter::align {

// From `row` to `row_end` of the one, from `column` to `column_end` of the other; `score`: of these
// two laid beside each other with one gap in the middle, so that of the best no less.
struct Piece {
    std::size_t row;
    std::size_t row_end;
    std::size_t column;
    std::size_t column_end;
    std::int32_t score;
};

class Planted {
   public:
    static constexpr std::size_t shortest = 1024;

    // The pieces are a 16th to a 128th of it, in the order in the one the reverse of the other.
    explicit Planted(std::size_t length) : a_(length), b_(length) {
        for (std::size_t i = 0; i < length; ++i) {
            a_[i] = gotoh::make_letter(0, i);
            b_[i] = gotoh::make_letter(1, i);
        }
        for (std::size_t number = 0; number < pieces_.size(); ++number) {
            const std::size_t from = (2 * number + 1) * length / 8;
            const std::size_t to = (2 * (pieces_.size() - number) - 1) * length / 8;
            pieces_[number] = plant(from, to, length >> (4 + number));
        }
    }

    [[nodiscard]] const std::vector<gotoh::Letter>& a() const { return a_; }
    [[nodiscard]] const std::vector<gotoh::Letter>& b() const { return b_; }
    [[nodiscard]] const std::array<Piece, 4>& pieces() const { return pieces_; }

   private:
    // One of eight letters is drawn anew, and a 64th of them left out behind the half.
    Piece plant(std::size_t from, std::size_t to, std::size_t letters) {
        const std::size_t left_out = letters / 64;
        const std::size_t half = letters / 2;
        Piece piece{from, from + letters, to, to + letters - left_out, 0};
        for (std::size_t i = 0; i < letters; ++i) {
            if (i >= half && i < half + left_out) {
                continue;
            }
            const std::size_t at = to + i - (i < half ? 0 : left_out);
            const bool is_new = uniform(changes, at) < 1.0 / 8;
            b_[at] = is_new ? gotoh::make_letter(2, at) : a_[from + i];
            piece.score += gotoh::score(a_[from + i], b_[at]);
        }
        const auto gap = static_cast<std::int32_t>(left_out) * gotoh::extend;
        piece.score -= left_out > 0 ? gotoh::open + gap : 0;
        return piece;
    }

    static constexpr std::uint64_t changes = 99;

    std::vector<gotoh::Letter> a_;
    std::vector<gotoh::Letter> b_;
    std::array<Piece, 4> pieces_{};
};

}  // namespace machmeter::align
