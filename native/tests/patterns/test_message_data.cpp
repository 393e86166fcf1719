// Bytes of messages: distinguished by every part of their name, and never taken for right when
// wrong.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "patterns/message_data.hpp"
#include "tests/support/check.hpp"

namespace {

using machmeter::guard_bytes;
using machmeter::MessageName;

std::vector<std::byte> filled(const MessageName& name) {
    std::vector<std::byte> data(name.bytes + guard_bytes);
    machmeter::prepare_receive(data.data(), name.bytes);
    machmeter::fill_message(data.data(), name);
    return data;
}

TEST(what_was_filled_is_right_at_odd_sizes) {
    for (const std::uint64_t bytes : {0, 1, 7, 8, 9, 63, 4096, 4099}) {
        const MessageName name{5, bytes, 1, 3};
        const std::vector<std::byte> data = filled(name);
        CHECK(machmeter::message_is_right(data.data(), name));
        CHECK(machmeter::guard_is_whole(data.data(), bytes));
    }
}

TEST(any_changed_byte_is_seen) {
    const MessageName name{5, 19, 0, 0};
    for (std::size_t at = 0; at < name.bytes; ++at) {
        std::vector<std::byte> data = filled(name);
        data[at] ^= std::byte{1};
        CHECK(!machmeter::message_is_right(data.data(), name));
    }
}

TEST(parts_together_are_the_message) {
    const MessageName name{5, 43, 1, 0};
    const std::vector<std::byte> whole = filled(name);
    std::vector<std::byte> parts(name.bytes);
    machmeter::fill_part(parts.data(), name, 0, 24);
    machmeter::fill_part(parts.data() + 24, name, 24, 19);
    CHECK(std::equal(parts.begin(), parts.end(), whole.begin()));
    CHECK(machmeter::part_is_right(whole.data() + 24, name, 24, 19));
    CHECK(!machmeter::part_is_right(whole.data() + 24, name, 16, 19));
}

TEST(another_name_is_another_message) {
    const MessageName name{5, 16, 0, 0};
    const std::vector<std::byte> data = filled(name);
    CHECK(!machmeter::message_is_right(data.data(), {6, 16, 0, 0}));
    CHECK(!machmeter::message_is_right(data.data(), {5, 8, 0, 0}));
    CHECK(!machmeter::message_is_right(data.data(), {5, 16, 1, 0}));
    CHECK(!machmeter::message_is_right(data.data(), {5, 16, 0, 1}));
}

TEST(a_place_that_was_only_prepared_is_not_right) {
    std::vector<std::byte> data(8 + guard_bytes);
    machmeter::prepare_receive(data.data(), 8);
    CHECK(!machmeter::message_is_right(data.data(), {5, 8, 0, 0}));
}

TEST(a_byte_too_many_breaks_the_guard) {
    std::vector<std::byte> data = filled({5, 8, 0, 0});
    data[8] = std::byte{0};
    CHECK(!machmeter::guard_is_whole(data.data(), 8));
}

}  // namespace
