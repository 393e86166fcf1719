#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "patterns/every_peer.hpp"
#include "simulate/events/ranks.hpp"
#include "tests/simulate/models.hpp"
#include "tests/support/check.hpp"

namespace machmeter::simulate {
namespace {

using machmeter::test::near;
using test::request_of;

constexpr double overhead = 3e-7;
constexpr double way = 7e-7;

TEST(a_message_that_comes_early_waits_for_its_receiver) {
    const Machine machine(request_of(3, 1));
    Ranks ranks(machine);
    ranks.run([](std::uint64_t rank, RankTransport& transport) {
        if (rank == 0) {
            transport.send(1, nullptr, 0);
        } else if (rank == 2) {
            // Takes a while: a rendezvous.
            transport.send(1, nullptr, 1'000'000);
        } else {
            transport.receive(2, nullptr, 1'000'000);
            transport.receive(0, nullptr, 0);
        }
    });
    CHECK(near(ranks.clock(0), overhead));
    const double long_one = machine.message(2, 1, 1e6).seconds();
    CHECK(near(ranks.clock(1), long_one + overhead));
    CHECK(near(ranks.clock(2), long_one - way - overhead));
}

TEST(messages_of_one_sender_arrive_in_their_order) {
    const Machine machine(request_of(2, 1));
    Ranks ranks(machine);
    double first = 0;
    ranks.run([&](std::uint64_t rank, RankTransport& transport) {
        if (rank == 0) {
            transport.send(1, nullptr, 8000);
            transport.send(1, nullptr, 0);
        } else {
            transport.receive(0, nullptr, 8000);
            first = ranks.clock(1);
            transport.receive(0, nullptr, 0);
        }
    });
    CHECK(near(first, machine.message(0, 1, 8000).seconds()));
    CHECK(near(ranks.clock(1), first + overhead));
}

TEST(a_rendezvous_waits_for_the_receiver_and_an_eager_message_does_not) {
    const Machine machine(request_of(3, 1));
    const auto sender = [&](std::size_t bytes) {
        Ranks ranks(machine);
        ranks.run([&](std::uint64_t rank, RankTransport& transport) {
            if (rank == 0) {
                transport.send(1, nullptr, bytes);
            } else if (rank == 1) {
                // Busy with another rank for a while.
                ping_pong(transport, {true, 2}, nullptr, nullptr, 8, 10);
                transport.receive(0, nullptr, bytes);
            } else {
                ping_pong(transport, {false, 1}, nullptr, nullptr, 8, 10);
            }
        });
        return ranks.clock(0);
    };
    const double busy = 20 * machine.message(1, 2, 8).seconds();
    CHECK(near(sender(8000), overhead));
    CHECK(near(sender(80000), busy + machine.message(0, 1, 80000).seconds() - way - overhead));
}

TEST(a_message_that_queues_at_its_sender_holds_up_no_other_at_its_receiver) {
    const Machine machine(request_of(5, 1));
    Ranks ranks(machine);
    ranks.run([&](std::uint64_t rank, RankTransport& transport) {
        if (rank == 0) {
            // The last one waits for the NIC until 16 us, and is ready at 6.3 us.
            for (int i = 0; i < 20; ++i) {
                transport.send(1, nullptr, 8000);
            }
            transport.send(2, nullptr, 8000);
        } else if (rank == 3) {
            for (int i = 0; i < 25; ++i) {
                transport.send(4, nullptr, 0);
            }
            transport.send(2, nullptr, 8000);
        } else if (rank == 2) {
            transport.receive(3, nullptr, 8000);
        }
    });
    CHECK(near(ranks.clock(2), 25 * overhead + machine.message(3, 2, 8000).seconds()));
}

TEST(every_byte_passes_the_nics_of_all_ranks) {
    // Long enough that bytes take longer than CPUs.
    constexpr std::size_t bytes = 65536;
    for (const std::uint64_t nodes : {2, 5, 16}) {
        const Machine machine(request_of(nodes, 2, "torus", {2, 2, 4}, 32));
        Ranks ranks(machine);
        const auto count = static_cast<int>(machine.ranks());
        ranks.run([&](std::uint64_t rank, RankTransport& transport) {
            contact_everybody(transport, static_cast<int>(rank), count, nullptr, bytes,
                              [](int /*step*/) { return nullptr; });
        });
        // Each of the two ranks of a node sends to all ranks of other nodes.
        const double out = 2.0 * bytes * static_cast<double>(count - 2);
        for (std::uint64_t rank = 0; rank < machine.ranks(); ++rank) {
            CHECK(ranks.clock(rank) > out / 1e10);
        }
    }
}

TEST(ranks_that_wait_for_nobody_are_named_and_end) {
    const Machine machine(request_of(2, 1));
    Ranks ranks(machine);
    CHECK_THROWS(std::logic_error, "wait for messages that nobody sends",
                 ranks.run([](std::uint64_t rank, RankTransport& transport) {
                     const std::vector<int> owned(1000, 1);
                     transport.receive(static_cast<int>(1 - rank), nullptr, owned.size());
                 }));
}

TEST(of_several_ranks_that_throw_the_first_is_told) {
    const Machine machine(request_of(4, 1));
    Ranks ranks(machine);
    CHECK_THROWS(std::runtime_error, "of rank 0",
                 ranks.run([](std::uint64_t rank, RankTransport& /*transport*/) {
                     throw std::runtime_error("of rank " + std::to_string(rank));
                 }));
}

TEST(what_a_rank_throws_ends_the_run) {
    const Machine machine(request_of(2, 1));
    Ranks ranks(machine);
    CHECK_THROWS(std::runtime_error, "of rank 1",
                 ranks.run([](std::uint64_t rank, RankTransport& transport) {
                     const std::vector<int> owned(1000, 1);
                     if (rank == 1) {
                         throw std::runtime_error("of rank 1");
                     }
                     transport.receive(1, nullptr, owned.size());
                 }));
}

}  // namespace
}  // namespace machmeter::simulate
