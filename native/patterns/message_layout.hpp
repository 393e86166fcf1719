// Where the bytes of one message are in memory: contiguous, at a stride, or at listed places.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "patterns/message_data.hpp"

namespace machmeter {

enum class DataLayout : std::uint8_t { contiguous, vector, indexed };

struct Block {
    std::size_t offset;
    std::size_t bytes;
};

// Blocks that repeat every `stride` bytes and hold `payload` bytes of a message each time.
struct BlockPattern {
    std::span<const Block> blocks;
    std::size_t payload;
    std::size_t stride;
};

// Blocks and gaps are whole doubles; both patterns fill half of their memory.
inline constexpr std::array<Block, 1> vector_blocks{{{0, 8}}};
inline constexpr std::array<Block, 4> indexed_blocks{{{0, 8}, {24, 16}, {48, 24}, {88, 16}}};

inline BlockPattern block_pattern(DataLayout layout) {
    return layout == DataLayout::vector ? BlockPattern{vector_blocks, 8, 16}
                                        : BlockPattern{indexed_blocks, 64, 128};
}

inline std::string layout_text(DataLayout layout) {
    switch (layout) {
        case DataLayout::contiguous:
            return "contiguous";
        case DataLayout::vector:
            return "blocks of 8 bytes at a stride of 16 bytes (MPI_Type_vector of MPI_DOUBLE)";
        case DataLayout::indexed:
            return "listed blocks of 8, 16, 24 and 16 bytes within every 128 bytes "
                   "(MPI_Type_create_hindexed of MPI_DOUBLE)";
    }
    return "";
}

// Calls `use(offset, from, bytes)` for every block: its offset in memory, the first byte of the
// message in it, and its length. Only the last block can be shorter.
template <class Use>
void for_each_block(DataLayout layout, std::size_t bytes, Use&& use) {
    if (layout == DataLayout::contiguous) {
        if (bytes > 0) {
            use(std::size_t{0}, std::size_t{0}, bytes);
        }
        return;
    }
    const BlockPattern pattern = block_pattern(layout);
    std::size_t from = 0;
    for (std::size_t origin = 0; from < bytes; origin += pattern.stride) {
        for (const Block& block : pattern.blocks) {
            const std::size_t length = std::min(block.bytes, bytes - from);
            if (length == 0) {
                break;
            }
            use(origin + block.offset, from, length);
            from += length;
        }
    }
}

inline std::size_t block_count(DataLayout layout, std::size_t bytes) {
    if (layout == DataLayout::contiguous) {
        return bytes > 0 ? 1 : 0;
    }
    const BlockPattern pattern = block_pattern(layout);
    std::size_t count = bytes / pattern.payload * pattern.blocks.size();
    for_each_block(layout, bytes % pattern.payload,
                   [&](std::size_t, std::size_t, std::size_t) { ++count; });
    return count;
}

// Bytes of memory from the message's first byte to its last.
inline std::size_t extent_of(DataLayout layout, std::size_t bytes) {
    if (layout == DataLayout::contiguous || bytes == 0) {
        return bytes;
    }
    const BlockPattern pattern = block_pattern(layout);
    const std::size_t repeats = (bytes - 1) / pattern.payload;
    std::size_t end = 0;
    for_each_block(
        layout, bytes - repeats * pattern.payload,
        [&](std::size_t offset, std::size_t, std::size_t length) { end = offset + length; });
    return repeats * pattern.stride + end;
}

// Between the blocks of what is sent; no receiver may see it.
inline constexpr std::byte unsent_value{0x5A};

inline void fill_laid_out(std::byte* data, DataLayout layout, const MessageName& name) {
    std::memset(data, static_cast<int>(unsent_value), extent_of(layout, name.bytes));
    for_each_block(layout, name.bytes,
                   [&](std::size_t offset, std::size_t from, std::size_t length) {
                       fill_part(data + offset, name, from, length);
                   });
}

// After `prepare_receive` of the extent: every byte in its block, nothing written between the
// blocks or behind the last.
inline bool laid_out_is_right(const std::byte* data, DataLayout layout, const MessageName& name) {
    bool right = guard_is_whole(data, extent_of(layout, name.bytes));
    std::size_t end = 0;
    for_each_block(layout, name.bytes,
                   [&](std::size_t offset, std::size_t from, std::size_t length) {
                       right = right &&
                               std::all_of(data + end, data + offset,
                                           [](std::byte value) { return value == guard_value; }) &&
                               part_is_right(data + offset, name, from, length);
                       end = offset + length;
                   });
    return right;
}

}  // namespace machmeter
