// Windows: places of their own for what is checked, and nothing taken for right that is not.
#include <cstddef>
#include <cstring>

#include "patterns/window.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

constexpr WindowName name{5, 1, 1024};

// What the other end holds when all of a window has come over.
void deliver(const MessageBuffers& buffers, const Messages& messages) {
    for (std::size_t i = 0; i < messages.window; ++i) {
        std::memcpy(messages.in_place(i), messages.out_place(i), messages.bytes);
    }
    CHECK(buffers.in() == messages.in_place(0));
}

TEST(a_window_that_came_over_is_right) {
    for (const std::size_t bytes : {0, 1, 8, 1000}) {
        const MessageBuffers buffers(window_bytes(bytes, 16), 4096);
        const Messages messages = checked_window(buffers, bytes, 16);
        CHECK(messages.window == 16);
        prepare_window(buffers, messages, name);
        CHECK(window_is_right(messages, name) == (bytes == 0));
        deliver(buffers, messages);
        CHECK(window_is_right(messages, name));
    }
}

TEST(one_wrong_byte_in_any_message_or_behind_it_is_seen) {
    const std::size_t bytes = 9;
    const MessageBuffers buffers(window_bytes(bytes, 4), 4096);
    const Messages messages = checked_window(buffers, bytes, 4);
    prepare_window(buffers, messages, name);
    deliver(buffers, messages);
    for (std::size_t at = 0; at < 4 * messages.stride; ++at) {
        buffers.in()[at] ^= std::byte{1};
        CHECK(!window_is_right(messages, name));
        buffers.in()[at] ^= std::byte{1};
    }
    CHECK(window_is_right(messages, name));
}

TEST(messages_that_came_in_each_others_places_are_wrong) {
    const std::size_t bytes = 16;
    const MessageBuffers buffers(window_bytes(bytes, 2), 4096);
    const Messages messages = checked_window(buffers, bytes, 2);
    prepare_window(buffers, messages, name);
    std::memcpy(messages.in_place(0), messages.out_place(1), bytes);
    std::memcpy(messages.in_place(1), messages.out_place(0), bytes);
    CHECK(!window_is_right(messages, name));
}

TEST(another_thread_or_sender_has_other_messages) {
    const MessageBuffers buffers(window_bytes(8, 1), 4096);
    const Messages messages = checked_window(buffers, 8, 1);
    prepare_window(buffers, messages, name);
    deliver(buffers, messages);
    CHECK(!window_is_right(messages, {5, 1, 2048}));
    CHECK(!window_is_right(messages, {5, 0, 1024}));
    CHECK(!window_is_right(messages, {6, 1, 1024}));
}

TEST(of_large_messages_as_many_are_checked_as_fit) {
    CHECK(checked_messages(8, 64) == 64);
    CHECK(checked_messages(1 << 20, 64) == 7);
    CHECK(checked_messages(std::size_t{1} << 32U, 64) == 1);
    CHECK(window_bytes(1 << 20, 64) <= most_checked_bytes);
}

TEST(cold_messages_take_other_places_every_time) {
    const ColdShape shape = cold_shape(8, {4096, 64});
    const MessageBuffers pools(shape.pool_bytes(), 4096);
    ColdPlaces places(pools, shape, 0);
    const ColdMessages messages{places, 8, 2};
    const std::byte* first = messages.in_place(0);
    CHECK(first != messages.in_place(0));
    CHECK(messages.out_place(0) != messages.out_place(1));
}

}  // namespace
}  // namespace machmeter
