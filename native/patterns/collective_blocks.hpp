// Collective operations as patterns: which block of bytes goes from whom to whom, and where in the
// buffers it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/values/parameters.hpp"

namespace machmeter {

enum class Operation : std::uint8_t {
    barrier,
    bcast,
    gather,
    scatter,
    allgather,
    reduce,
    allreduce,
    reduce_scatter,
    scan,
    alltoall,
    gatherv,
    scatterv,
    allgatherv,
    alltoallv,
    neighbor_allgather,
    neighbor_alltoall,
};

// Throws UsageError.
inline Operation operation_named(std::string_view name) {
    return choose<Operation>("operation", name,
                             {{"barrier", Operation::barrier},
                              {"bcast", Operation::bcast},
                              {"gather", Operation::gather},
                              {"scatter", Operation::scatter},
                              {"allgather", Operation::allgather},
                              {"reduce", Operation::reduce},
                              {"allreduce", Operation::allreduce},
                              {"reduce-scatter", Operation::reduce_scatter},
                              {"scan", Operation::scan},
                              {"alltoall", Operation::alltoall},
                              {"gatherv", Operation::gatherv},
                              {"scatterv", Operation::scatterv},
                              {"allgatherv", Operation::allgatherv},
                              {"alltoallv", Operation::alltoallv},
                              {"neighbor-allgather", Operation::neighbor_allgather},
                              {"neighbor-alltoall", Operation::neighbor_alltoall}});
}

// One that moves data.
inline Operation data_operation_named(std::string_view name) {
    const Operation operation = operation_named(name);
    if (operation == Operation::barrier) {
        throw UsageError("operation: a barrier moves no data: use network.barrier");
    }
    return operation;
}

inline bool is_reduction(Operation operation) {
    return operation == Operation::reduce || operation == Operation::allreduce ||
           operation == Operation::reduce_scatter || operation == Operation::scan;
}

inline bool has_unequal_parts(Operation operation) {
    return operation == Operation::gatherv || operation == Operation::scatterv ||
           operation == Operation::allgatherv || operation == Operation::alltoallv;
}

inline bool is_among_neighbors(Operation operation) {
    return operation == Operation::neighbor_allgather || operation == Operation::neighbor_alltoall;
}

inline constexpr int root_rank = 0;

// Receiver of a block for more than one rank.
inline constexpr std::uint64_t everyone = std::numeric_limits<std::uint64_t>::max();

// One operation as one rank sees it. bytes: of a block, the mean of all ranks where parts are
// unequal; unit: parts are multiples of it; neighbors: in the order of the topology.
struct CollectiveShape {
    Operation operation = Operation::barrier;
    std::uint64_t bytes = 0;
    std::uint64_t unit = 1;
    std::uint64_t ranks = 1;
    std::uint64_t rank = 0;
    std::vector<std::uint64_t> neighbors = {};
};

// `length` bytes at `begin` of the buffer, sent from one rank to another.
struct CollectiveBlock {
    std::uint64_t begin = 0;
    std::uint64_t length = 0;
    std::uint64_t sender = 0;
    std::uint64_t receiver = 0;
};

// Unequal parts grow with the part's number plus 1, from near 0 to near twice the mean; together
// they are `ranks` times the mean.
inline std::uint64_t parts_before(const CollectiveShape& shape, std::uint64_t part) {
    const std::uint64_t units = shape.bytes / shape.unit;
    const std::uint64_t weight = part * (part + 1);
    const std::uint64_t weights = shape.ranks + 1;
    return shape.unit * (units / weights * weight + units % weights * weight / weights);
}

inline std::uint64_t part_bytes(const CollectiveShape& shape, std::uint64_t part) {
    return parts_before(shape, part + 1) - parts_before(shape, part);
}

// What `sender` has for `receiver` where every pair has a part: every rank sends each part once.
inline std::uint64_t pair_bytes(const CollectiveShape& shape, std::uint64_t sender,
                                std::uint64_t receiver) {
    return part_bytes(shape, (sender + receiver) % shape.ranks);
}

// Contiguous blocks; `of(i)` gives length, sender and receiver of block i.
template <class Of>
std::vector<CollectiveBlock> row(std::uint64_t count, Of&& of) {
    std::vector<CollectiveBlock> blocks;
    std::uint64_t begin = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        CollectiveBlock block = of(i);
        block.begin = begin;
        begin += block.length;
        blocks.push_back(block);
    }
    return blocks;
}

