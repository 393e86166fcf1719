// The parts of a message with work inside it, between two threads that stand in for ranks.
#include <array>
#include <vector>

#include "network/messages/worked_message.hpp"
#include "tests/support/check.hpp"
#include "tests/support/thread_transport.hpp"

namespace machmeter {
namespace {

// Damages what it sends from a size on: no token is that long.
class Damaging : public test::ThreadTransport {
   public:
    Damaging(const test::ThreadTransport& sound, bool damages)
        : test::ThreadTransport(sound), damages_(damages) {}

    Request start_send(int peer, const std::byte* data, std::size_t bytes) {
        std::vector<std::byte> copy(data, data + bytes);
        if (damages_ && bytes > token_bytes) {
            copy.back() ^= std::byte{1};
        }
        return ThreadTransport::start_send(peer, copy.data(), bytes);
    }

   private:
    bool damages_;
};

// Whether each end found the message right.
std::array<bool, 2> found_right(Side side, bool damaged) {
    std::array<bool, 2> right{};
    test::on_ranks(2, [&](int rank, const auto& sound) {
        Damaging transport(sound, damaged);
        constexpr std::size_t bytes = 100;
        std::array<std::byte, bytes + guard_bytes> out{}, in{};
        const Messages messages{out.data(), in.data(), bytes, 0, 1};
        right[static_cast<std::size_t>(rank)] = worked_message_is_right(
            transport, {rank == 0, 1 - rank}, monotonic_clock, side, messages, out.data(), 42, 10);
    });
    return right;
}

TEST(a_message_under_work_arrives_with_its_bytes) {
    for (const Side side : {Side::send, Side::receive}) {
        const std::array<bool, 2> right = found_right(side, false);
        CHECK(right[0] && right[1]);
    }
}

TEST(a_damaged_message_is_found_on_the_side_that_receives) {
    const std::array<bool, 2> sent = found_right(Side::send, true);
    CHECK(sent[0] && !sent[1]);
    const std::array<bool, 2> received = found_right(Side::receive, true);
    CHECK(!received[0] && received[1]);
}

TEST(work_takes_time_in_its_parts_and_the_message_alone_does_not) {
    constexpr std::uint64_t steps = 20'000'000;
    std::array<double, 3> seconds{};
    test::on_ranks(2, [&](int rank, auto& transport) {
        std::array<std::byte, 8 + guard_bytes> out{}, in{};
        const Messages messages{out.data(), in.data(), 8, 0, 1};
        const End end{rank == 0, 1 - rank};
        for (const Part part : parts) {
            const double taken =
                time_part(transport, end, monotonic_clock, Side::send, messages, part, steps);
            if (rank == 0) {
                seconds[static_cast<std::size_t>(part)] = taken;
            }
        }
        const double usual =
            usual_message_seconds(transport, end, monotonic_clock, Side::send, messages);
        CHECK(usual > 0);
    });
    CHECK(seconds[static_cast<std::size_t>(Part::work)] >
          seconds[static_cast<std::size_t>(Part::communication)]);
    CHECK(seconds[static_cast<std::size_t>(Part::total)] >
          seconds[static_cast<std::size_t>(Part::communication)]);
}

}  // namespace
}  // namespace machmeter
