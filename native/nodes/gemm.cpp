// nodes.gemm: products of matrices by a BLAS on all threads of every node by itself, over seconds,
// and the clock of one core after each: the method of compute.gemm.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "compute/matrix_product.hpp"
#include "compute/memory_by_turns.hpp"
#include "compute/multiply_chain.hpp"
#include "compute/placed_blas.hpp"
#include "core/host/memory_size.hpp"
#include "core/openmp/library_threads.hpp"
#include "core/values/json.hpp"
#include "nodes/each_node.hpp"

namespace machmeter {
namespace {

using compute::PlacedBlas;
using Product = compute::Product<double>;

// Of a chain of multiplications on this thread, and whether its product is right.
std::pair<double, bool> time_multiplications(const Clock& clock) {
    using compute::multiplications_of_chain;
    const std::uint64_t begin = clock.now();
    const std::uint32_t product = compute::multiply_chain(1, multiplications_of_chain);
    const double seconds = seconds_between(begin, clock.now());
    return {seconds, product == compute::product_of_chain(1, multiplications_of_chain)};
}

// own: of this node, with the numbers that are recorded.
void multiply_for(const MpiSession& session, const Parameters& point, const PlacedBlas& blas,
                  const Memory& memory, nodes::Own& own) {
    constexpr std::uint64_t longest = 600;
    const auto seconds = static_cast<double>(point.count_within("seconds", 1, longest));
    const Clock& clock = session.clock();
    Product product(memory.as<double>(), point.count("order"), session.seed());
    product.multiply(blas.routines());
    bool multiplied = true;
    const std::uint64_t begin = clock.now();
    do {
        const std::uint64_t from = clock.now();
        product.multiply(blas.routines());
        own.samples.seconds.push_back(seconds_between(from, clock.now()));
        own.samples.timed_seconds += own.samples.seconds.back();
        const auto [lasted, right] = time_multiplications(clock);
        own.extra[0].push_back(lasted);
        multiplied = multiplied && right;
    } while (seconds_between(begin, clock.now()) < seconds);
    const double error = product.error();
    own.samples.batch = 1;
    own.right = error <= 1 && multiplied && blas.in_place();
    own.numbers = {product.flops(), static_cast<double>(blas.threads()),
                   static_cast<double>(compute::cycles_of_multiplication()) *
                       static_cast<double>(compute::multiplications_of_chain),
                   error, blas.in_place() ? 1.0 : 0.0};
    own.page_bytes = memory.describe().page_bytes;
}

// A library with more or fewer threads than the node has cores would be measured, not the node.
// What a node lacks is its own result, and no end of the others'.
nodes::Own multiply_matrices(MpiSession& session, const Parameters& point) {
    const std::vector<Cpus> cpus = cpus_of_team();
    const auto order = static_cast<std::size_t>(point.count("order"));
    const std::size_t bytes = std::max(PlacedBlas::probe_bytes(cpus.size()),
                                       Product::matrices * sizeof(double) * order * order);
    nodes::Own own;
    own.extra.resize(1);
    own.numbers.resize(5);
    try {
        require_memory("order: matrices of order " + std::to_string(order),
                       static_cast<double>(bytes), available_memory_bytes());
        const Memory memory = compute::memory_by_turns(session, bytes);
        const PlacedBlas blas(compute::file_of(point.text("library")), cpus, memory.as<double>());
        if (blas.threads() != cpus.size()) {
            own.why_not = "library: " + compute::threads_text(blas.threads(), cpus.size());
            return own;
        }
        multiply_for(session, point, blas, memory, own);
        // Its threads wait for work for a while before they sleep: the next may need their CPUs.
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    } catch (const compute::NoBlas& error) {
        own.why_not = "library: " + std::string(error.what());
    } catch (const UsageError& error) {
        own.why_not = error.what();
    }
    return own;
}

PointResult describe(const Parameters& point, const nodes::Own& own) {
    std::vector<NamedSeries> series{{"seconds", own.samples.seconds}};
    PointResult result(point);
    if (own.numbers[2] > 0) {
        series.emplace_back("multiply_seconds", own.extra[0]);
        result.quantity("cycles", own.numbers[2]);
    }
    result.add_samples(std::move(series), 1);
    const double error = own.numbers[3];
    result
        .check(own.right,
               "the last product on this node with random vectors: largest error " +
                   (std::isfinite(error) ? json::number(error) : "unbounded") +
                   " of the rounding bound; the product of the multiplications" +
                   (own.numbers[4] != 0 ? "" : "; its threads are not on the CPUs of the layout"))
        .quantity("flops", own.numbers[0])
        .quantity("threads", own.numbers[1]);
    return result;
}

void run_node_gemm(MpiSession& session) {
    nodes::record_each_node(
        session, [&](const Parameters& point) { return multiply_matrices(session, point); },
        &describe);
}

const RegisterMpiBenchmark registered(
    {"nodes.gemm", {"node", "library", "order", "seconds"}, &run_node_gemm, nodes::one_on_each});

}  // namespace
}  // namespace machmeter
