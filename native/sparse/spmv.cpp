// sparse.spmv: y = A x in compressed rows, by matrix and by the schedule of its rows.
//
// An event is one product: a parallel region with its fork and its join. Each thread also times its
// own rows, which shows the imbalance that the schedule leaves.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/host/memory_size.hpp"
#include "core/session/node.hpp"
#include "core/values/json.hpp"
#include "sparse/spmv_checks.hpp"
#include "sparse/spmv_kernels.hpp"
#include "sparse/spmv_matrix.hpp"
#include "sparse/spmv_products.hpp"

namespace machmeter {
namespace {

using sparse::PlacedMatrix;
using sparse::Products;
using sparse::ProductTimes;
using sparse::RowSource;
using sparse::Schedule;
using sparse::schedule_of;

bool names_a_file(const std::string& matrix) {
    return matrix.ends_with(".mtx") || matrix.ends_with(".MTX");
}

RowSource open_matrix(const std::string& matrix, std::uint64_t nonzeros) {
    const double memory = available_memory_bytes();
    if (names_a_file(matrix)) {
        return sparse::source_of(sparse::read_matrix_market(matrix, memory), "Matrix Market file");
    }
    const sparse::Pattern pattern = sparse::parse_pattern(matrix);
    // A nonzero takes 12 bytes in each of two placements, and up to 16 as its part of a short row.
    // The offsets, which give the exact need, take less.
    constexpr double most_bytes_each = 40;
    require_memory("nonzeros: " + std::to_string(nonzeros),
                   static_cast<double>(nonzeros) * most_bytes_each, memory);
    return sparse::source_of(sparse::Generated(pattern, nonzeros), matrix);
}

// An open matrix becomes a product to check against and two placements, one copied from the other.
void require_memory_of_products(const RowSource& source, std::size_t threads, double memory) {
    const double bytes = sparse::reference_bytes(source, threads) +
                         2 * sparse::placed_bytes(source) +
                         static_cast<double>(source.offsets.size() * sizeof(std::uint64_t));
    require_memory("matrix: products of " + source.kind + " with " +
                       std::to_string(source.nonzeros()) + " nonzeros on " +
                       std::to_string(threads) + " threads",
                   bytes, memory);
}

// One matrix, the reference of its products, and its present placement.
class Problem {
   public:
    Problem(RowSource source, std::size_t page_bytes)
        : source_(std::move(source)),
          reference_(sparse::reference_product(source_)),
          page_bytes_(page_bytes) {}

    // The matrix placed for this schedule: by its own partition, or as static divides rows.
    const PlacedMatrix& placed_for(Schedule schedule, NodeSession& session) {
        const bool balanced = schedule == Schedule::balanced;
        if (!placed_ || (balanced_ && !balanced)) {
            place_by_rows();
        }
        if (balanced && !balanced_) {
            place_balanced(session);
        }
        if (!picture_) {
            picture_ = std::make_unique<sparse::Picture>(sparse::picture_of(*placed_));
        }
        return *placed_;
    }

    // The picture's counts at the first call: the points of a matrix share one.
    [[nodiscard]] std::optional<std::vector<double>> take_counts() {
        if (std::exchange(counts_taken_, true)) {
            return std::nullopt;
        }
        return picture_->counts;
    }

    // Seconds from the matrix as static divides it to the balanced one, of each placement so far.
    [[nodiscard]] const std::vector<double>& placement_seconds() const {
        return placement_seconds_;
    }

    [[nodiscard]] const RowSource& source() const { return source_; }
    [[nodiscard]] const sparse::Reference& reference() const { return reference_; }

    [[nodiscard]] bool has_runs() const { return 2 * picture_->consecutive > source_.nonzeros(); }

    [[nodiscard]] std::string description() const {
        return source_.kind + ", " + std::to_string(source_.rows) + " rows, " +
               std::to_string(source_.columns) + " columns, " + std::to_string(source_.nonzeros()) +
               " nonzeros, longest row " + std::to_string(source_.longest_row());
    }

   private:
    void place_by_rows() {
        placed_.reset();
        const auto threads = static_cast<std::size_t>(omp_get_max_threads());
        placed_ = std::make_unique<PlacedMatrix>(
            source_, sparse::partition_by_rows(source_.rows, threads), page_bytes_);
        balanced_ = false;
    }

    // The cost for a program whose matrix is placed by rows: the partition, and a copy in which
    // each part is first touched by its owner.
    void place_balanced(NodeSession& session) {
        const RowSource by_rows = sparse::source_of(*placed_, source_.kind);
        std::unique_ptr<PlacedMatrix> balanced;
        const double seconds = time_alone(session.clock(), [&] {
            balanced = std::make_unique<PlacedMatrix>(
                by_rows, sparse::partition_by_nonzeros(source_.offsets, placed_->threads()),
                page_bytes_);
        });
        session.add_timed(seconds);
        placement_seconds_.push_back(seconds);
        placed_ = std::move(balanced);
        balanced_ = true;
    }

