// nodes.stream: triad on all threads of every node by itself, and on those of each of its NUMA
// domains alone.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "core/values/json.hpp"
#include "memory/stream/arrays.hpp"
#include "memory/stream/kernels.hpp"
#include "nodes/domains.hpp"
#include "nodes/each_node.hpp"

namespace machmeter {
namespace {

constexpr double triad_factor = 3;
constexpr std::size_t triad_arrays = 3;
constexpr auto triad = &stream::triad_chunk<stream::Stores::temporal>;
// Of each domain; numbers of a node have a length that all nodes know.
constexpr std::size_t domain_sweeps = 16;
constexpr std::ptrdiff_t first_sweep = 4;

nodes::Own sweep_triad(MpiSession& session, stream::Arrays& arrays) {
    arrays.reset();
    auto sweeps =
        session.event([&](std::uint64_t count) { arrays.sweep(triad, triad_factor, count); });
    nodes::Own own;
    own.samples = sample_event(session.clock_facts(), session.limits(), sweeps);
    const bool all_swept = arrays.swept(sweeps.rounds());
    const nodes::SlowestDomain slowest = nodes::slowest_domain(
        arrays, triad, triad_factor, nodes::domain_of_threads(), domain_sweeps, session.clock());
    const double error = arrays.largest_relative_error(
        [](std::size_t i) { return stream::value_of_b(i) + triad_factor * stream::value_of_c(i); });
    own.right = error == 0 && all_swept;
    own.numbers = {static_cast<double>(arrays.threads()), error,
                   static_cast<double>(slowest.domain), slowest.share};
    own.numbers.insert(own.numbers.end(), slowest.seconds.begin(), slowest.seconds.end());
    own.numbers.resize(first_sweep + domain_sweeps);
    own.page_bytes = arrays.page_bytes();
    return own;
}

void run_node_stream(MpiSession& session) {
    std::unique_ptr<stream::Arrays> arrays;
    nodes::record_each_node(
        session,
        [&](const Parameters& point) {
            const std::size_t bytes = point.count("size");
            if (!arrays || arrays->bytes() != bytes) {
                arrays.reset();
                arrays = std::make_unique<stream::Arrays>(bytes, session.page_bytes());
            }
            return sweep_triad(session, *arrays);
        },
        [](const Parameters& point, const nodes::Own& own) {
            PointResult result(point);
            result.add_samples(own.samples);
            const double bytes = triad_arrays * static_cast<double>(point.count("size"));
            if (own.numbers[2] >= 0) {
                result
                    .add_series("domain_seconds",
                                {own.numbers.begin() + first_sweep, own.numbers.end()})
                    .quantity("domain_bytes", bytes * own.numbers[3])
                    .attribute("slowest_domain", std::to_string(static_cast<int>(own.numbers[2])));
            }
            const double error = own.numbers[1];
            result
                .check(own.right,
                       "all elements on this node against their exact values: largest relative "
                       "error " +
                           (std::isfinite(error) ? json::number(error) : "unbounded"))
                .quantity("stream_bytes", bytes)
                .quantity("threads", own.numbers[0]);
            return result;
        });
}

const RegisterMpiBenchmark registered(
    {"nodes.stream", {"node", "size"}, &run_node_stream, nodes::one_on_each});

}  // namespace
}  // namespace machmeter
