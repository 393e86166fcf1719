// MPI's calls of collective operations (MPI 3.1, chapter 5 and 7.6; persistent ones MPI 4.0, 6.13):
// for each operation the blocking call, the non-blocking call and the call that prepares a
// persistent request, with the same arguments.
#pragma once

#include <mpi.h>

#include <tuple>
#include <vector>

#include "patterns/collective_blocks.hpp"

// The three calls of an operation; the last is null where the library lacks persistent operations.
// Open MPI 5 has them, though it reports MPI 3.1.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define MACHMETER_CALLS(blocking, nonblocking) &(blocking), &(nonblocking), &blocking##_init
#else
#define MACHMETER_CALLS(blocking, nonblocking) &(blocking), &(nonblocking), nullptr
#endif

namespace machmeter {

// Parts in units of `type`, one behind the other.
struct Places {
    std::vector<int> counts;
    std::vector<int> begins;
};

// All that a call needs. count: of one block, of the own part, or of the elements to reduce.
struct Call {
    const std::byte* out = nullptr;
    std::byte* in = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_BYTE;
    Places out_places;
    Places in_places;
    MPI_Comm group = MPI_COMM_NULL;
};

// prepare is null where the library lacks it.
struct Forms {
    void (*complete)(const Call&) = nullptr;
    void (*start)(const Call&, MPI_Request*) = nullptr;
    void (*prepare)(const Call&, MPI_Request*) = nullptr;
};

// The three calls of one operation; `arguments` gives the arguments before the communicator.
template <auto complete, auto start, auto prepare, auto arguments>
Forms forms_of() {
    Forms forms;
    forms.complete = [](const Call& call) {
        std::apply([&](auto... values) { complete(values..., call.group); }, arguments(call));
    };
    forms.start = [](const Call& call, MPI_Request* request) {
        std::apply([&](auto... values) { start(values..., call.group, request); }, arguments(call));
    };
    if constexpr (prepare != nullptr) {
        forms.prepare = [](const Call& call, MPI_Request* request) {
            std::apply(
                [&](auto... values) { prepare(values..., call.group, MPI_INFO_NULL, request); },
                arguments(call));
        };
    }
    return forms;
}

namespace call_arguments {

inline auto none(const Call&) { return std::tuple<>(); }
inline auto blocks(const Call& call) {
    return std::tuple(call.out, call.count, call.type, call.in, call.count, call.type);
}
inline auto blocks_of_root(const Call& call) {
    return std::tuple_cat(blocks(call), std::tuple(root_rank));
}
inline auto sum(const Call& call) {
    return std::tuple(call.out, call.in, call.count, call.type, MPI_SUM);
}
inline auto sum_at_root(const Call& call) {
    return std::tuple_cat(sum(call), std::tuple(root_rank));
}
inline auto one_place(const Call& call) {
    return std::tuple(call.in, call.count, call.type, root_rank);
}
inline auto parts_in(const Call& call) {
    return std::tuple(call.out, call.count, call.type, call.in, call.in_places.counts.data(),
                      call.in_places.begins.data(), call.type);
}
inline auto parts_in_at_root(const Call& call) {
    return std::tuple_cat(parts_in(call), std::tuple(root_rank));
}
inline auto parts_out_of_root(const Call& call) {
    return std::tuple(call.out, call.out_places.counts.data(), call.out_places.begins.data(),
                      call.type, call.in, call.count, call.type, root_rank);
}
inline auto parts_both(const Call& call) {
    return std::tuple(call.out, call.out_places.counts.data(), call.out_places.begins.data(),
                      call.type, call.in, call.in_places.counts.data(),
                      call.in_places.begins.data(), call.type);
}

}  // namespace call_arguments

inline Forms forms_of(Operation operation) {
    namespace with = call_arguments;
    switch (operation) {
        case Operation::bcast:
            return forms_of<MACHMETER_CALLS(MPI_Bcast, MPI_Ibcast), &with::one_place>();
        case Operation::gather:
            return forms_of<MACHMETER_CALLS(MPI_Gather, MPI_Igather), &with::blocks_of_root>();
        case Operation::scatter:
            return forms_of<MACHMETER_CALLS(MPI_Scatter, MPI_Iscatter), &with::blocks_of_root>();
        case Operation::allgather:
            return forms_of<MACHMETER_CALLS(MPI_Allgather, MPI_Iallgather), &with::blocks>();
        case Operation::reduce:
            return forms_of<MACHMETER_CALLS(MPI_Reduce, MPI_Ireduce), &with::sum_at_root>();
        case Operation::allreduce:
            return forms_of<MACHMETER_CALLS(MPI_Allreduce, MPI_Iallreduce), &with::sum>();
        case Operation::reduce_scatter:
            return forms_of<MACHMETER_CALLS(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block),
                            &with::sum>();
        case Operation::scan:
            return forms_of<MACHMETER_CALLS(MPI_Scan, MPI_Iscan), &with::sum>();
        case Operation::alltoall:
            return forms_of<MACHMETER_CALLS(MPI_Alltoall, MPI_Ialltoall), &with::blocks>();
        case Operation::gatherv:
            return forms_of<MACHMETER_CALLS(MPI_Gatherv, MPI_Igatherv), &with::parts_in_at_root>();
        case Operation::scatterv:
            return forms_of<MACHMETER_CALLS(MPI_Scatterv, MPI_Iscatterv),
                            &with::parts_out_of_root>();
        case Operation::allgatherv:
            return forms_of<MACHMETER_CALLS(MPI_Allgatherv, MPI_Iallgatherv), &with::parts_in>();
        case Operation::alltoallv:
            return forms_of<MACHMETER_CALLS(MPI_Alltoallv, MPI_Ialltoallv), &with::parts_both>();
        case Operation::neighbor_allgather:
            return forms_of<MACHMETER_CALLS(MPI_Neighbor_allgather, MPI_Ineighbor_allgather),
                            &with::blocks>();
        case Operation::neighbor_alltoall:
            return forms_of<MACHMETER_CALLS(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall),
                            &with::blocks>();
        default:
            return forms_of<MACHMETER_CALLS(MPI_Barrier, MPI_Ibarrier), &with::none>();
    }
}

}  // namespace machmeter
