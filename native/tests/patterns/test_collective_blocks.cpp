// Blocks of collective operations: what one rank expects, another sends; and sums of reductions.
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "patterns/collective_blocks.hpp"
#include "patterns/reduction_data.hpp"
#include "tests/support/check.hpp"

namespace {

using machmeter::CollectiveBlock;
using machmeter::CollectiveShape;
using machmeter::Operation;

constexpr Operation moving[] = {Operation::bcast,
                                Operation::gather,
                                Operation::scatter,
                                Operation::allgather,
                                Operation::alltoall,
                                Operation::gatherv,
                                Operation::scatterv,
                                Operation::allgatherv,
                                Operation::alltoallv,
                                Operation::neighbor_allgather,
                                Operation::neighbor_alltoall};

CollectiveShape shape(Operation operation, std::uint64_t bytes, std::uint64_t ranks,
                      std::uint64_t rank) {
    return {operation, bytes, 1, ranks, rank, {(rank + ranks - 1) % ranks, (rank + 1) % ranks}};
}

TEST(every_block_that_is_expected_is_sent) {
    for (const Operation operation : moving) {
        for (const std::uint64_t ranks : {2, 3, 8, 13}) {
            for (const std::uint64_t bytes : {1, 7, 1000}) {
                std::map<std::tuple<std::uint64_t, std::uint64_t>, std::uint64_t> sent;
                for (std::uint64_t rank = 0; rank < ranks; ++rank) {
                    for (const CollectiveBlock& block :
                         machmeter::outgoing(shape(operation, bytes, ranks, rank))) {
                        CHECK(block.sender == rank);
                        sent[{block.sender, block.receiver}] = block.length;
                    }
                }
                for (std::uint64_t rank = 0; rank < ranks; ++rank) {
                    for (const CollectiveBlock& block :
                         machmeter::incoming(shape(operation, bytes, ranks, rank))) {
                        CHECK(block.receiver == rank || block.receiver == machmeter::everyone);
                        const auto found = sent.find({block.sender, block.receiver});
                        CHECK(found != sent.end() && found->second == block.length);
                    }
                }
            }
        }
    }
}

TEST(blocks_lie_one_behind_the_other) {
    const auto blocks = machmeter::outgoing(shape(Operation::alltoallv, 100, 4, 1));
    CHECK(blocks.size() == 4 && blocks[0].begin == 0);
    for (std::size_t i = 1; i < blocks.size(); ++i) {
        CHECK(blocks[i].begin == blocks[i - 1].begin + blocks[i - 1].length);
    }
    CHECK(machmeter::bytes_of(blocks) == 400);
    CHECK(machmeter::bytes_of({}) == 0);
}

TEST(unequal_parts_differ_and_average_to_the_size) {
    for (const std::uint64_t ranks : {2, 5, 64}) {
        for (const std::uint64_t bytes : {1, 1000, 4097}) {
            const CollectiveShape one = shape(Operation::gatherv, bytes, ranks, 0);
            std::uint64_t sum = 0;
            for (std::uint64_t part = 0; part < ranks; ++part) {
                sum += machmeter::part_bytes(one, part);
            }
            CHECK(sum == ranks * bytes);
            CHECK(bytes == 1 || machmeter::part_bytes(one, 0) < bytes);
            CHECK(bytes == 1 || machmeter::part_bytes(one, ranks - 1) > bytes);
        }
    }
    CHECK(machmeter::parts_before(shape(Operation::gatherv, std::uint64_t{1} << 36U, 100'000, 0),
                                  100'000) == 100'000 * (std::uint64_t{1} << 36U));
}

TEST(parts_beyond_what_an_int_counts_are_counted_in_units) {
    CHECK(machmeter::part_unit(1000, 8) == 1);
    CHECK(machmeter::part_unit(std::uint64_t{1} << 30U, 2) == 2);
    CHECK(machmeter::part_unit((std::uint64_t{1} << 30U) + 1, 2) == 0);
    CollectiveShape large = shape(Operation::allgatherv, std::uint64_t{1} << 32U, 6, 0);
    large.unit = machmeter::part_unit(large.bytes, large.ranks);
    CHECK(large.unit == 16);
    for (const CollectiveBlock& block : machmeter::incoming(large)) {
        CHECK(block.length % large.unit == 0 && block.begin % large.unit == 0);
        CHECK(block.begin / large.unit <= 2147483647);
    }
    CHECK(machmeter::in_bytes(large) == 6 * large.bytes);
}

TEST(traffic_tells_hosts_apart_and_leaves_own_copies_out) {
    const std::vector<std::uint64_t> two_hosts{7, 9, 7, 9, 9};
    for (std::uint64_t rank = 0; rank < 5; ++rank) {
        const machmeter::Traffic equal =
            machmeter::traffic_of(shape(Operation::alltoall, 10, 5, rank), two_hosts);
        CHECK(equal.within_host == (two_hosts[rank] == 7 ? 10 : 20));
        CHECK(equal.within_host + equal.between_hosts == 40);
        const CollectiveShape unequal = shape(Operation::alltoallv, 90, 5, rank);
        const machmeter::Traffic parts = machmeter::traffic_of(unequal, two_hosts);
        CHECK(parts.within_host + parts.between_hosts ==
              machmeter::out_bytes(unequal) - machmeter::pair_bytes(unequal, rank, rank));
        const machmeter::Traffic alone = machmeter::traffic_of(unequal, {1, 1, 1, 1, 1});
        CHECK(alone.between_hosts == 0);
        CHECK(alone.within_host == parts.within_host + parts.between_hosts);
    }
}

TEST(a_barrier_moves_no_data) {
    CHECK(machmeter::data_operation_named("bcast") == Operation::bcast);
    CHECK_THROWS(machmeter::UsageError, "network.barrier",
                 machmeter::data_operation_named("barrier"));
}

TEST(buffers_hold_what_a_reduction_takes_and_gives) {
    CHECK(machmeter::out_bytes(shape(Operation::reduce_scatter, 8, 4, 2)) == 32);
    CHECK(machmeter::in_bytes(shape(Operation::reduce_scatter, 8, 4, 2)) == 8);
    CHECK(machmeter::in_bytes(shape(Operation::reduce, 8, 4, 0)) == 8);
    CHECK(machmeter::in_bytes(shape(Operation::reduce, 8, 4, 1)) == 0);
    CHECK(machmeter::out_bytes(shape(Operation::barrier, 8, 4, 1)) == 0);
}

TEST(names_that_are_not_known_are_refused) {
    CHECK(machmeter::operation_named("reduce-scatter") == Operation::reduce_scatter);
    CHECK(machmeter::operation_named("neighbor-alltoall") == Operation::neighbor_alltoall);
    CHECK_THROWS(machmeter::UsageError, "operation: 'exscan'",
                 machmeter::operation_named("exscan"));
    CHECK_THROWS(machmeter::UsageError, "datatype: 'half'", machmeter::element_named("half"));
}

// The sum of all ranks as a library would make it, in the element's own arithmetic.
template <class T>
std::vector<T> summed(std::uint64_t ranks, std::uint64_t count) {
    std::vector<T> sums(count);
    std::vector<T> own(count);
    for (std::uint64_t rank = ranks; rank-- > 0;) {
        machmeter::fill_elements(own.data(), count, 7, ranks, rank);
        for (std::uint64_t i = 0; i < count; ++i) {
            sums[i] = static_cast<T>(sums[i] + own[i]);
        }
    }
    return sums;
}

template <class T>
void check_sums(std::uint64_t ranks) {
    constexpr std::uint64_t count = 3000;
    std::vector<T> sums = summed<T>(ranks, count);
    const auto right = [&](std::uint64_t first) {
        return machmeter::sums_are_right(sums.data() + first, count - first, 7, ranks, ranks - 1,
                                         first);
    };
    CHECK(right(0));
    CHECK(right(1500));
    CHECK(!machmeter::sums_are_right(sums.data(), count, 7, ranks, ranks - 2, 0));
    CHECK(!machmeter::sums_are_right(sums.data() + 1, count - 1, 7, ranks, ranks - 1, 0));
    sums[2999] = static_cast<T>(sums[2999] + 1);
    CHECK(!right(0));
}

TEST(sums_are_exact_in_any_order_and_an_error_shows) {
    for (const std::uint64_t ranks : {2, 8, 130, 1000}) {
        check_sums<float>(ranks);
        check_sums<double>(ranks);
        check_sums<std::int32_t>(ranks);
        check_sums<signed char>(ranks);
    }
}

}  // namespace
