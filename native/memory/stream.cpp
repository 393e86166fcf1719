// memory.stream: rates of whole sweeps over arrays, with and without non-temporal stores.
//
// The kernels and the way bytes are counted are STREAM's (McCalpin, 1995), with read, write and
// update beside them. An event is one sweep of all threads: a parallel region with its fork and
// its join, as every program pays it; sweeps timed together are parted by a barrier.
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "machmeter/affinity.hpp"
#include "machmeter/node_benchmark.hpp"
#include "machmeter/pages.hpp"
#include "machmeter/stream_kernels.hpp"
#include "machmeter/vector.hpp"

namespace machmeter {
namespace {

using stream::Chunk;
using stream::granule_bytes;
using stream::Stores;

// Whole numbers small enough that every kernel's result is exact in any order of operations.
double value_of_b(std::size_t i) { return 1 + static_cast<double>(i % 1024); }
double value_of_c(std::size_t i) { return 2 + static_cast<double>(i % 512); }

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

// First element of a thread's chunk: on a page's border where that unbalances nobody.
std::size_t chunk_begin(std::size_t bytes, std::size_t thread, std::size_t threads) {
    constexpr std::size_t pages_for_balance = 128;
    if (thread == threads) {
        return bytes / sizeof(double);
    }
    const bool by_page = bytes / threads >= pages_for_balance * base_page_bytes();
    const std::size_t unit = by_page ? base_page_bytes() : granule_bytes;
    return bytes / unit * thread / threads * unit / sizeof(double);
}

// A huge page that several threads share is placed by whichever touches it first.
void require_pages_of_their_own(std::size_t bytes_of_each, std::size_t page_bytes,
                                std::size_t domains) {
    if (domains > 1 && page_bytes > base_page_bytes() && bytes_of_each < page_bytes) {
        throw UsageError("size: on " + std::to_string(domains) +
                         " NUMA domains every thread needs a huge page of each array for itself, " +
                         std::to_string(page_bytes) + " bytes: ask for larger arrays, fewer " +
                         "threads or base pages");
    }
}

struct alignas(128) ThreadSum {
    double value = std::numeric_limits<double>::quiet_NaN();
};

// The three arrays of one size, first touched by the threads that will sweep over them.
class Arrays {
   public:
    Arrays(std::size_t bytes, std::size_t page_bytes)
        : bytes_(bytes),
          buffers_{PageBuffer(bytes, page_bytes), PageBuffer(bytes + stagger_bytes, page_bytes),
                   PageBuffer(bytes + 2 * stagger_bytes, page_bytes)},
          sums_(static_cast<std::size_t>(omp_get_max_threads())) {
        if (bytes < threads() * granule_bytes || bytes % granule_bytes != 0) {
            throw UsageError("size: " + std::to_string(bytes) + " is not a multiple of " +
                             std::to_string(granule_bytes) + " with as much for each of " +
                             std::to_string(threads()) + " threads");
        }
        require_pages_of_their_own(bytes / threads(), page_bytes, domains_of_team());
        on_chunks([&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                b()[i] = value_of_b(i);
                c()[i] = value_of_c(i);
            }
        });
        reset();
        if (team_ != threads()) {
            throw std::runtime_error("the team has " + std::to_string(team_) + " threads of " +
                                     std::to_string(threads()) +
                                     ": unset OMP_DYNAMIC and "
                                     "OMP_THREAD_LIMIT");
        }
    }

    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] std::size_t threads() const { return sums_.size(); }
    [[nodiscard]] double* a() const { return at(0); }
    [[nodiscard]] double* b() const { return at(1); }

    // a and the sums are no result of any kernel yet: not a number, or, for update, what it starts
    // from.
    void reset(bool for_update = false) {
        std::fill(sums_.begin(), sums_.end(), ThreadSum{});
        on_chunks([&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                a()[i] = for_update ? value_of_b(i) : std::numeric_limits<double>::quiet_NaN();
            }
        });
    }

    void sweep(double (*kernel)(const Chunk&), double scalar, std::uint64_t sweeps) {
#pragma omp parallel
        {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            const std::size_t begin = chunk_begin(bytes_, thread, threads());
            const std::size_t end = chunk_begin(bytes_, thread + 1, threads());
            const Chunk chunk{a() + begin, b() + begin, c() + begin, end - begin, scalar};
            for (std::uint64_t i = 0; i < sweeps; ++i) {
                if (i > 0) {
#pragma omp barrier
                }
                sums_[thread].value = kernel(chunk);
            }
        }
    }

    [[nodiscard]] double largest_relative_error(const Kernel& kernel, std::uint64_t sweeps) {
        if (kernel.expected == nullptr) {
            return error_of_sum();
        }
        double largest = 0;
        on_chunks([&](std::size_t begin, std::size_t end) {
            double worst = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const double expected = kernel.expected(i, sweeps);
                const double error = std::abs(a()[i] - expected) / std::abs(expected);
                // An element never written is not a number: as wrong as can be.
                worst = error <= std::numeric_limits<double>::max()
                            ? std::max(worst, error)
                            : std::numeric_limits<double>::infinity();
            }
#pragma omp critical
            largest = std::max(largest, worst);
        });
        return largest;
    }

    [[nodiscard]] std::size_t obtained_page_bytes() const {
        std::size_t least = std::numeric_limits<std::size_t>::max();
        for (const PageBuffer& buffer : buffers_) {
            least = std::min(least, buffer.obtained_page_bytes());
        }
        return least;
    }

   private:
    // Equal offsets into pages make the arrays meet in the same sets and banks: about 5 % less.
    static constexpr std::size_t stagger_bytes = 4096 + 256;

    [[nodiscard]] double* at(std::size_t array) const {
        return buffers_[array].as<double>() + array * stagger_bytes / sizeof(double);
    }
    [[nodiscard]] double* c() const { return at(2); }

    template <class Body>
    void on_chunks(Body body) {
#pragma omp parallel
        {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
#pragma omp single
            team_ = static_cast<std::size_t>(omp_get_num_threads());
            body(chunk_begin(bytes_, thread, threads()),
                 chunk_begin(bytes_, thread + 1, threads()));
        }
    }

    [[nodiscard]] double error_of_sum() const {
        const std::size_t count = bytes_ / sizeof(double);
        const auto sum_to = [](std::size_t n) { return n * (n + 1) / 2; };
        const std::size_t whole = count / 1024 * sum_to(1024) + sum_to(count % 1024);
        const auto expected = static_cast<double>(whole);
        double sum = 0;
        for (const ThreadSum& part : sums_) {
            sum += part.value;
        }
        return std::abs(sum - expected) / expected;
    }

    std::size_t bytes_;
    std::array<PageBuffer, 3> buffers_;
    std::vector<ThreadSum> sums_;
    std::size_t team_ = 0;
};

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
    const double error = arrays.largest_relative_error(kernel, sweeps);
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

const RegisterNodeBenchmark registered("memory.stream", &run_stream);

}  // namespace
}  // namespace machmeter
