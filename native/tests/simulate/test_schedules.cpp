#include <set>
#include <vector>

#include "simulate/collectives.hpp"
#include "simulate/schedules.hpp"
#include "tests/simulate/models.hpp"
#include "tests/support/check.hpp"

namespace machmeter::simulate {
namespace {

using machmeter::test::near;
using test::request_of;

const std::vector<std::uint64_t>& rank_counts() {
    static const std::vector<std::uint64_t> all{2, 3, 4, 5, 7, 8, 12, 13, 16, 24, 31, 32, 63, 64};
    return all;
}

// What each rank knows, where a message carries all that its sender knew at the round's begin.
std::vector<std::set<std::uint64_t>> knowledge(const Schedule& schedule, std::uint64_t ranks) {
    std::vector<std::set<std::uint64_t>> known(ranks);
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        known[rank] = {rank};
    }
    for (std::uint64_t round = 0; round < schedule.rounds; ++round) {
        const std::vector<std::set<std::uint64_t>> before = known;
        for (std::uint64_t rank = 0; rank < ranks; ++rank) {
            const std::uint64_t to = schedule.send(round, rank).to;
            known.at(to).insert(before[rank].begin(), before[rank].end());
        }
    }
    return known;
}

bool everyone_knows_all(const Schedule& schedule, std::uint64_t ranks) {
    for (const std::set<std::uint64_t>& known : knowledge(schedule, ranks)) {
        if (known.size() != ranks) {
            return false;
        }
    }
    return true;
}

bool everyone_knows_the_root(const Schedule& schedule, std::uint64_t ranks) {
    for (const std::set<std::uint64_t>& known : knowledge(schedule, ranks)) {
        if (!known.contains(0)) {
            return false;
        }
    }
    return true;
}

double sent_bytes(const Schedule& schedule, std::uint64_t ranks) {
    double all = 0;
    for (std::uint64_t round = 0; round < schedule.rounds; ++round) {
        for (std::uint64_t rank = 0; rank < ranks; ++rank) {
            const Send send = schedule.send(round, rank);
            all += send.to == rank ? 0 : send.bytes;
        }
    }
    return all;
}

TEST(data_of_every_rank_reach_every_rank) {
    for (const std::uint64_t ranks : rank_counts()) {
        CHECK(everyone_knows_all(schedules::dissemination(ranks), ranks));
        CHECK(everyone_knows_all(schedules::recursive_doubling(ranks, 8, true), ranks));
        CHECK(everyone_knows_all(schedules::rabenseifner(ranks, 8), ranks));
        CHECK(everyone_knows_all(schedules::ring_allreduce(ranks, 8), ranks));
        CHECK(everyone_knows_all(schedules::ring_allgather(ranks, 8), ranks));
        CHECK(everyone_knows_all(schedules::bruck_allgather(ranks, 8), ranks));
        if (std::has_single_bit(ranks)) {
            CHECK(everyone_knows_all(schedules::doubling_allgather(ranks, 8), ranks));
        }
        if (ranks % 2 == 0) {
            CHECK(everyone_knows_all(schedules::neighbor_allgather(ranks, 8), ranks));
        }
    }
}

TEST(a_round_too_few_leaves_someone_without) {
    Schedule cut = schedules::dissemination(16);
    --cut.rounds;
    CHECK(!everyone_knows_all(cut, 16));
}

TEST(trees_reach_all_from_the_root_and_the_root_from_all) {
    for (const std::uint64_t ranks : rank_counts()) {
        CHECK(everyone_knows_the_root(schedules::binomial_down("", ranks, 8, false), ranks));
        CHECK(everyone_knows_the_root(schedules::chain_down(ranks, 64, 8), ranks));
        CHECK(everyone_knows_the_root(schedules::split_binary_tree(ranks, 64, 8), ranks));
        CHECK(knowledge(schedules::binomial_up("", ranks, 8, false, true), ranks)[0].size() ==
              ranks);
        CHECK(knowledge(schedules::chain_up(ranks, 64, 8), ranks)[0].size() == ranks);
    }
}

TEST(bytes_are_those_of_the_algorithm) {
    for (const std::uint64_t ranks : rank_counts()) {
        const auto all = static_cast<double>(ranks);
        const double others = all * (all - 1) * 8;
        CHECK(near(sent_bytes(schedules::ring_allgather(ranks, 8), ranks), others));
        CHECK(near(sent_bytes(schedules::bruck_allgather(ranks, 8), ranks), others));
        CHECK(near(sent_bytes(schedules::pairwise_alltoall(ranks, 8, true), ranks), others));
        CHECK(near(sent_bytes(schedules::ring_allreduce(ranks, 8 * all), ranks), 2 * others));
        CHECK(near(sent_bytes(schedules::chain_down(ranks, 64, 8), ranks), 64 * (all - 1)));
        if (ranks % 2 == 0) {
            CHECK(near(sent_bytes(schedules::neighbor_allgather(ranks, 8), ranks), others));
        }
        if (std::has_single_bit(ranks)) {
            // Every rank sends (1 - 1/P) of the vector in each half.
            CHECK(near(sent_bytes(schedules::rabenseifner(ranks, 8 * all), ranks),
                       2 * 8 * all * (all - 1)));
            CHECK(near(
                sent_bytes(schedules::halving_reduce(ranks, 8 * all), ranks),
                8 * all * (all - 1) + 8 * (all - 1) +
                    8 * (all / 2 * static_cast<double>(std::bit_width(ranks) - 1) - (all - 1))));
        }
    }
}

// Blocks of Bruck's all-to-all: that for a rank `d` away goes by the steps of the bits of d.
TEST(bruck_sends_every_block_by_the_bits_of_its_distance) {
    for (const std::uint64_t ranks : rank_counts()) {
        const Schedule schedule = schedules::bruck_alltoall(ranks, 8);
        for (std::uint64_t round = 0; round < schedule.rounds; ++round) {
            std::uint64_t blocks = 0;
            for (std::uint64_t distance = 1; distance < ranks; ++distance) {
                blocks += distance >> round & 1U;
            }
            CHECK(near(schedule.send(round, 0).bytes, 8.0 * static_cast<double>(blocks)));
        }
        CHECK(schedule.rounds == static_cast<std::uint64_t>(std::bit_width(ranks - 1)));
    }
}

TEST(pairwise_meets_every_rank_once_and_exchanges_where_it_can) {
    for (const std::uint64_t ranks : rank_counts()) {
        const Schedule schedule = schedules::pairwise_alltoall(ranks, 8, true);
        std::set<std::uint64_t> met;
        for (std::uint64_t round = 0; round < schedule.rounds; ++round) {
            const std::uint64_t to = schedule.send(round, 1).to;
            met.insert(to);
            CHECK(!std::has_single_bit(ranks) || schedule.send(round, to).to == 1);
        }
        CHECK(met.size() == ranks - 1 && !met.contains(1));
    }
}

TEST(scatter_and_gather_move_the_blocks_of_their_subtrees) {
    for (const std::uint64_t ranks : rank_counts()) {
        std::vector<double> has(ranks, 0.0);
        has[0] = 8.0 * static_cast<double>(ranks);
        const Schedule down = schedules::binomial_down("", ranks, 8, true);
        std::vector<double> held(ranks, 8.0);
        const Schedule up = schedules::binomial_up("", ranks, 8, true, false);
        for (std::uint64_t round = 0; round < down.rounds; ++round) {
            for (std::uint64_t rank = 0; rank < ranks; ++rank) {
                const Send one = down.send(round, rank);
                has[rank] -= one.to == rank ? 0 : one.bytes;
                has[one.to] += one.to == rank ? 0 : one.bytes;
                const Send other = up.send(round, rank);
                held[rank] -= other.to == rank ? 0 : other.bytes;
                held[other.to] += other.to == rank ? 0 : other.bytes;
            }
        }
        for (std::uint64_t rank = 0; rank < ranks; ++rank) {
            CHECK(near(has[rank], 8));
            CHECK(rank == 0 ? near(held[0], 8.0 * static_cast<double>(ranks)) : held[rank] == 0);
        }
    }
}

TEST(libraries_choose_by_size_and_ranks) {
    CHECK(mpich::allreduce(16, 2048).name == "recursive doubling");
    CHECK(mpich::allreduce(16, 2049).name.find("Rabenseifner") != std::string::npos);
    CHECK(mpich::bcast(16, 12287).name == "binomial");
    CHECK(mpich::bcast(16, 12288).name == "binomial scatter, then recursive doubling");
    CHECK(mpich::bcast(17, 12288).name == "binomial scatter, then ring");
    CHECK(mpich::alltoall(16, 256) == AllToAll::bruck);
    CHECK(mpich::alltoall(16, 257) == AllToAll::linear);
    CHECK(mpich::alltoall(16, 32769) == AllToAll::pairwise);
    CHECK(open_mpi::alltoall(16, 256) == AllToAll::linear);
    CHECK(open_mpi::alltoall(16, 3000) == AllToAll::pairwise);
    CHECK(open_mpi::allreduce(16, 10000).name == "ring");
    CHECK(mpich::allgather(12, 8).name == "Bruck");
    CHECK(open_mpi::allgather(12, 65536).name == "neighbor exchange");
}

}  // namespace
}  // namespace machmeter::simulate
