// Load on the memory system: blocks read and written at a rate, counted and checked.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/clock/work.hpp"
#include "core/memory/memory.hpp"
#include "core/openmp/padding.hpp"
#include "core/values/parameters.hpp"
#include "memory/stream/kernels.hpp"

namespace machmeter {

inline constexpr std::size_t load_block_bytes = 1024;
inline constexpr std::size_t load_block_doubles = load_block_bytes / sizeof(double);
static_assert(load_block_bytes % stream::granule_bytes == 0);

enum class Mix : std::uint8_t { read, two_to_one, write };

// Throws UsageError.
inline Mix mix_of(const Parameters& point) {
    return point.choice<Mix>(
        "mix", {{"read", Mix::read}, {"two-to-one", Mix::two_to_one}, {"write", Mix::write}});
}

inline bool writes(Mix mix, std::uint64_t move) {
    return mix == Mix::write || (mix == Mix::two_to_one && move % 3 == 2);
}

// All elements of a block: small whole numbers, so that sums are exact in any order.
inline double content(std::uint64_t number) { return 1 + static_cast<double>(number % 1024); }

// Polled by all loading threads after each block.
struct alignas(polled_bytes) StopFlag {
    std::atomic<bool> raised = false;
};

// The load of one thread. What it should have read and written follows afterwards from the number
// of blocks that it moved.
class Load {
   public:
    Load(std::size_t bytes, std::size_t page_bytes)
        : memory_(bytes, page_bytes), contents_(bytes / load_block_bytes) {}

    // The first touch, by the thread that will run the load.
    void fill() {
        for (std::size_t block = 0; block < contents_.size(); ++block) {
            contents_[block] = content(block);
            std::fill_n(at(block), load_block_doubles, contents_[block]);
        }
    }

    // Moves blocks until `stop`, with so many steps of work after each.
    void run(Mix mix, std::uint64_t rest_steps, const StopFlag& stop) {
        sum_ = 0;
        std::uint64_t move = 0;
        for (std::size_t block = first_; !stop.raised.load(std::memory_order_relaxed);) {
            const stream::Chunk chunk{at(block), at(block), nullptr, load_block_doubles,
                                      content(move)};
            if (writes(mix, move)) {
                stream::write_chunk<stream::Stores::temporal>(chunk);
            } else {
                sum_ += stream::read_chunk(chunk);
            }
            ++move;
            moved_.store(move, std::memory_order_relaxed);
            block = block + 1 == contents_.size() ? 0 : block + 1;
            if (rest_steps > 0) {
                work(move, rest_steps);
            }
        }
    }

    // Blocks moved since `settle`; any thread may call it while the load runs.
    [[nodiscard]] std::uint64_t moved() const { return moved_.load(std::memory_order_relaxed); }

    // Whether the last run read and left what it should; makes ready for the next one.
    bool settle(Mix mix) {
        const std::uint64_t moves = moved_.exchange(0);
        double expected = 0;
        std::size_t block = first_;
        for (std::uint64_t move = 0; move < moves; ++move) {
            if (writes(mix, move)) {
                contents_[block] = content(move);
            } else {
                expected += static_cast<double>(load_block_doubles) * contents_[block];
            }
            block = block + 1 == contents_.size() ? 0 : block + 1;
        }
        const bool right = sum_ == expected && last_blocks_are_right(mix, moves, block);
        first_ = block;
        return right;
    }

    [[nodiscard]] double* at(std::size_t block) const {
        return memory_.as<double>() + block * load_block_doubles;
    }
    [[nodiscard]] const Memory& memory() const { return memory_; }

   private:
    [[nodiscard]] bool last_blocks_are_right(Mix mix, std::uint64_t moves, std::size_t end) const {
        if (mix == Mix::read) {
            return true;
        }
        bool right = true;
        std::size_t block = end;
        for (std::size_t left = std::min<std::uint64_t>(moves, contents_.size()); left > 0;
             --left) {
            block = (block == 0 ? contents_.size() : block) - 1;
            const double expected = contents_[block];
            right = right && std::all_of(at(block), at(block) + load_block_doubles,
                                         [&](double value) { return value == expected; });
        }
        return right;
    }

    Memory memory_;
    std::vector<double> contents_;
    std::size_t first_ = 0;
    double sum_ = 0;
    alignas(polled_bytes) std::atomic<std::uint64_t> moved_ = 0;
};

}  // namespace machmeter
