// memory.stream: rates of whole sweeps over arrays, with and without non-temporal stores.
//
// The kernels and the way bytes are counted are STREAM's (McCalpin, 1995), with read, write and
// update added. An event is one sweep of all threads: a parallel region with its fork and its join,
// as every program pays it; sweeps timed together are separated by a barrier.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/session/node.hpp"
#include "core/values/json.hpp"
#include "memory/stream/arrays.hpp"
#include "memory/stream/kernels.hpp"
#include "memory/stream/vector.hpp"

namespace machmeter {
namespace {

using stream::Arrays;
using stream::Chunk;
using stream::Stores;
using stream::value_of_b;
using stream::value_of_c;

// stream_arrays: arrays moved as STREAM counts them; allocated_arrays: arrays that a temporal
// store reads from memory first, because their lines were not read (write-allocate); in_place:
// reads what it writes.
struct Kernel {
    double (*temporal)(const Chunk&);
    double (*nontemporal)(const Chunk&);
    int stream_arrays;
    int allocated_arrays;
    double scalar;
    double (*expected)(std::size_t i, std::uint64_t sweeps);  // a[i] after that many sweeps
    bool in_place = false;
};

constexpr double factor = 3;

constexpr std::pair<std::string_view, Kernel> kernels[] = {
    {"copy",
     {&stream::copy_chunk<Stores::temporal>, &stream::copy_chunk<Stores::nontemporal>, 2, 1, 0,
      [](std::size_t i, std::uint64_t) { return value_of_b(i); }}},
    {"scale",
     {&stream::scale_chunk<Stores::temporal>, &stream::scale_chunk<Stores::nontemporal>, 2, 1,
      factor, [](std::size_t i, std::uint64_t) { return factor * value_of_b(i); }}},
    {"add",
     {&stream::add_chunk<Stores::temporal>, &stream::add_chunk<Stores::nontemporal>, 3, 1, 0,
      [](std::size_t i, std::uint64_t) { return value_of_b(i) + value_of_c(i); }}},
    {"triad",
     {&stream::triad_chunk<Stores::temporal>, &stream::triad_chunk<Stores::nontemporal>, 3, 1,
      factor, [](std::size_t i, std::uint64_t) { return value_of_b(i) + factor * value_of_c(i); }}},
    {"read", {&stream::read_chunk, nullptr, 1, 0, 0, nullptr}},
    {"write",
     {&stream::write_chunk<Stores::temporal>, &stream::write_chunk<Stores::nontemporal>, 1, 1,
      factor, [](std::size_t, std::uint64_t) { return factor; }}},
    // Times -1: the values stay finite and exact, and differ between odd and even numbers of
    // sweeps.
    {"update",
     {&stream::update_chunk<Stores::temporal>, &stream::update_chunk<Stores::nontemporal>, 2, 0, -1,
      [](std::size_t i, std::uint64_t sweeps) {
          return sweeps % 2 == 0 ? value_of_b(i) : -value_of_b(i);
      },
      true}},
};

Stores stores_of(const Parameters& point, const Kernel& kernel) {
    const auto stores = point.choice<Stores>(
        "stores", {{"temporal", Stores::temporal}, {"nontemporal", Stores::nontemporal}});
    if (stores == Stores::nontemporal && kernel.nontemporal == nullptr) {
        throw UsageError("kernel read stores nothing: request stores=temporal");
    }
    if (stores == Stores::nontemporal && !vector::has_nontemporal_stores) {
        throw UsageError("this build has no non-temporal stores: request stores=temporal");
    }
    return stores;
}

double largest_relative_error(const Arrays& arrays, const Kernel& kernel, std::uint64_t sweeps) {
    if (kernel.expected == nullptr) {
        return arrays.error_of_sum();
    }
    return arrays.largest_relative_error([&](std::size_t i) { return kernel.expected(i, sweeps); });
}

std::string implementation_text(const Kernel& kernel, Stores stores) {
    const std::string with = vector::instruction_set;
    if (kernel.expected == nullptr) {
        return with + ", loads only";
    }
    return stores == Stores::nontemporal ? with + ", non-temporal stores"
                                         : "plain loop as compiled, temporal stores";
}

PointResult measure(NodeSession& session, Arrays& arrays, const Parameters& point) {
    const auto kernel = choose<Kernel>("kernel", point.text("kernel"), kernels);
    const Stores stores = stores_of(point, kernel);
    const bool temporal = stores == Stores::temporal;
    arrays.reset(kernel.in_place);
    auto sweeps = session.event([&](std::uint64_t count) {
        arrays.sweep(temporal ? kernel.temporal : kernel.nontemporal, kernel.scalar, count);
    });
    Samples taken = session.sample(sweeps);
    const double error = largest_relative_error(arrays, kernel, sweeps.rounds());
    const std::size_t bytes = arrays.bytes();
    const int bus_arrays = kernel.stream_arrays + (temporal ? kernel.allocated_arrays : 0);
    PointResult result(point);
    result.add_samples(std::move(taken));
    const bool swept = arrays.swept(sweeps.rounds());
    result.check(error == 0 && swept,
                 std::string(swept ? "" : "a thread missed a sweep; ") +
                     "all elements against their exact values: largest relative error " +
                     (std::isfinite(error) ? json::number(error) : "unbounded"));
    result.quantity("stream_bytes", kernel.stream_arrays * bytes)
        .quantity("bus_bytes", bus_arrays * bytes)
        .quantity("threads", arrays.threads());
    result.attribute("implementation", implementation_text(kernel, stores));
    result.page_bytes = arrays.page_bytes();
    return result;
}

void run_stream(NodeSession& session) {
    std::unique_ptr<Arrays> arrays;
    session.record_each([&](const Parameters& point) {
        const std::size_t bytes = point.count("size");
        // Other sizes have other owners of their pages, so every size has its own first touch.
        if (!arrays || arrays->bytes() != bytes) {
            arrays.reset();
            arrays = std::make_unique<Arrays>(bytes, session.page_bytes());
        }
        return measure(session, *arrays, point);
    });
}

const RegisterNodeBenchmark registered({"memory.stream",
                                        {"kernel", "stores", "size"},
                                        &run_stream});

}  // namespace
}  // namespace machmeter
