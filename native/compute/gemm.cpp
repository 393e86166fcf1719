// compute.gemm: the rate of products of square matrices of a BLAS, which is loaded while this runs.
//
// An event is one product C := s A B. The factor s changes from product to product, so that no
// element left over from the one before passes the check. Threads are the library's own: they are
// placed where those of the layout would be, and watched.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "compute/blas_library.hpp"
#include "compute/library_threads.hpp"
#include "compute/product_check.hpp"
#include "core/host/memory_size.hpp"
#include "core/memory/pages.hpp"
#include "core/session/node.hpp"
#include "core/values/json.hpp"

namespace machmeter {
namespace {

using compute::BlasLibrary;
using compute::Cpus;

constexpr std::size_t matrices = 3;

// The file of a library as points name it.
std::string file_of(const std::string& library) {
    if (library == "system") {
        return "libblas.so.3";
    }
    if (library != "openblas") {
        return library;
    }
    const char* fetched = std::getenv("MACHMETER_OPENBLAS");
    return fetched != nullptr ? fetched : "libscipy_openblas64_.so";
}

// Before a library is loaded: most read them only then.
void request_threads(std::size_t threads) {
    const std::string number = std::to_string(threads);
    for (const char* name :
         {"OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS"}) {
        setenv(name, number.c_str(), 1);
    }
    setenv("MKL_DYNAMIC", "FALSE", 1);
}

// Three matrices, the first touch of which the threads of the layout share by turns, so that those
// of a smaller order are on the NUMA domains of all threads too. The runtime's threads then end:
// waiting they would take CPU time from those of the library.
class Matrices {
   public:
    explicit Matrices(const NodeSession& session, std::size_t largest_order)
        : memory_(session.allocate(bytes_for(largest_order))) {
        auto* const elements = memory_.as<double>();
        const std::size_t count = memory_.bytes() / sizeof(double);
        // Huge pages may be larger than what a thread gets.
        const std::size_t page =
            std::max(transparent_huge_page_bytes(), base_page_bytes()) / sizeof(double);
        const auto threads = static_cast<std::size_t>(omp_get_max_threads());
        const std::size_t chunk = std::min(page, count / threads + 1);
#pragma omp parallel for schedule(static, chunk)
        for (std::size_t i = 0; i < count; ++i) {
            elements[i] = 0;
        }
        omp_pause_resource_all(omp_pause_hard);
    }

    static std::size_t bytes_for(std::size_t order) {
        return matrices * order * order * sizeof(double);
    }

    [[nodiscard]] const Memory& memory() const { return memory_; }

   private:
    Memory memory_;
};

// A library with its threads where the layout has them.
class PlacedBlas {
   public:
    PlacedBlas(const std::string& file, const std::vector<Cpus>& cpus, double* elements) {
        request_threads(cpus.size());
        const bool bound = omp_get_proc_bind() != omp_proc_bind_false;
        if (bound) {
            const compute::OnAll on_all(cpus);
            worked_ = load(file, cpus.size(), elements);
        } else {
            worked_ = load(file, cpus.size(), elements);
        }
        if (bound) {
            placed_ = compute::PlacedThreads(worked_.threads, cpus);
        }
    }

    [[nodiscard]] const BlasLibrary& routines() const { return *library_; }
    // That worked on a product large enough for all.
    [[nodiscard]] std::size_t threads() const { return worked_.count(); }
    // Threads that end with each product cannot be placed.
    [[nodiscard]] bool in_place() const { return worked_.ended == 0 && placed_.hold(); }

    // Of the product that shows the threads: the work of each is the same on any number.
    static std::size_t probe_order(std::size_t threads) {
        constexpr double of_one = 384;
        return static_cast<std::size_t>(of_one * std::cbrt(static_cast<double>(threads)));
    }

   private:
    // The threads that work, which are started with the library or by its first product.
    compute::Worked load(const std::string& file, std::size_t threads, double* elements) {
        library_ = std::make_unique<BlasLibrary>(file);
        const std::size_t order = probe_order(threads);
        const std::size_t each = order * order;
        const auto multiply = [&] {
            library_->multiply(static_cast<std::int64_t>(order), 1.0, elements, elements + each,
                               elements + 2 * each);
        };
        multiply();
        const compute::ThreadWatch watch;
        constexpr auto long_enough = std::chrono::milliseconds(20);
        const auto begin = std::chrono::steady_clock::now();
        do {
            multiply();
        } while (std::chrono::steady_clock::now() - begin < long_enough);
        return watch.worked();
    }

