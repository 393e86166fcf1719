// network.collective: one operation of all ranks, begun together; the last to end sets the time.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mpi/benchmark.hpp"
#include "network/collectives/points.hpp"
#include "network/collectives/session.hpp"

namespace machmeter {
namespace {

struct Asked {
    Operation operation;
    std::uint64_t bytes;
    Form form;
    Start start;
    Element element;
};

Asked asked_of(const Parameters& point) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 36U;
    return {data_operation_named(point.text("operation")),
            point.count_within("size", 1, most_bytes), form_named(point.text("form")),
            start_named(point.text("start")), element_named(point.text("datatype"))};
}

std::string block_words(Operation operation) {
    switch (operation) {
        case Operation::bcast:
            return "the root's bytes, at every rank";
        case Operation::reduce:
        case Operation::allreduce:
        case Operation::scan:
            return "what every rank gives to be summed, element by element";
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

std::string form_words(Form form) {
    switch (form) {
        case Form::nonblocking:
            return "the non-blocking call, then MPI_Wait";
        case Form::persistent:
            return "MPI_Start, then MPI_Wait; prepared once, before";
        default:
            return "the blocking call";
    }
}

// What leaves a node where there are several, and else what its ranks send to one another.
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
    result.facts.emplace_back("bytes_per_node", (several ? between : within) / nodes);
    result.facts.emplace_back("intra_node_bytes", within / nodes);
    result.words.emplace_back("injection", several ? "bytes that the ranks of one node send to "
                                                     "ranks of other nodes, mean of the nodes"
                                                   : "bytes that the ranks of the only node send "
                                                     "to one another, own copies left out");
}

void describe_operation(PointResult& result, const Asked& asked, const CollectiveShape& shape,
                        CollectiveSession& together) {
    result.facts.emplace_back("bytes", static_cast<double>(asked.bytes));
    result.words.emplace_back("size", block_words(asked.operation));
    result.words.emplace_back("calls", form_words(asked.form));
    result.words.emplace_back("event", "one operation, until its last rank has ended it");
    result.words.emplace_back("root", "rank 0, where there is one");
    result.words.emplace_back("buffer", "reused");
    if (is_among_neighbors(asked.operation)) {
        result.words.emplace_back("neighbors", together.neighbor_words());
    }
    if (is_reduction(asked.operation) && asked.element == Element::char_) {
        result.words.emplace_back("datatype", "MPI_SIGNED_CHAR: MPI sums no MPI_CHAR");
    }
    if (counted_bytes(shape) > 1) {
        result.words.emplace_back("data", "counted in units of " +
                                              std::to_string(counted_bytes(shape)) +
                                              " bytes, a derived datatype of bytes in a row: an "
                                              "int cannot count so many single ones");
    }
    if (is_from_all_to_all(asked.operation)) {
        describe_injection(result, shape, together);
    }
}

// One more operation with known data, after the timed ones and over the same buffers.
bool arrives_right(CollectiveSession& together, Collective& collective) {
    const std::uint64_t seed = together.session().own().seed();
    collective.fill(seed);
    together.team().meet();
    collective.run();
    return together.team().all(collective.is_right(seed));
}

// A point, and what it lacks to be measured here: empty if nothing.
struct Planned {
    const Parameters& point;
    Asked asked;
    CollectiveShape shape;
    std::string why_not;
};

// Asked before any buffer takes memory, so that the answer is the same for all points.
std::vector<Planned> plan_points(CollectiveSession& together) {
    std::vector<Planned> all;
    for (const Parameters& point : together.session().own().points()) {
        const Asked asked = asked_of(point);
        const CollectiveShape shape = together.shape(asked.operation, asked.bytes);
        all.push_back({point, asked, shape, together.why_not(shape, asked.element, asked.form)});
    }
    return all;
}

PointResult measure(CollectiveSession& together, const CollectiveBuffers& buffers,
                    const Planned& planned) {
    const auto& [point, asked, shape, why_not] = planned;
    Collective collective(shape, asked.element, asked.form, buffers,
                          together.group_of(asked.operation));
    const auto event = [&](std::uint64_t) { collective.run(); };
    const EventCost cost = together.cost(event);
    const Rounds rounds = together.rounds(cost, asked.start, 1, event);
    PointResult result{point,
                       {},
                       1,
                       arrives_right(together, collective),
                       "every rank ended with the bytes or sums it should"};
    require_together(result, rounds, cost, together.session().own().limits());
    add_series(result, rounds);
    describe_operation(result, asked, shape, together);
    together.describe(result, rounds, asked.start, cost);
    result.page_bytes = together.team().smallest(buffers.page_bytes());
    return result;
}

void run_collective(MpiSession& session) {
    CollectiveSession together(session);
    record_planned(together, plan_points(together),
                   [&](const CollectiveBuffers& buffers, const Planned& planned) {
                       return measure(together, buffers, planned);
                   });
}

const RegisterMpiBenchmark registered("network.collective",
                                      {"operation", "size", "form", "start", "datatype"}, any_ranks,
                                      &run_collective);

}  // namespace
}  // namespace machmeter
