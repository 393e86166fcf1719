// LU factorization without pivoting of a sparse matrix of dense blocks, by tasks.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/team_times.hpp"
#include "codes/blocklu/kernels.hpp"
#include "codes/blocklu/structure.hpp"
#include "codes/common/touch.hpp"
#include "core/memory/memory.hpp"
#include "core/values/random_bits.hpp"

namespace machmeter::blocklu {

// depend: a task begins when the blocks that it needs are done; taskwait: when all tasks of the
// part of the step before are.
enum class Tasks : std::uint8_t { depend, taskwait };

// Parts of an event, as their times are kept: of each thread, while it is in a task.
enum Part : std::uint8_t { diagonals, solutions, products, parts };

// Element of a block that is there at the start: between -1 and -7/8. On the diagonal is instead
// the number of all elements of the row, above the sum of the sizes of the others, so no pivoting
// is needed. Off it L and U have one sign, as the matrix has: nothing cancels.
inline float given_element(std::size_t row, std::size_t column, std::size_t order) {
    constexpr std::uint64_t stream = 359;
    return -static_cast<float>(0.875 + 0.125 * uniform(stream, row * order + column));
}

class Matrix {
   public:
    // bytes: of blocks as given, of those to work on, and of those that elimination makes.
    static double needed_bytes(const Structure& structure, std::size_t block) {
        return static_cast<double>(Shape(block).bytes()) *
               static_cast<double>(structure.given() + structure.at_end());
    }

    Matrix(const Structure& structure, std::size_t block, codes::Touch touch,
           std::size_t page_bytes, int threads)
        : shape_(block),
          blocks_(structure.blocks()),
          fill_(structure.at_end() - structure.given()),
          threads_(threads),
          at_(blocks_ * blocks_, nullptr),
          original_(structure.given() * shape_.bytes(), page_bytes),
          working_(structure.given() * shape_.bytes(), page_bytes),
          made_(std::max<std::size_t>(fill_, 1) * shape_.bytes(), page_bytes) {
        for (std::size_t place = 0; place < at_.size(); ++place) {
            if (is_given(place / blocks_, place % blocks_)) {
                given_.push_back(place);
            }
        }
        codes::touch_pages(original_, touch, page_bytes, threads);
        codes::touch_pages(working_, touch, page_bytes, threads);
#pragma omp parallel for num_threads(threads_) schedule(static)
        for (std::size_t i = 0; i < given_.size(); ++i) {
            fill_original(i);
        }
    }

    [[nodiscard]] const Shape& shape() const { return shape_; }
    [[nodiscard]] std::size_t blocks() const { return blocks_; }
    [[nodiscard]] std::size_t order() const { return blocks_ * shape_.block; }
    [[nodiscard]] int threads() const { return threads_; }
    // Null where there is none.
    [[nodiscard]] float* at(std::size_t row, std::size_t column) const {
        return at_[row * blocks_ + column];
    }
    // Products of blocks that were subtracted since the matrix was as given.
    [[nodiscard]] std::uint64_t products_done() const { return products_done_; }

    // From the matrix as given.
    void factor(Tasks tasks, TeamTimes& times) {
        times_ = &times;
        forget();
#pragma omp parallel num_threads(threads_)
        {
#pragma omp for schedule(static)
            for (std::size_t i = 0; i < given_.size(); ++i) {
                restore(i);
            }
#pragma omp single
            for (std::size_t k = 0; k < blocks_; ++k) {
                if (tasks == Tasks::depend) {
                    step_by_dependences(k);
                } else {
                    step_by_waits(k);
                }
            }
        }
    }

    // The same one after the other, for tests: without the products for which
    // `subtracts(row, k, column)` is false.
    template <class Subtract>
    void factor_serially(Subtract&& subtracts) {
        forget();
        for (std::size_t i = 0; i < given_.size(); ++i) {
            restore(i);
        }
        for (std::size_t k = 0; k < blocks_; ++k) {
            factor_diagonal(shape_, at(k, k));
            for (std::size_t other = k + 1; other < blocks_; ++other) {
                if (at(k, other) != nullptr) {
                    solve_right(shape_, at(k, other), at(k, k));
                }
                if (at(other, k) != nullptr) {
                    solve_below(shape_, at(other, k), at(k, k));
                }
            }
            for_each_product(k, [&](std::size_t row, std::size_t column) {
                const Target target = take(row, column);
                if (subtracts(row, k, column)) {
                    subtract(target, at(row, k), at(k, column));
                }
            });
        }
    }

   private:
    // is_new: nobody has written it yet.
    struct Target {
        float* block;
        bool is_new;
    };

    [[nodiscard]] std::size_t begin_of(std::size_t i) const { return i * shape_.elements(); }

