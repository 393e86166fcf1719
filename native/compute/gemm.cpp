// compute.gemm: the rate of products of square matrices of a BLAS, which is loaded while this runs.
//
// An event is one product. Threads are the library's own: they are placed where those of the layout
// would be, and watched.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compute/matrix_product.hpp"
#include "compute/memory_by_turns.hpp"
#include "compute/placed_blas.hpp"
#include "compute/points_by_library.hpp"
#include "core/host/memory_size.hpp"
#include "core/openmp/library_threads.hpp"
#include "core/session/node.hpp"
#include "core/values/json.hpp"

namespace machmeter {
namespace {

using compute::PlacedBlas;

constexpr std::size_t matrices = compute::Product<double>::matrices;

template <class Number>
PointResult measure_product(NodeSession& session, const Parameters& point, const PlacedBlas& blas,
                            std::size_t threads, const Memory& memory) {
    compute::Product<Number> product(memory.as<Number>(), point.count("order"), session.seed());
    auto products = session.event([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            product.multiply(blas.routines());
        }
    });
    const ThreadWatch watch;
    Samples taken = session.sample(products);
    // A library may leave threads out where a product is small, but not add any.
    const std::size_t worked = watch.worked().count();
    const std::size_t most = std::max(worked, blas.threads());
    const double error = product.error();
    const bool right = error <= 1;
    return PointResult(point)
        .add_samples(std::move(taken))
        .check(right && most == threads && blas.in_place(),
               "products with random vectors: largest error " +
                   (std::isfinite(error) ? json::number(error) : "unbounded") +
                   " of the rounding bound; " + compute::threads_text(most, threads) +
                   (blas.in_place() ? "" : "; they are not on the CPUs of the layout"))
        .quantity("flops", product.flops())
        .quantity("bytes", static_cast<double>(matrices * sizeof(Number)) *
                               std::pow(static_cast<double>(point.count("order")), 2))
        .quantity("threads", threads)
        .quantity("library_threads", worked)
        .attribute("implementation", blas.routines().description())
        .attribute("file", blas.routines().file())
        .attribute("integers", std::to_string(blas.routines().integer_bits()) + " bits")
        .attribute("traffic", "A and B read, C written, once each")
        .on_pages(memory.describe().page_bytes);
}

PointResult measure(NodeSession& session, const Parameters& point, const PlacedBlas& blas,
                    std::size_t threads, const Memory& memory) {
    const bool single = point.choice<bool>("precision", {{"double", false}, {"single", true}});
    return single ? measure_product<float>(session, point, blas, threads, memory)
                  : measure_product<double>(session, point, blas, threads, memory);
}

std::size_t largest_order(const NodeSession& session, std::size_t threads) {
    std::size_t largest = PlacedBlas::probe_order(threads);
    for (const Parameters& point : session.points()) {
        largest = std::max(largest, static_cast<std::size_t>(point.count("order")));
    }
    return largest;
}

void run_gemm(NodeSession& session) {
    const std::vector<Cpus> cpus = cpus_of_team();
    const std::size_t order = largest_order(session, cpus.size());
    const std::size_t bytes = matrices * sizeof(double) * order * order;
    require_memory("order: matrices of order " + std::to_string(order), static_cast<double>(bytes),
                   available_memory_bytes());
    const Memory all = compute::memory_by_turns(session, bytes);
    compute::record_each_on_its_library(session, cpus, all.as<double>(),
                                        [&](const Parameters& point, const PlacedBlas& blas) {
                                            return measure(session, point, blas, cpus.size(), all);
                                        });
}

const RegisterNodeBenchmark registered({"compute.gemm",
                                        {"library", "order", "precision"},
                                        &run_gemm});

}  // namespace
}  // namespace machmeter