    RowSource source_;
    sparse::Reference reference_;
    std::size_t page_bytes_;
    std::unique_ptr<PlacedMatrix> placed_;
    bool balanced_ = false;
    std::unique_ptr<sparse::Picture> picture_;
    bool counts_taken_ = false;
    std::vector<double> placement_seconds_;
};

std::vector<double> time_partitions(NodeSession& session, const RowSource& source,
                                    std::size_t threads) {
    std::size_t borders = 0;
    auto partitions = session.event([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            borders += sparse::partition_by_nonzeros(source.offsets, threads).at(threads / 2);
            asm volatile("" : "+r"(borders));
        }
    });
    return session.sample(partitions).seconds;
}

PointResult measure(NodeSession& session, Problem& problem, const Parameters& point) {
    const Schedule schedule = schedule_of(point);
    const PlacedMatrix& matrix = problem.placed_for(schedule, session);
    // No row of the last product may pass for one of this.
    std::fill_n(matrix.y(), matrix.rows(), std::numeric_limits<double>::quiet_NaN());
    Products products(session.clock(), matrix, schedule, problem.has_runs());
    const ProductTimes times = products.sample(session);
    const double share = sparse::largest_share_of_bound(problem.reference(), matrix.y());
    PointResult result(point);
    result.add_samples(
        {{"seconds", times.whole}, {"slowest_thread", times.slowest}, {"mean_thread", times.mean}},
        times.batch);
    result.check(share <= 1, "every row against an independent product: largest error " +
                                 (std::isfinite(share) ? json::number(share) : "unbounded") +
                                 " of the rounding bound");
    result.quantity("flops", 2 * matrix.nonzeros())
        .quantity("bytes", matrix.compulsory_bytes())
        .quantity("rows", matrix.rows())
        .quantity("columns", matrix.columns())
        .quantity("nonzeros", matrix.nonzeros())
        .quantity("longest_row", problem.source().longest_row())
        .quantity("threads", matrix.threads());
    result.attribute("matrix", problem.description())
        .attribute("traffic", "values (8 bytes), columns (4), row offsets (8), x and y once each")
        .attribute("loop",
                   problem.has_runs() ? sparse::RunsProduct::name : sparse::ScatteredProduct::name);
    result.page_bytes = matrix.page_bytes();
    if (schedule == Schedule::balanced) {
        result.quantity("partitions", 1);
        result
            .add_series("partition_seconds",
                        time_partitions(session, problem.source(), matrix.threads()))
            .add_series("placement_seconds", problem.placement_seconds());
    }
    if (auto counts = problem.take_counts()) {
        result.add_series("pattern", std::move(*counts));
    }
    return result;
}

std::string matrix_key(const Parameters& point) {
    const std::string& matrix = point.text("matrix");
    return names_a_file(matrix) ? matrix : matrix + " " + std::to_string(point.count("nonzeros"));
}

// In the order of the launch, but points of one matrix together, and within them those of one
// placement: each matrix is made once and placed twice at most.
std::vector<Parameters> grouped(const std::vector<Parameters>& points) {
    std::map<std::string, std::size_t> first_seen;
    std::vector<std::pair<std::pair<std::size_t, std::size_t>, const Parameters*>> keyed;
    for (const Parameters& point : points) {
        const std::string matrix = matrix_key(point);
        const bool balanced = schedule_of(point) == Schedule::balanced;
        const std::string placed = matrix + (balanced ? " balanced" : " by rows");
        const std::size_t of_matrix = first_seen.try_emplace(matrix, keyed.size()).first->second;
        const std::size_t of_placed = first_seen.try_emplace(placed, keyed.size()).first->second;
        keyed.push_back({{of_matrix, of_placed}, &point});
    }
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Parameters> ordered;
    ordered.reserve(keyed.size());
    for (const auto& [key, point] : keyed) {
        ordered.push_back(*point);
    }
    return ordered;
}

void run_spmv(NodeSession& session) {
    std::unique_ptr<Problem> problem;
    std::string key;
    for (const Parameters& point : grouped(session.points())) {
        if (!problem || matrix_key(point) != key) {
            problem.reset();
            key = matrix_key(point);
            const std::string& matrix = point.text("matrix");
            const std::uint64_t nonzeros = names_a_file(matrix) ? 0 : point.count("nonzeros");
            RowSource source = open_matrix(matrix, nonzeros);
            require_memory_of_products(source, static_cast<std::size_t>(omp_get_max_threads()),
                                       available_memory_bytes());
            problem = std::make_unique<Problem>(std::move(source), session.page_bytes());
        }
        session.begin(point);
        session.record(measure(session, *problem, point));
    }
}

const RegisterNodeBenchmark registered({"sparse.spmv",
                                        {"matrix", "schedule", "nonzeros"},
                                        &run_spmv});

}  // namespace
}  // namespace machmeter
