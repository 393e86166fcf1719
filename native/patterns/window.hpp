// Windows of messages: their places, and whether all messages of one arrived.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "patterns/cold_places.hpp"
#include "patterns/message_data.hpp"
#include "patterns/pair.hpp"

namespace machmeter {

inline constexpr std::uint64_t most_window = 1024;

// Checked messages have adjacent places, as many of a window as fit into this.
inline constexpr std::size_t most_checked_bytes = std::size_t{8} * 1024 * 1024;

inline std::size_t slot_bytes(std::size_t message_bytes) { return message_bytes + guard_bytes; }

inline std::size_t checked_messages(std::size_t message_bytes, std::size_t window) {
    return std::clamp<std::size_t>(most_checked_bytes / slot_bytes(message_bytes), 1, window);
}

// Bytes to send from, and as many to receive into, for a window and its check.
inline std::size_t window_bytes(std::size_t message_bytes, std::size_t window) {
    return checked_messages(message_bytes, window) * slot_bytes(message_bytes);
}

// All messages are sent from one place and received at one. buffers: have `out()` and `in()`.
template <class Buffers>
Messages reused_window(const Buffers& buffers, std::size_t bytes, std::size_t window) {
    return {buffers.out(), buffers.in(), bytes, 0, window};
}

// Every message has its own places.
template <class Buffers>
Messages checked_window(const Buffers& buffers, std::size_t bytes, std::size_t window) {
    return {buffers.out(), buffers.in(), bytes, slot_bytes(bytes), checked_messages(bytes, window)};
}

// Every message takes the next of many places.
struct ColdMessages {
    ColdPlaces& places;
    std::size_t bytes;
    std::size_t window;

    [[nodiscard]] std::byte* out_place(std::size_t /*i*/) const { return places.next_out(); }
    [[nodiscard]] std::byte* in_place(std::size_t /*i*/) const { return places.next_in(); }
};

// Messages of a window are numbered from `first_number`.
struct WindowName {
    std::uint64_t seed = 0;
    std::uint64_t sender = 0;
    std::uint64_t first_number = 0;

    [[nodiscard]] MessageName of(std::size_t i, std::size_t bytes) const {
        return {seed, bytes, sender, first_number + i};
    }
};

// Fills the messages to send with known bytes and the places to receive with none.
inline void prepare_window(const MessageBuffers& buffers, const Messages& messages,
                           const WindowName& name) {
    for (std::size_t i = 0; i < messages.window; ++i) {
        fill_message(buffers.out() + i * messages.stride, name.of(i, messages.bytes));
        prepare_receive(messages.in_place(i), messages.bytes);
    }
}

inline bool window_is_right(const Messages& messages, const WindowName& name) {
    bool right = true;
    for (std::size_t i = 0; i < messages.window; ++i) {
        const std::byte* place = messages.in_place(i);
        right = right && message_is_right(place, name.of(i, messages.bytes)) &&
                guard_is_whole(place, messages.bytes);
    }
    return right;
}

}  // namespace machmeter