// Blocks that this rank sends, in the order of its buffer, its own copy included. None for
// reductions, whose elements belong to no rank.
inline std::vector<CollectiveBlock> outgoing(const CollectiveShape& shape) {
    const std::uint64_t me = shape.rank;
    const bool root = me == root_rank;
    const auto one = [&](std::uint64_t length, std::uint64_t receiver) {
        return row(1, [&](std::uint64_t) { return CollectiveBlock{0, length, me, receiver}; });
    };
    switch (shape.operation) {
        case Operation::bcast:
            return root ? one(shape.bytes, everyone) : std::vector<CollectiveBlock>{};
        case Operation::gather:
            return one(shape.bytes, root_rank);
        case Operation::gatherv:
            return one(part_bytes(shape, me), root_rank);
        case Operation::allgather:
        case Operation::neighbor_allgather:
            return one(shape.bytes, everyone);
        case Operation::allgatherv:
            return one(part_bytes(shape, me), everyone);
        case Operation::scatter:
        case Operation::scatterv:
            return row(root ? shape.ranks : 0, [&](std::uint64_t i) {
                const bool parts = shape.operation == Operation::scatterv;
                return CollectiveBlock{0, parts ? part_bytes(shape, i) : shape.bytes, me, i};
            });
        case Operation::alltoall:
            return row(shape.ranks,
                       [&](std::uint64_t i) { return CollectiveBlock{0, shape.bytes, me, i}; });
        case Operation::alltoallv:
            return row(shape.ranks, [&](std::uint64_t i) {
                return CollectiveBlock{0, pair_bytes(shape, me, i), me, i};
            });
        case Operation::neighbor_alltoall:
            return row(shape.neighbors.size(), [&](std::uint64_t i) {
                return CollectiveBlock{0, shape.bytes, me, shape.neighbors[i]};
            });
        default:
            return {};
    }
}

// Blocks that this rank receives, in the order of its buffer.
inline std::vector<CollectiveBlock> incoming(const CollectiveShape& shape) {
    const std::uint64_t me = shape.rank;
    const bool root = me == root_rank;
    switch (shape.operation) {
        case Operation::bcast:
            return row(root ? 0 : 1, [&](std::uint64_t) {
                return CollectiveBlock{0, shape.bytes, root_rank, everyone};
            });
        case Operation::scatter:
        case Operation::scatterv:
            return row(1, [&](std::uint64_t) {
                const bool parts = shape.operation == Operation::scatterv;
                return CollectiveBlock{0, parts ? part_bytes(shape, me) : shape.bytes, root_rank,
                                       me};
            });
        case Operation::gather:
        case Operation::gatherv:
            return row(root ? shape.ranks : 0, [&](std::uint64_t i) {
                const bool parts = shape.operation == Operation::gatherv;
                return CollectiveBlock{0, parts ? part_bytes(shape, i) : shape.bytes, i, root_rank};
            });
        case Operation::allgather:
            return row(shape.ranks, [&](std::uint64_t i) {
                return CollectiveBlock{0, shape.bytes, i, everyone};
            });
        case Operation::allgatherv:
            return row(shape.ranks, [&](std::uint64_t i) {
                return CollectiveBlock{0, part_bytes(shape, i), i, everyone};
            });
        case Operation::alltoall:
            return row(shape.ranks,
                       [&](std::uint64_t i) { return CollectiveBlock{0, shape.bytes, i, me}; });
        case Operation::alltoallv:
            return row(shape.ranks, [&](std::uint64_t i) {
                return CollectiveBlock{0, pair_bytes(shape, i, me), i, me};
            });
        case Operation::neighbor_allgather:
            return row(shape.neighbors.size(), [&](std::uint64_t i) {
                return CollectiveBlock{0, shape.bytes, shape.neighbors[i], everyone};
            });
        case Operation::neighbor_alltoall:
            return row(shape.neighbors.size(), [&](std::uint64_t i) {
                return CollectiveBlock{0, shape.bytes, shape.neighbors[i], me};
            });
        default:
            return {};
    }
}

inline std::uint64_t bytes_of(const std::vector<CollectiveBlock>& blocks) {
    return blocks.empty() ? 0 : blocks.back().begin + blocks.back().length;
}

// Bytes of the buffer that this rank sends from.
inline std::uint64_t out_bytes(const CollectiveShape& shape) {
    if (!is_reduction(shape.operation)) {
        return bytes_of(outgoing(shape));
    }
    return shape.operation == Operation::reduce_scatter ? shape.ranks * shape.bytes : shape.bytes;
}

// Bytes of the buffer that this rank receives into.
inline std::uint64_t in_bytes(const CollectiveShape& shape) {
    if (!is_reduction(shape.operation)) {
        return bytes_of(incoming(shape));
    }
    const bool gets_none = shape.operation == Operation::reduce && shape.rank != root_rank;
    return gets_none ? 0 : shape.bytes;
}

// Whether every rank has a block for each, which fixes what every pair exchanges.
inline bool is_from_all_to_all(Operation operation) {
    return operation == Operation::alltoall || operation == Operation::alltoallv;
}

// What this rank sends where every rank has a block for each, without its own copy.
struct Traffic {
    std::uint64_t within_host = 0;
    std::uint64_t between_hosts = 0;
};

// hosts: a key of every rank's host, by rank.
inline Traffic traffic_of(const CollectiveShape& shape, const std::vector<std::uint64_t>& hosts) {
    Traffic traffic;
    for (const CollectiveBlock& block : outgoing(shape)) {
        if (hosts[block.receiver] != hosts[shape.rank]) {
            traffic.between_hosts += block.length;
        } else if (block.receiver != shape.rank) {
            traffic.within_host += block.length;
        }
    }
    return traffic;
}

// The unit of displacements of unequal parts: the least power of two of bytes of which `most_count`
// hold the data of all ranks. 0 where a block is not a multiple of it.
inline std::uint64_t part_unit(std::uint64_t bytes, std::uint64_t ranks,
                               std::uint64_t most_count = std::numeric_limits<int>::max()) {
    std::uint64_t unit = 1;
    while (bytes / unit > most_count / ranks) {
        unit *= 2;
    }
    return bytes % unit == 0 ? unit : 0;
}

}  // namespace machmeter