    std::unique_ptr<BlasLibrary> library_;
    compute::Worked worked_;
    compute::PlacedThreads placed_;
};

// A, B and C of one point.
template <class Number>
class Product {
   public:
    Product(const Memory& memory, std::size_t order, std::uint64_t seed)
        : order_(order),
          seed_(seed),
          a_(memory.as<Number>()),
          b_(a_ + order * order),
          c_(b_ + order * order) {
        const std::size_t each = order * order;
        for (std::size_t i = 0; i < each; ++i) {
            a_[i] = static_cast<Number>(compute::factor_element(seed, i));
            b_[i] = static_cast<Number>(compute::factor_element(seed + 1, i));
            c_[i] = std::numeric_limits<Number>::quiet_NaN();
        }
    }

    void multiply(const BlasLibrary& blas) {
        scale_ = Number{3} - scale_;
        blas.multiply(static_cast<std::int64_t>(order_), scale_, a_, b_, c_);
    }

    // Of the last product, see product_error.
    [[nodiscard]] double error() const {
        return compute::product_error(order_, static_cast<double>(scale_), a_, b_, c_, seed_ + 2);
    }

    [[nodiscard]] double flops() const {
        return 2.0 * static_cast<double>(order_) * static_cast<double>(order_) *
               static_cast<double>(order_);
    }

   private:
    std::size_t order_;
    std::uint64_t seed_;
    Number* a_;
    Number* b_;
    Number* c_;
    Number scale_ = 1;
};

std::string threads_text(std::size_t worked, std::size_t asked) {
    return std::to_string(worked) + " of its threads worked, " + std::to_string(asked) +
           (asked == 1 ? " was" : " were") + " requested";
}

template <class Number>
PointResult measure_product(NodeSession& session, const Parameters& point, const PlacedBlas& blas,
                            std::size_t threads, const Memory& memory) {
    Product<Number> product(memory, point.count("order"), session.seed());
    auto products = session.event([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            product.multiply(blas.routines());
        }
    });
    const compute::ThreadWatch watch;
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
                   " of the rounding bound; " + threads_text(most, threads) +
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

// In the order of the launch, but points of one library together.
std::vector<Parameters> by_library(const std::vector<Parameters>& points) {
    std::map<std::string, std::size_t> first;
    for (const Parameters& point : points) {
        first.try_emplace(point.text("library"), first.size());
    }
    std::vector<Parameters> ordered = points;
    std::stable_sort(ordered.begin(), ordered.end(), [&](const auto& one, const auto& other) {
        return first[one.text("library")] < first[other.text("library")];
    });
    return ordered;
}

std::size_t largest_order(const NodeSession& session, std::size_t threads) {
    std::size_t largest = PlacedBlas::probe_order(threads);
    for (const Parameters& point : session.points()) {
        largest = std::max(largest, static_cast<std::size_t>(point.count("order")));
    }
    return largest;
}

void run_gemm(NodeSession& session) {
    const std::vector<Cpus> cpus = compute::cpus_of_team();
    const std::size_t order = largest_order(session, cpus.size());
    require_memory(
        "order: matrices of order " + std::to_string(order),
        static_cast<double>(matrices * sizeof(double)) * std::pow(static_cast<double>(order), 2),
        available_memory_bytes());
    const Matrices all(session, order);
    std::unique_ptr<PlacedBlas> blas;
    std::string loaded;
    for (const Parameters& point : by_library(session.points())) {
        session.begin(point);
        const std::string& library = point.text("library");
        try {
            if (loaded != library) {
                if (blas) {
                    // Its threads wait for work for a while before they sleep.
                    std::this_thread::sleep_for(std::chrono::milliseconds(100));
                }
                blas.reset();
                loaded = library;
                blas =
                    std::make_unique<PlacedBlas>(file_of(library), cpus, all.memory().as<double>());
            }
        } catch (const compute::NoBlas& error) {
            session.record(not_measured(point, "library: " + std::string(error.what())));
            loaded.clear();
            continue;
        }
        session.record(measure(session, point, *blas, cpus.size(), all.memory()));
    }
}

const RegisterNodeBenchmark registered({"compute.gemm",
                                        {"library", "order", "precision"},
                                        &run_gemm});

}  // namespace
}  // namespace machmeter
