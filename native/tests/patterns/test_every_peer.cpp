#include <array>
#include <set>
#include <vector>

#include "patterns/every_peer.hpp"
#include "patterns/message_data.hpp"
#include "tests/support/check.hpp"
#include "tests/support/thread_transport.hpp"

namespace machmeter {
namespace {

TEST(in_every_step_all_ranks_send_and_receive_once) {
    for (int ranks = 2; ranks <= 17; ++ranks) {
        for (int step = 1; step < ranks; ++step) {
            std::set<int> receivers;
            for (int rank = 0; rank < ranks; ++rank) {
                const Partners partners = partners_in_step(rank, ranks, step);
                receivers.insert(partners.to);
                CHECK(partners.to != rank);
                CHECK(partners_in_step(partners.to, ranks, step).from == rank);
            }
            CHECK(receivers.size() == static_cast<std::size_t>(ranks));
        }
    }
}

TEST(over_all_steps_every_rank_hears_from_every_other) {
    for (const int ranks : {2, 3, 8}) {
        constexpr std::size_t bytes = 8;
        std::vector<std::array<std::byte, 16 * (bytes + guard_bytes)>> places(
            static_cast<std::size_t>(ranks));
        test::on_ranks(ranks, [&](int rank, auto& transport) {
            std::array<std::byte, bytes> out{};
            fill_message(out.data(), {7, bytes, static_cast<std::uint64_t>(rank), 0});
            contact_everybody(transport, rank, ranks, out.data(), bytes, [&](int step) {
                return places[static_cast<std::size_t>(rank)].data() +
                       static_cast<std::size_t>(step) * (bytes + guard_bytes);
            });
        });
        for (int rank = 0; rank < ranks; ++rank) {
            for (int step = 1; step < ranks; ++step) {
                const auto from =
                    static_cast<std::uint64_t>(partners_in_step(rank, ranks, step).from);
                CHECK(message_is_right(places[static_cast<std::size_t>(rank)].data() +
                                           static_cast<std::size_t>(step) * (bytes + guard_bytes),
                                       {7, bytes, from, 0}));
            }
        }
    }
}

}  // namespace
}  // namespace machmeter
