// Which blocks of the matrix are there at the start, and which after its factorization: symbolic
// elimination, without any number of the matrix.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace machmeter::blocklu {

// The diagonal; below it the blocks at distances that are powers of two, above it those at
// triangular numbers (1, 3, 6, 10, ...): so neighbors on both sides, few elsewhere.
inline bool is_given(std::size_t row, std::size_t column) {
    if (row >= column) {
        return row == column || std::has_single_bit(row - column);
    }
    const auto eightfold = static_cast<double>(8 * (column - row) + 1);
    const double root = std::round(std::sqrt(eightfold));
    return root * root == eightfold;
}

inline std::size_t given_in_row(std::size_t row, std::size_t blocks) {
    std::size_t count = 0;
    for (std::size_t column = 0; column < blocks; ++column) {
        count += is_given(row, column) ? 1 : 0;
    }
    return count;
}

// Eliminating block k makes block (i, j) wherever (i, k) and (k, j) are.
class Structure {
   public:
    explicit Structure(std::size_t blocks) : blocks_(blocks), held_(blocks * blocks) {
        for (std::size_t place = 0; place < held_.size(); ++place) {
            held_[place] = is_given(place / blocks, place % blocks) ? 1 : 0;
            given_ += held_[place];
        }
        for (std::size_t k = 0; k < blocks; ++k) {
            eliminate(k);
        }
        for (const unsigned char one : held_) {
            at_end_ += one;
        }
    }

    [[nodiscard]] std::size_t blocks() const { return blocks_; }
    [[nodiscard]] bool holds(std::size_t row, std::size_t column) const {
        return held_[row * blocks_ + column] != 0;
    }
    [[nodiscard]] std::size_t given() const { return given_; }
    [[nodiscard]] std::size_t at_end() const { return at_end_; }
    [[nodiscard]] std::uint64_t products() const { return products_; }

    // Multiplications, subtractions and divisions of all steps, in blocks of so many rows.
    [[nodiscard]] double flops(std::size_t block) const {
        const auto b = static_cast<double>(block);
        const double of_diagonal = b * (b - 1) / 2 + b * (b - 1) * (2 * b - 1) / 3;
        return static_cast<double>(blocks_) * of_diagonal +
               static_cast<double>(right_) * b * b * (b - 1) +
               static_cast<double>(below_) * b * b * b +
               static_cast<double>(products_) * 2 * b * b * b;
    }

   private:
    void eliminate(std::size_t k) {
        const unsigned char* const pivot = held_.data() + k * blocks_;
        std::size_t right = 0;
        for (std::size_t j = k + 1; j < blocks_; ++j) {
            right += pivot[j];
        }
        std::size_t below = 0;
        for (std::size_t i = k + 1; i < blocks_; ++i) {
            unsigned char* const row = held_.data() + i * blocks_;
            below += row[k];
            for (std::size_t j = k + 1; row[k] != 0 && j < blocks_; ++j) {
                row[j] |= pivot[j];
            }
        }
        right_ += right;
        below_ += below;
        products_ += std::uint64_t{right} * below;
    }

    std::size_t blocks_;
    std::vector<unsigned char> held_;
    std::size_t given_ = 0;
    std::size_t at_end_ = 0;
    std::uint64_t right_ = 0;
    std::uint64_t below_ = 0;
    std::uint64_t products_ = 0;
};

}  // namespace machmeter::blocklu
