// memory.stream: rates of whole sweeps over arrays, with and without non-temporal stores.
//
// The kernels and the way bytes are counted are STREAM's (McCalpin, 1995), with read, write and
// update beside them. An event is one sweep of all threads: a parallel region with its fork and
// its join, as every program pays it; sweeps timed together are parted by a barrier.
#include <cmath>
#include <cstdint>
#include <memory>

#include "core/session/node_benchmark.hpp"
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
// store reads from memory first, because their lines were not read (write-allocate).
struct Kernel {
    std::string_view name;
    double (*temporal)(const Chunk&);
    double (*nontemporal)(const Chunk&);
    int stream_arrays;
    int allocated_arrays;
    double scalar;
    double (*expected)(std::size_t i, std::uint64_t sweeps);  // a[i] after that many sweeps
};

constexpr double factor = 3;

constexpr Kernel kernels[] = {
    {"copy", &stream::copy_chunk<Stores::temporal>, &stream::copy_chunk<Stores::nontemporal>, 2, 1,
     0, [](std::size_t i, std::uint64_t) { return value_of_b(i); }},
    {"scale", &stream::scale_chunk<Stores::temporal>, &stream::scale_chunk<Stores::nontemporal>, 2,
     1, factor, [](std::size_t i, std::uint64_t) { return factor * value_of_b(i); }},
    {"add", &stream::add_chunk<Stores::temporal>, &stream::add_chunk<Stores::nontemporal>, 3, 1, 0,
     [](std::size_t i, std::uint64_t) { return value_of_b(i) + value_of_c(i); }},
    {"triad", &stream::triad_chunk<Stores::temporal>, &stream::triad_chunk<Stores::nontemporal>, 3,
     1, factor,
     [](std::size_t i, std::uint64_t) { return value_of_b(i) + factor * value_of_c(i); }},
    {"read", &stream::read_chunk, nullptr, 1, 0, 0, nullptr},
    {"write", &stream::write_chunk<Stores::temporal>, &stream::write_chunk<Stores::nontemporal>, 1,
     1, factor, [](std::size_t, std::uint64_t) { return factor; }},
    // Times -1: the values stay finite and exact, and tell an odd from an even number of sweeps.
    {"update", &stream::update_chunk<Stores::temporal>, &stream::update_chunk<Stores::nontemporal>,
     2, 0, -1,
     [](std::size_t i, std::uint64_t sweeps) {
         return sweeps % 2 == 0 ? value_of_b(i) : -value_of_b(i);
     }},
};

const Kernel& find_kernel(const std::string& name) {
    for (const Kernel& kernel : kernels) {
        if (kernel.name == name) {
            return kernel;
        }
    }
    throw UsageError("memory.stream has no kernel '" + name +
                     "'; it has copy, scale, add, triad, read, write, update");
}

Stores parse_stores(const Kernel& kernel, const std::string& text) {
    if (text == "temporal") {
        return Stores::temporal;
    }
    if (text != "nontemporal") {
        throw UsageError("stores: '" + text + "' is neither temporal nor nontemporal");
    }
    if (kernel.nontemporal == nullptr) {
        throw UsageError("kernel read stores nothing: ask for stores=temporal");
    }
    if (!vector::has_nontemporal_stores) {
        throw UsageError("this build knows no non-temporal stores: ask for stores=temporal");
    }
    return Stores::nontemporal;
}

double largest_relative_error(Arrays& arrays, const Kernel& kernel, std::uint64_t sweeps) {
    if (kernel.expected == nullptr) {
        return arrays.error_of_sum();
    }
    return arrays.largest_relative_error([&](std::size_t i) { return kernel.expected(i, sweeps); });
}

std::string describe(const Kernel& kernel, Stores stores) {
    const std::string with = vector::instruction_set;
    if (kernel.expected == nullptr) {
        return with + ", loads only";
    }
    return stores == Stores::nontemporal ? with + ", non-temporal stores"
                                         : "plain loop as compiled, temporal stores";
}

PointResult measure(Session& session, Arrays& arrays, const Parameters& point) {
    const Kernel& kernel = find_kernel(point.text("kernel"));
    const Stores stores = parse_stores(kernel, point.text("stores"));
    const bool temporal = stores == Stores::temporal;
    arrays.reset(kernel.name == "update");
    std::uint64_t sweeps = 0;
    const Samples taken = session.sample([&](std::uint64_t events) {
        arrays.sweep(temporal ? kernel.temporal : kernel.nontemporal, kernel.scalar, events);
        sweeps += events;
    });
    const double error = largest_relative_error(arrays, kernel, sweeps);
    const auto bytes = static_cast<double>(arrays.bytes());
    const int bus_arrays = kernel.stream_arrays + (temporal ? kernel.allocated_arrays : 0);
    return {point,
            {{"seconds", taken.seconds}},
            taken.batch,
            error == 0,
            "all elements against their exact values: largest relative error " +
                (std::isfinite(error) ? json::number(error) : "unbounded"),
            {{"stream_bytes", kernel.stream_arrays * bytes},
             {"bus_bytes", bus_arrays * bytes},
             {"threads", static_cast<double>(arrays.threads())}},
            {{"implementation", describe(kernel, stores)}},
            arrays.obtained_page_bytes()};
}

void run_stream(Session& session) {
    std::unique_ptr<Arrays> arrays;
    for (const Parameters& point : session.points()) {
        const std::size_t bytes = point.count("size");
        // Another size has other owners of its pages: it is touched anew.
        if (!arrays || arrays->bytes() != bytes) {
            arrays.reset();
            arrays = std::make_unique<Arrays>(bytes, session.page_bytes());
        }
        session.record(measure(session, *arrays, point));
    }
}

const RegisterNodeBenchmark registered("memory.stream", {"kernel", "stores", "size"}, &run_stream);

}  // namespace
}  // namespace machmeter
