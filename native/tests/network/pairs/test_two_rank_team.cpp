#include <array>
#include <vector>

#include "core/session/team_sampling.hpp"
#include "network/pairs/two_rank_team.hpp"
#include "tests/support/check.hpp"
#include "tests/support/thread_transport.hpp"

namespace machmeter {
namespace {

static_assert(SteppingTeam<TwoRankTeam<test::ThreadTransport>>);

TEST(the_second_end_takes_the_first_ones_value) {
    std::array<double, 2> taken{};
    test::on_ranks(2, [&](int rank, auto& transport) {
        TwoRankTeam team(transport, {rank == 0, 1 - rank});
        team.barrier();
        taken[static_cast<std::size_t>(rank)] = team.broadcast(rank == 0 ? 0.1 : 7.0);
    });
    CHECK(taken[0] == 0.1 && taken[1] == 0.1);
}

TEST(both_must_agree_for_the_first_end) {
    for (const bool first : {true, false}) {
        for (const bool second : {true, false}) {
            bool agreed = false;
            test::on_ranks(2, [&](int rank, auto& transport) {
                TwoRankTeam team(transport, {rank == 0, 1 - rank});
                const bool both = team.both(rank == 0 ? first : second);
                if (rank == 0) {
                    agreed = both;
                }
            });
            CHECK(agreed == (first && second));
        }
    }
}

TEST(pairs_sample_in_step_at_the_same_time) {
    std::array<std::size_t, 4> samples{};
    std::array<std::uint64_t, 4> events{};
    test::on_ranks(4, [&](int rank, auto& transport) {
        const End end{rank < 2, (rank + 2) % 4};
        TwoRankTeam team(transport, end);
        const auto number = static_cast<std::size_t>(rank);
        // The second ends would plan otherwise.
        const SamplingLimits limits{rank < 2 ? 20U : 500U, 8, 10.0};
        Event event(monotonic_clock, [&](std::uint64_t count) {
            std::array<std::byte, 8> data{};
            ping_pong(transport, end, data.data(), data.data(), data.size(), count);
        });
        samples[number] = sample_together(team, {25e-9, 1e-9}, limits, 0.05, event).seconds.size();
        events[number] = event.rounds();
    });
    CHECK(samples[0] == 20 && samples[1] == 20);
    CHECK(events[0] == events[2] && events[1] == events[3]);
}

}  // namespace
}  // namespace machmeter