    void fill_original(std::size_t i) const {
        const std::size_t block_row = given_[i] / blocks_;
        const std::size_t first_row = block_row * shape_.block;
        const std::size_t first_column = given_[i] % blocks_ * shape_.block;
        const auto on_diagonal =
            static_cast<float>(given_in_row(block_row, blocks_) * shape_.block);
        float* const block = original_.as<float>() + begin_of(i);
        std::fill_n(block, shape_.elements(), 0.0F);
        for (std::size_t row = 0; row < shape_.block; ++row) {
            for (std::size_t column = 0; column < shape_.block; ++column) {
                const bool is_diagonal = first_row + row == first_column + column;
                block[row * shape_.stride + column] =
                    is_diagonal ? on_diagonal
                                : given_element(first_row + row, first_column + column, order());
            }
        }
    }

    // As before anything was made.
    void forget() {
        std::fill(at_.begin(), at_.end(), nullptr);
        for (std::size_t i = 0; i < given_.size(); ++i) {
            at_[given_[i]] = working_.as<float>() + begin_of(i);
        }
        made_blocks_ = 0;
        products_done_ = 0;
    }

    void restore(std::size_t i) const {
        std::copy_n(original_.as<float>() + begin_of(i), shape_.elements(),
                    working_.as<float>() + begin_of(i));
    }

    // By the thread that creates tasks; the pages of a new block are touched by its first task.
    Target take(std::size_t row, std::size_t column) {
        float*& block = at_[row * blocks_ + column];
        const bool is_new = block == nullptr;
        if (is_new) {
            block = made_.as<float>() + begin_of(made_blocks_++);
        }
        return {block, is_new};
    }

    void subtract(const Target& target, const float* left, const float* right) {
        if (target.is_new) {
            std::fill_n(target.block, shape_.elements(), 0.0F);
        }
        subtract_product(shape_, target.block, left, right);
        products_done_.fetch_add(1, std::memory_order_relaxed);
    }

    template <class Body>
    void for_each_product(std::size_t k, Body&& body) {
        for (std::size_t row = k + 1; row < blocks_; ++row) {
            for (std::size_t column = k + 1; at(row, k) != nullptr && column < blocks_; ++column) {
                if (at(k, column) != nullptr) {
                    body(row, column);
                }
            }
        }
    }

    // What tasks do; the time of their thread in them.
    template <class Body>
    void timed(Part part, Body&& body) {
        times_->add(omp_get_thread_num(), part, time_alone(monotonic_clock, body));
    }
    void do_diagonal(float* diagonal) {
        timed(diagonals, [&] { factor_diagonal(shape_, diagonal); });
    }
    void do_right(float* right, const float* diagonal) {
        timed(solutions, [&] { solve_right(shape_, right, diagonal); });
    }
    void do_below(float* below, const float* diagonal) {
        timed(solutions, [&] { solve_below(shape_, below, diagonal); });
    }
    void do_product(const Target& target, const float* left, const float* right) {
        timed(products, [&] { subtract(target, left, right); });
    }

    void step_by_dependences(std::size_t k) {
        float* const diagonal = at(k, k);
#pragma omp task depend(inout : diagonal[0])
        do_diagonal(diagonal);
        for (std::size_t other = k + 1; other < blocks_; ++other) {
            if (float* const right = at(k, other); right != nullptr) {
#pragma omp task depend(in : diagonal[0]) depend(inout : right[0])
                do_right(right, diagonal);
            }
            if (float* const below = at(other, k); below != nullptr) {
#pragma omp task depend(in : diagonal[0]) depend(inout : below[0])
                do_below(below, diagonal);
            }
        }
        for_each_product(k, [this, k](std::size_t row, std::size_t column) {
            product_by_dependences(take(row, column), at(row, k), at(k, column));
        });
    }
    // By values: a task may begin when its function has ended.
    void product_by_dependences(Target target, float* left, float* right) {
#pragma omp task depend(in : left[0], right[0]) depend(inout : target.block[0])
        do_product(target, left, right);
    }

    void step_by_waits(std::size_t k) {
        float* const diagonal = at(k, k);
        do_diagonal(diagonal);
        for (std::size_t other = k + 1; other < blocks_; ++other) {
            if (float* const right = at(k, other); right != nullptr) {
#pragma omp task
                do_right(right, diagonal);
            }
            if (float* const below = at(other, k); below != nullptr) {
#pragma omp task
                do_below(below, diagonal);
            }
        }
#pragma omp taskwait
        for_each_product(k, [this, k](std::size_t row, std::size_t column) {
            product_by_waits(take(row, column), at(row, k), at(k, column));
        });
#pragma omp taskwait
    }
    void product_by_waits(Target target, float* left, float* right) {
#pragma omp task
        do_product(target, left, right);
    }

    Shape shape_;
    std::size_t blocks_;
    std::size_t fill_;
    int threads_;
    std::vector<std::size_t> given_;
    std::vector<float*> at_;
    Memory original_;
    Memory working_;
    Memory made_;
    TeamTimes* times_ = nullptr;
    std::size_t made_blocks_ = 0;
    std::atomic<std::uint64_t> products_done_ = 0;
};

}  // namespace machmeter::blocklu
