// compute.lu: the rate at which LAPACK solves linear equations, as HPL does it in one process.
//
// An event is the factorization of a matrix with exchanges of rows and the solution for one
// right-hand side (dgesv). Each has equations of its own, made outside its time, so that no
// solution left over from those before passes the check. Threads are the library's own, as of
// compute.gemm.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compute/linear_system.hpp"
#include "compute/memory_by_turns.hpp"
#include "compute/placed_blas.hpp"
#include "compute/points_by_library.hpp"
#include "core/host/memory_size.hpp"
#include "core/openmp/library_threads.hpp"
#include "core/session/node.hpp"
#include "core/values/json.hpp"

namespace machmeter {
namespace {

using compute::LinearSystem;
using compute::PlacedBlas;

// The matrix, the right-hand side and the exchanged rows.
std::size_t lu_bytes(std::size_t order) { return (order * order + 2 * order) * sizeof(double); }

// Equations of one order, one after another, and what was wrong with any of their solutions.
class Solutions {
   public:
    // Streams of random numbers for the equations of one event.
    static constexpr std::uint64_t streams = 2;

    Solutions(const compute::BlasLibrary& library, const Memory& memory, std::size_t order,
              std::uint64_t seed)
        : library_(library),
          order_(order),
          seed_(seed),
          system_(order, seed),
          matrix_(memory.as<double>()),
          solution_(matrix_ + order * order),
          pivots_(reinterpret_cast<std::int64_t*>(solution_ + order)) {}

    // The next equations, after the check of the last ones.
    void prepare() {
        check_last();
        seed_ += streams;
        system_ = LinearSystem(order_, seed_);
        system_.write(matrix_, solution_);
        watch_.emplace();
    }

    void solve() {
        info_ = library_.solve(static_cast<std::int64_t>(order_), matrix_, pivots_, solution_);
    }

    void check_last() {
        if (!watch_) {
            return;
        }
        most_threads_ = std::max(most_threads_, watch_->worked().count());
        watch_.reset();
        residual_ = std::max(residual_, info_ == 0 ? system_.scaled_residual(solution_)
                                                   : std::numeric_limits<double>::infinity());
    }

    // The largest of all that were checked, see scaled_residual.
    [[nodiscard]] double residual() const { return residual_; }
    // The most that worked on any of them.
    [[nodiscard]] std::size_t most_threads() const { return most_threads_; }

   private:
    const compute::BlasLibrary& library_;
    std::size_t order_;
    std::uint64_t seed_;
    LinearSystem system_;
    double* matrix_;
    double* solution_;
    std::int64_t* pivots_;
    std::int64_t info_ = 0;
    std::optional<ThreadWatch> watch_;
    double residual_ = 0;
    std::size_t most_threads_ = 0;
};

// Those that HPL counts (HPL 2.3, HPL_pdtest), so that rates are comparable.
double lu_flops(double order) { return order * order * (2 * order / 3 + 1.5); }

PointResult measure_lu(NodeSession& session, const Parameters& point, const PlacedBlas& blas,
                       std::size_t threads, const Memory& memory) {
    const std::size_t order = point.count("order");
    // The first solution of a library reads its routines from disk.
    Solutions warm_up(blas.routines(), memory, std::min(order, PlacedBlas::probe_order(threads)),
                      session.seed());
    warm_up.prepare();
    warm_up.solve();
    Solutions solutions(blas.routines(), memory, order, session.seed() + Solutions::streams);
    Samples taken = session.sample_long([&] { solutions.prepare(); }, [&] { solutions.solve(); });
    solutions.check_last();
    // A library may leave threads out where a matrix is small, but not add any.
    const std::size_t most = std::max(solutions.most_threads(), blas.threads());
    const double residual = solutions.residual();
    const bool right = residual < LinearSystem::largest_residual;
    return PointResult(point)
        .add_samples(std::move(taken))
        .check(right && most == threads && blas.in_place(),
               "A x = b: largest scaled residual " +
                   (std::isfinite(residual) ? json::number(residual) : "unbounded") +
                   " (HPL accepts below 16); " + compute::threads_text(most, threads) +
                   (blas.in_place() ? "" : "; they are not on the CPUs of the layout"))
        .quantity("flops", lu_flops(static_cast<double>(order)))
        .quantity("data_bytes", lu_bytes(order))
        .quantity("threads", threads)
        .quantity("library_threads", solutions.most_threads())
        .attribute("implementation", blas.routines().description())
        .attribute("file", blas.routines().file())
        .attribute("integers", std::to_string(blas.routines().integer_bits()) + " bits")
        .on_pages(memory.describe().page_bytes);
}

void run_lu(NodeSession& session) {
    const std::vector<Cpus> cpus = cpus_of_team();
    std::size_t order = 1;
    for (const Parameters& point : session.points()) {
        order = std::max(order, static_cast<std::size_t>(point.count("order")));
    }
    const std::size_t bytes = std::max(lu_bytes(order), PlacedBlas::probe_bytes(cpus.size()));
    require_memory("order: equations of order " + std::to_string(order), static_cast<double>(bytes),
                   available_memory_bytes());
    const Memory memory = compute::memory_by_turns(session, bytes);
    compute::record_each_on_its_library(
        session, cpus, memory.as<double>(), [&](const Parameters& point, const PlacedBlas& blas) {
            return measure_lu(session, point, blas, cpus.size(), memory);
        });
}

const RegisterNodeBenchmark registered_lu({"compute.lu", {"library", "order"}, &run_lu});

}  // namespace
}  // namespace machmeter
