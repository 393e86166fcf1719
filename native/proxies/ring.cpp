// proxies.ring: rings of nerve cells that excite each other, as NEURON simulates them (Hines and
// Carnevale, Neural Comp. 9, 1997): ranks own cells, threads share a rank's, and all ranks exchange
// their spikes every 5 ms of simulated time.
#include <cmath>
#include <cstdint>
#include <string>

#include "core/libraries/loaded.hpp"
#include "proxies/common/mpi_ranks.hpp"
#include "proxies/ring/checks.hpp"
#include "proxies/ring/network.hpp"

namespace machmeter {
namespace {

namespace ring = proxies::ring;

// strong: so many rings; weak: for each rank. Throws UsageError where a rank would have no cell.
ring::Problem problem_of(const Parameters& point, int ranks) {
    const bool weak = point.choice<bool>("scaling", {{"strong", false}, {"weak", true}});
    const std::uint64_t rings = point.count_within("rings", 1, 100'000'000);
    const auto size = static_cast<std::uint64_t>(ranks);
    ring::Problem problem;
    problem.rings = weak ? rings * size : rings;
    problem.cells = point.count_within("cells", 5, 1'000'000);
    problem.levels = static_cast<int>(point.count_within("branches", 1, 4));
    problem.extra_percent = point.count_within("imbalance", 0, 1'000);
    if (problem.all() < size) {
        throw UsageError("rings: " + std::to_string(problem.all()) + " cells for " +
                         std::to_string(ranks) +
                         " ranks: request more rings, fewer ranks, or scaling=weak");
    }
    if (problem.rings > 1'000'000'000) {
        throw UsageError("rings: " + std::to_string(problem.rings) +
                         " have more spikes at a time than ranks exchange: request fewer");
    }
    return problem;
}

// Cells, each a lane of a group that may have others that are empty; and the spikes of all rings,
// which every rank gets.
void require_memory_of(const MpiSession& session, const ring::Problem& problem) {
    constexpr double bytes_per_cell = 1000;
    constexpr double bytes_per_ring = 2 * sizeof(std::uint64_t);
    const ring::Shape largest(problem.levels, problem.extra_percent);
    const double cells = static_cast<double>(problem.all()) / session.team().size() + 3;
    proxies::require_memory_of_ranks(
        session, "rings: " + std::to_string(problem.all()) + " cells",
        cells * (bytes_per_cell +
                 static_cast<double>(largest.nodes().size()) * ring::bytes_per_node) +
            static_cast<double>(problem.rings) * bytes_per_ring);
}

// Of one event on all ranks.
void add_work(PointResult& result, double cells, double nodes, std::uint64_t steps) {
    const auto count = static_cast<double>(steps);
    const double intervals = std::ceil(count / ring::delay_steps);
    result.quantity("cell_milliseconds", cells * count / ring::steps_per_ms)
        .quantity("flops", count * (nodes * ring::flops_per_node + cells * ring::flops_per_soma))
        .quantity("data_bytes", nodes * ring::bytes_per_node)
        .quantity("bytes", intervals * nodes * ring::moved_per_node);
}

PointResult measure_ring(MpiSession& session, const Parameters& point) {
    const ring::Problem problem = problem_of(point, session.team().size());
    const std::uint64_t steps =
        point.count_within("milliseconds", 1, 10'000'000) * ring::steps_per_ms;
    require_memory_of(session, problem);
    proxies::MpiRanks ranks = proxies::ranks_of(session);
    ring::Network<proxies::MpiRanks> network(ranks, session.phases(), problem);
    const Samples samples = session.sample_long(
        [&] {
            network.reset();
            // So that no connection is made in the timed part.
            ranks.sum(0.0);
            ranks.traffic().clear();
        },
        [&] { network.run(steps); });
    PointResult result(point);
    result.add_samples(samples);
    proxies::describe_work(session, ranks, samples, result);
    const ring::Spikes spikes = ring::spikes_of(network, ranks);
    const std::string fault = ring::check_end(network, ranks, steps).fault();
    const double nodes = session.team().sum(network.nodes());
    add_work(result, static_cast<double>(problem.all()), nodes, steps);
    return result
        .check(fault.empty(), fault.empty() ? "every spike delivered, one around each ring, the "
                                              "equations of the last step, charge, some cells "
                                              "by a plain program"
                                            : fault)
        .quantity("cells", problem.all())
        .quantity("nodes", nodes)
        .quantity("spikes", spikes.count)
        .quantity("spike_checksum", spikes.checksum)
        .attribute("runtime", openmp_runtime());
}

void run_ring(MpiSession& session) { proxies::record_each_that_fits(session, measure_ring); }

const RegisterMpiBenchmark registered_ring({"proxies.ring",
                                            {"rings", "cells", "branches", "milliseconds",
                                             "imbalance", "scaling"},
                                            &run_ring,
                                            {1, 0, false}});

}  // namespace
}  // namespace machmeter
