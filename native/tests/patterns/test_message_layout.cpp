// Messages of non-contiguous bytes: every byte has one place, and gaps and guard are watched.
#include <cstddef>
#include <vector>

#include "patterns/message_layout.hpp"
#include "tests/support/check.hpp"

namespace {

using machmeter::DataLayout;
using machmeter::extent_of;
using machmeter::MessageName;

constexpr DataLayout layouts[]{DataLayout::contiguous, DataLayout::vector, DataLayout::indexed};
constexpr std::size_t sizes[]{0, 1, 7, 8, 9, 24, 63, 64, 65, 1000, 4099};

// As a receiver holds it that got exactly the blocks of a message.
std::vector<std::byte> received(DataLayout layout, const MessageName& name) {
    const std::size_t extent = extent_of(layout, name.bytes);
    std::vector<std::byte> sent(extent);
    machmeter::fill_laid_out(sent.data(), layout, name);
    std::vector<std::byte> place(extent + machmeter::guard_bytes);
    machmeter::prepare_receive(place.data(), extent);
    machmeter::for_each_block(layout, name.bytes,
                              [&](std::size_t offset, std::size_t, std::size_t bytes) {
                                  std::memcpy(place.data() + offset, sent.data() + offset, bytes);
                              });
    return place;
}

TEST(blocks_hold_the_whole_message_in_order_and_end_at_the_extent) {
    for (const DataLayout layout : layouts) {
        for (const std::size_t size : sizes) {
            std::size_t next = 0;
            std::size_t end = 0;
            std::size_t blocks = 0;
            machmeter::for_each_block(layout, size,
                                      [&](std::size_t offset, std::size_t from, std::size_t bytes) {
                                          CHECK(from == next);
                                          CHECK(offset >= end);
                                          CHECK(bytes > 0);
                                          next += bytes;
                                          end = offset + bytes;
                                          ++blocks;
                                      });
            CHECK(next == size);
            CHECK(end == extent_of(layout, size));
            CHECK(blocks == machmeter::block_count(layout, size));
        }
    }
}

TEST(apart_means_half_of_the_memory) {
    CHECK(extent_of(DataLayout::contiguous, 4096) == 4096);
    CHECK(extent_of(DataLayout::vector, 4096) == 8192 - 8);
    CHECK(extent_of(DataLayout::indexed, 4096) == 8192 - 24);
    CHECK(machmeter::block_count(DataLayout::vector, 4096) == 512);
    CHECK(machmeter::block_count(DataLayout::indexed, 4096) == 256);
}

TEST(extents_beyond_an_int_are_counted) {
    constexpr std::size_t bytes = (std::size_t{1} << 31U) + 8;
    CHECK(extent_of(DataLayout::vector, bytes) == 2 * bytes - 8);
}

TEST(what_arrived_block_by_block_is_right) {
    for (const DataLayout layout : layouts) {
        for (const std::size_t size : sizes) {
            const MessageName name{5, size, 1, 0};
            CHECK(machmeter::laid_out_is_right(received(layout, name).data(), layout, name));
        }
    }
}

TEST(any_changed_byte_is_seen_be_it_in_a_block_a_gap_or_the_guard) {
    for (const DataLayout layout : layouts) {
        const MessageName name{5, 131, 1, 0};
        const std::vector<std::byte> right = received(layout, name);
        for (std::size_t at = 0; at < right.size(); ++at) {
            std::vector<std::byte> wrong = right;
            wrong[at] ^= std::byte{1};
            CHECK(!machmeter::laid_out_is_right(wrong.data(), layout, name));
        }
    }
}

TEST(a_library_that_copies_the_gaps_too_is_seen) {
    for (const DataLayout layout : {DataLayout::vector, DataLayout::indexed}) {
        const MessageName name{5, 100, 1, 0};
        const std::size_t extent = extent_of(layout, name.bytes);
        std::vector<std::byte> place(extent + machmeter::guard_bytes);
        machmeter::prepare_receive(place.data(), extent);
        machmeter::fill_laid_out(place.data(), layout, name);
        CHECK(!machmeter::laid_out_is_right(place.data(), layout, name));
    }
}

TEST(a_layout_takes_the_bytes_of_its_own_message_only) {
    const MessageName name{5, 64, 1, 0};
    const std::vector<std::byte> place = received(DataLayout::vector, name);
    CHECK(!machmeter::laid_out_is_right(place.data(), DataLayout::vector, {5, 64, 0, 0}));
    CHECK(!machmeter::laid_out_is_right(place.data(), DataLayout::indexed, name));
}

}  // namespace
