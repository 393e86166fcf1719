// network.collective: one operation of all ranks, begun together; the last to complete sets the
// time.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mpi/runtime.hpp"
#include "network/collectives/session.hpp"

namespace machmeter {
namespace {

struct Request {
    Operation operation;
    std::uint64_t bytes;
    Form form;
    Start start;
    Element element;
};

Request request_of(const Parameters& point) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 36U;
    return {data_operation_named(point.text("operation")),
            point.count_within("size", 1, most_bytes), form_of(point), start_of(point),
            element_named(point.text("datatype"))};
}

std::string block_text(Operation operation) {
    switch (operation) {
        case Operation::bcast:
            return "the root's bytes, at every rank";
        case Operation::reduce:
        case Operation::allreduce:
        case Operation::scan:
            return "what every rank contributes to the sum, element by element";
        case Operation::reduce_scatter:
            return "what every rank gets of the sum (MPI_Reduce_scatter_block)";
        case Operation::alltoall:
            return "what every rank has for each other";
        case Operation::alltoallv:
            return "the mean of what a rank has for another; that of rank s for rank d grows with "
                   "(s + d) modulo ranks, from 2 / (ranks + 1) to nearly twice the mean";
        case Operation::gatherv:
        case Operation::scatterv:
        case Operation::allgatherv:
            return "the mean of the ranks' parts, which grow with the rank's number, from "
                   "2 / (ranks + 1) to nearly twice the mean";
        case Operation::neighbor_allgather:
            return "what every rank has for its neighbors";
        case Operation::neighbor_alltoall:
            return "what every rank has for each neighbor";
        default:
            return "every rank's part";
    }
}

std::string form_text(Form form) {
    switch (form) {
        case Form::nonblocking:
            return "the non-blocking call, then MPI_Wait";
        case Form::persistent:
            return "MPI_Start, then MPI_Wait; prepared once, before";
        default:
            return "the blocking call";
    }
}

// What leaves a node where there are several, else what its ranks send to one another.
void describe_injection(PointResult& result, const CollectiveShape& shape,
                        const CollectiveSession& together) {
    const RankHosts& hosts = together.hosts();
    const Traffic mine = traffic_of(shape, hosts.hosts());
    double within = 0;
    double between = 0;
    for (const std::vector<double>& one : together.team().gather(
             {static_cast<double>(mine.within_host), static_cast<double>(mine.between_hosts)})) {
        within += one[0];
        between += one[1];
    }
    const auto nodes = static_cast<double>(hosts.nodes());
    const bool several = hosts.nodes() > 1;
    result.quantity("bytes_per_node", (several ? between : within) / nodes)
        .quantity("intra_node_bytes", within / nodes);
    result.attribute("injection", several ? "bytes that the ranks of one node send to ranks of "
                                            "other nodes, mean of the nodes"
                                          : "bytes that the ranks of the only node send to one "
                                            "another, without own copies");
}

void describe_operation(PointResult& result, const Request& request, const CollectiveShape& shape,
                        CollectiveSession& together) {
    result.quantity("bytes", request.bytes);
    result.attribute("size", block_text(request.operation))
        .attribute("calls", form_text(request.form))
        .attribute("event", "one operation, until the last rank has completed it")
        .attribute("root", "rank 0, where there is one")
        .attribute("buffer", "reused");
    if (is_among_neighbors(request.operation)) {
        result.attribute("neighbors", together.neighbor_text());
    }
    if (is_reduction(request.operation) && request.element == Element::char_) {
        result.attribute("datatype", "MPI_SIGNED_CHAR: MPI does not sum MPI_CHAR");
    }
    if (counted_bytes(shape) > 1) {
        result.attribute("data", "counted in units of " + std::to_string(counted_bytes(shape)) +
                                     " bytes, a derived datatype of contiguous bytes: an int "
                                     "cannot count so many single ones");
    }
    if (is_from_all_to_all(request.operation)) {
        describe_injection(result, shape, together);
    }
}

// One more operation with known data over the same buffers.
bool arrives_right(CollectiveSession& together, Collective& collective) {
    const std::uint64_t seed = together.session().seed();
    collective.fill(seed);
    together.team().barrier();
    collective.run();
    return together.team().all(collective.is_right(seed));
}

// A point, and what it lacks to be measured here: empty if nothing.
struct Planned {
    const Parameters& point;
    Request request;
    CollectiveShape shape;
    std::string why_not;
};

// Before any buffer takes memory, so that all points get the same answer.
std::vector<Planned> plan_points(CollectiveSession& together) {
    std::vector<Planned> all;
    for (const Parameters& point : together.session().points()) {
        const Request request = request_of(point);
        const CollectiveShape shape = together.shape(request.operation, request.bytes);
        all.push_back(
            {point, request, shape, together.why_not(shape, request.element, request.form)});
    }
    return all;
}

PointResult measure(CollectiveSession& together, const MessageBuffers& buffers,
                    const Planned& planned) {
    const auto& [point, request, shape, why_not] = planned;
    Collective collective(shape, request.element, request.form, buffers,
                          together.group_of(request.operation));
    const auto event = [&](std::uint64_t) { collective.run(); };
    const EventCost cost = together.cost(event);
    const Rounds rounds = together.rounds(cost, request.start, 1, event);
    PointResult result(point);
    result.check(arrives_right(together, collective),
                 "every rank ended with the bytes or sums it should");
    require_together(result, rounds, cost, together.session().limits());
    add_series(result, rounds);
    describe_operation(result, request, shape, together);
    together.describe(result, rounds, request.start, cost);
    result.page_bytes = together.team().smallest(buffers.page_bytes());
    return result;
}

void run_collective(MpiSession& session) {
    CollectiveSession together(session);
    together.record_each(plan_points(together),
                         [&](const MessageBuffers& buffers, const Planned& planned) {
                             return measure(together, buffers, planned);
                         });
}

const RegisterMpiBenchmark registered({"network.collective",
                                       {"operation", "size", "form", "start", "datatype"},
                                       &run_collective,
                                       any_ranks});

}  // namespace
}  // namespace machmeter
