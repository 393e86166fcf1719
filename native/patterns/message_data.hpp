// Known bytes for messages, so that a receiver can check that it got them and no more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/memory/memory.hpp"
#include "core/values/random_bits.hpp"

namespace machmeter {

// Messages with different names carry different bytes.
struct MessageName {
    std::uint64_t seed = 0;
    std::uint64_t bytes = 0;
    std::uint64_t sender = 0;
    std::uint64_t number = 0;
};

inline std::uint64_t message_key(const MessageName& name) {
    return mix(name.seed ^ mix(name.bytes ^ mix(name.sender ^ mix(name.number + 1))));
}

// Writes `bytes` of the message from its byte `from` on, a multiple of 8.
inline void fill_part(std::byte* data, const MessageName& name, std::uint64_t from,
                      std::uint64_t bytes) {
    const std::uint64_t key = message_key(name);
    for (std::uint64_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
        const std::uint64_t word = mix(key + from + at);
        std::memcpy(data + at, &word, std::min<std::size_t>(sizeof word, bytes - at));
    }
}

inline bool part_is_right(const std::byte* data, const MessageName& name, std::uint64_t from,
                          std::uint64_t bytes) {
    const std::uint64_t key = message_key(name);
    for (std::uint64_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
        const std::uint64_t word = mix(key + from + at);
        if (std::memcmp(data + at, &word, std::min<std::size_t>(sizeof word, bytes - at)) != 0) {
            return false;
        }
    }
    return true;
}

inline void fill_message(std::byte* data, const MessageName& name) {
    fill_part(data, name, 0, name.bytes);
}

inline bool message_is_right(const std::byte* data, const MessageName& name) {
    return part_is_right(data, name, 0, name.bytes);
}

inline constexpr std::size_t guard_bytes = 64;
inline constexpr std::byte guard_value{0xA5};

// A place to receive `bytes` and the guard behind it, without any message's bytes.
inline void prepare_receive(std::byte* data, std::size_t bytes) {
    std::memset(data, static_cast<int>(guard_value), bytes + guard_bytes);
}

inline bool guard_is_whole(const std::byte* data, std::size_t bytes) {
    return std::all_of(data + bytes, data + bytes + guard_bytes,
                       [](std::byte value) { return value == guard_value; });
}

// One buffer to send from and one to receive into, each with a guard behind it, touched by the
// thread that makes them.
class MessageBuffers {
   public:
    MessageBuffers(std::size_t out_bytes, std::size_t in_bytes, std::size_t page_bytes)
        : out_(out_bytes + guard_bytes, page_bytes), in_(in_bytes + guard_bytes, page_bytes) {
        out_.touch();
        in_.touch();
        page_bytes_ = describe({&out_, &in_}).page_bytes;
    }
    MessageBuffers(std::size_t bytes, std::size_t page_bytes)
        : MessageBuffers(bytes, bytes, page_bytes) {}

    [[nodiscard]] std::byte* out() const { return out_.as<std::byte>(); }
    [[nodiscard]] std::byte* in() const { return in_.as<std::byte>(); }
    [[nodiscard]] std::size_t page_bytes() const { return page_bytes_; }

   private:
    Memory out_;
    Memory in_;
    std::size_t page_bytes_ = 0;
};

}  // namespace machmeter
