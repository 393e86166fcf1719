#include <unistd.h>

#include <cstdlib>
#include <numeric>

#include "core/memory/pages.hpp"
#include "sparse/spmv.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

constexpr const char* matrices[] = {"banded", "ramp", "power-law", "random"};
constexpr const char* schedules[] = {"static", "dynamic", "guided", "balanced"};

bool has_series(const PointResult& point, std::string_view name) {
    return !test::series_of(point, name).empty();
}

std::string point_of(const std::string& matrix, const std::string& schedule,
                     std::uint64_t nonzeros = 20'000) {
    return "matrix=" + matrix + ",schedule=" + schedule + ",nonzeros=" + std::to_string(nonzeros);
}

std::vector<PointResult> run(const std::vector<std::string>& points) {
    return test::run_with_fake_clock(&run_spmv, points, 1'000'000);
}

RowSource generated(const std::string& name, std::uint64_t nonzeros) {
    return open_matrix(name, nonzeros);
}

// [1 0 2; 0 0 0; 0 3 0; 4 5 6], with rows of no, one, two and three nonzeros.
RowSource small_matrix() {
    return sparse::source_of(
        sparse::compress(4, 3, {{0, 0, 1}, {0, 2, 2}, {2, 1, 3}, {3, 0, 4}, {3, 1, 5}, {3, 2, 6}}),
        "small");
}

}  // namespace

TEST(every_schedule_of_every_matrix_passes_its_check_on_any_team) {
    std::vector<std::string> points;
    for (const char* matrix : matrices) {
        for (const char* schedule : schedules) {
            points.push_back(point_of(matrix, schedule));
        }
    }
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        const auto recorded = run(points);
        CHECK(recorded.size() == points.size());
        for (const PointResult& point : recorded) {
            CHECK(point.check_passed);
            CHECK(test::quantity_of(point, "threads") == threads);
            CHECK(test::quantity_of(point, "flops") == 2 * test::quantity_of(point, "nonzeros"));
            CHECK(test::quantity_of(point, "bytes") ==
                  12 * test::quantity_of(point, "nonzeros") +
                      8 * (test::quantity_of(point, "rows") + 1) +
                      8 * (test::quantity_of(point, "rows") + test::quantity_of(point, "columns")));
            const bool balanced = point.parameters.text("schedule") == "balanced";
            CHECK((test::quantity_of(point, "partitions") == 1) == balanced);
            CHECK(has_series(point, "partition_seconds") == balanced);
            CHECK(has_series(point, "placement_seconds") == balanced);
            CHECK(!balanced || test::series_of(point, "placement_seconds").size() == 1);
            CHECK(point.page_bytes == base_page_bytes());
        }
    }
}

TEST(a_product_and_its_threads_are_timed_by_the_clock_given) {
    omp_set_num_threads(1);
    const PointResult one = run({point_of("banded", "static")}).at(0);
    // The clock is read at both ends of the product and of its one thread's rows.
    CHECK(one.batch == 1);
    CHECK(!test::series_of(one, "seconds").empty());
    CHECK(test::series_of(one, "seconds") ==
          std::vector<double>(test::series_of(one, "seconds").size(), 3e-3));
    CHECK(test::series_of(one, "slowest_thread") ==
          std::vector<double>(test::series_of(one, "seconds").size(), 1e-3));
    CHECK(test::series_of(one, "mean_thread") == test::series_of(one, "slowest_thread"));
    omp_set_num_threads(3);
    const PointResult three = run({point_of("banded", "guided")}).at(0);
    const auto slowest = test::series_of(three, "slowest_thread");
    const auto mean = test::series_of(three, "mean_thread");
    CHECK(slowest.size() == mean.size());
    CHECK(slowest.size() == test::series_of(three, "seconds").size());
    for (std::size_t i = 0; i < slowest.size(); ++i) {
        CHECK(slowest[i] >= mean[i]);
        CHECK(slowest[i] < test::series_of(three, "seconds").at(i));
    }
}

TEST(products_too_short_for_the_clock_are_timed_together) {
    omp_set_num_threads(1);
    const PointResult point =
        test::run_with_fake_clock(&run_spmv, {point_of("banded", "static", 1000)}, 10).at(0);
    CHECK(point.batch > 1);
    CHECK(point.check_passed);
    // Of the readings, two a product and one at the end, half are inside the rows.
    for (const double seconds : test::series_of(point, "slowest_thread")) {
        CHECK(test::near(seconds, 10e-9));
    }
}

TEST(a_product_is_what_pencil_and_paper_give) {
    omp_set_num_threads(2);
    const RowSource source = small_matrix();
    const double x0 = sparse::value_of_x(0);
    const double x1 = sparse::value_of_x(1);
    const double x2 = sparse::value_of_x(2);
    const std::vector<double> expected = {x0 + 2 * x2, 0, 3 * x1, 4 * x0 + 5 * x1 + 6 * x2};
    CHECK(sparse::reference_product(source).y == expected);
    for (const Schedule schedule :
         {Schedule::fixed, Schedule::dynamic, Schedule::guided, Schedule::balanced}) {
        for (const bool runs : {false, true}) {
            const PlacedMatrix placed(source, sparse::partition_by_nonzeros(source.offsets, 2),
                                      base_page_bytes());
            Products products(test::fake_clock, placed, schedule, runs);
            products.run(3);
            CHECK(std::vector<double>(placed.y(), placed.y() + placed.rows()) == expected);
        }
    }
}

TEST(both_loops_give_the_same_product_for_every_row_length) {
    constexpr std::size_t longest = 40;
    std::vector<double> values(longest + sparse::lookahead);
    std::iota(values.begin(), values.end(), 1);
    std::vector<double> x(200);
    std::iota(x.begin(), x.end(), 5);
    std::vector<sparse::Column> columns(values.size(), 0);
    for (std::uint64_t length = 0; length <= longest; ++length) {
        for (const sparse::Column gap : {1, 3}) {
            double expected = 0;
            for (std::size_t k = 0; k < length; ++k) {
                // A gap in the middle: a run, then no run.
                columns[k] = static_cast<sparse::Column>(k) * gap + (k > 11 ? 2 : 0);
                expected += values[k] * x[static_cast<std::size_t>(columns[k])];
            }
            const auto product = [&](auto loop) {
                return loop(columns.data(), values.data(), length, x.data());
            };
            CHECK(product(sparse::RunsProduct{}) == expected);
            CHECK(product(sparse::ScatteredProduct{}) == expected);
        }
    }
}

TEST(the_check_finds_one_wrong_row_and_a_row_never_written) {
    omp_set_num_threads(2);
    const RowSource source = generated("power-law", 20'000);
    const sparse::Reference reference = sparse::reference_product(source);
    std::vector<double> y = reference.y;
    CHECK(sparse::largest_share_of_bound(reference, y.data()) == 0);
    const std::size_t last = source.rows - 1;
    y[last] = reference.y[last] + 3 * reference.bound[last];
    CHECK(sparse::largest_share_of_bound(reference, y.data()) > 1);
    y[last] = reference.y[last] == 0 ? 1e-300 : reference.y[last] * (1 + 1e-9);
    CHECK(sparse::largest_share_of_bound(reference, y.data()) > 1);
    y[last] = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isinf(sparse::largest_share_of_bound(reference, y.data())));
}

TEST(the_check_finds_a_wrong_column_in_the_placed_matrix) {
    omp_set_num_threads(1);
    const RowSource source = generated("random", 20'000);
    const PlacedMatrix placed(source, sparse::partition_by_rows(source.rows, 1), base_page_bytes());
    const sparse::Reference reference = sparse::reference_product(source);
    Products products(test::fake_clock, placed, Schedule::fixed, false);
    products.run(1);
    CHECK(sparse::largest_share_of_bound(reference, placed.y()) <= 1);
    placed.column_of()[placed.nonzeros() / 2] += 1;
    products.run(1);
    CHECK(sparse::largest_share_of_bound(reference, placed.y()) > 1);
}

TEST(the_picture_counts_every_nonzero_where_it_lies) {
    omp_set_num_threads(2);
    constexpr std::size_t cells = sparse::Picture::cells;
    for (const char* name : matrices) {
        const PointResult point = run({point_of(name, "static", 50'000)}).at(0);
        const auto counts = test::series_of(point, "pattern");
        CHECK(counts.size() == cells * cells);
        CHECK(std::accumulate(counts.begin(), counts.end(), 0.0) ==
              test::quantity_of(point, "nonzeros"));
        const bool near_diagonal = std::string_view(name) == "banded";
        CHECK((counts[cells - 1] == 0) == (near_diagonal || std::string_view(name) == "ramp"));
    }
    const RowSource small = small_matrix();
    const PlacedMatrix placed(small, sparse::partition_by_rows(4, 2), base_page_bytes());
    const sparse::Picture picture = sparse::picture_of(placed);
    CHECK(picture.counts[0] == 1);
    CHECK(picture.counts[2 * cells / 3] == 1);
    CHECK(picture.counts[2 * cells / 4 * cells + cells / 3] == 1);
    CHECK(picture.consecutive == 2);
}

TEST(a_launch_holds_one_picture_of_each_matrix) {
    omp_set_num_threads(1);
    std::vector<std::string> points;
    for (const char* schedule : schedules) {
        points.push_back(point_of("ramp", schedule));
        points.push_back(point_of("banded", schedule));
    }
    std::map<std::string, int> pictures;
    for (const PointResult& point : run(points)) {
        pictures[point.parameters.text("matrix")] += has_series(point, "pattern") ? 1 : 0;
    }
    CHECK(pictures == std::map<std::string, int>{{"banded", 1}, {"ramp", 1}});
}

TEST(a_placement_is_timed_whatever_was_placed_before_and_holds_the_same_matrix) {
    omp_set_num_threads(2);
    for (const auto& order : {std::vector{"balanced", "static"}, std::vector{"static", "balanced"},
                              std::vector{"balanced"}}) {
        std::vector<std::string> points;
        for (const char* schedule : order) {
            points.push_back(point_of("power-law", schedule));
        }
        for (const PointResult& point : run(points)) {
            CHECK(point.check_passed);
            if (point.parameters.text("schedule") == "balanced") {
                // One stretch of the clock.
                CHECK(test::series_of(point, "placement_seconds") == std::vector<double>{1e-3});
            }
        }
    }
    const RowSource source = generated("power-law", 20'000);
    const PlacedMatrix placed(source, sparse::partition_by_rows(source.rows, 2), base_page_bytes());
    const PlacedMatrix copied(sparse::source_of(placed, source.kind),
                              sparse::partition_by_nonzeros(source.offsets, 2), base_page_bytes());
    CHECK(std::equal(placed.values(), placed.values() + placed.nonzeros(), copied.values()));
    CHECK(
        std::equal(placed.column_of(), placed.column_of() + placed.nonzeros(), copied.column_of()));
    CHECK(std::equal(placed.offsets(), placed.offsets() + placed.rows() + 1, copied.offsets()));
}

TEST(the_loop_follows_the_matrix) {
    omp_set_num_threads(1);
    for (const char* name : matrices) {
        const PointResult point = run({point_of(name, "static")}).at(0);
        const std::string_view matrix = name;
        const bool runs = matrix == "banded" || matrix == "ramp";
        CHECK(point.attributes.at(2).second ==
              (runs ? sparse::RunsProduct::name : sparse::ScatteredProduct::name));
    }
}

TEST(points_of_a_matrix_and_a_placement_come_together_in_the_order_given) {
    std::vector<Parameters> points;
    for (const char* text :
         {"matrix=ramp,schedule=guided,nonzeros=5", "matrix=banded,schedule=static,nonzeros=5",
          "matrix=ramp,schedule=balanced,nonzeros=5", "matrix=ramp,schedule=guided,nonzeros=6",
          "matrix=ramp,schedule=static,nonzeros=5"}) {
        points.emplace_back(text);
    }
    std::string order;
    for (const Parameters& point : grouped(points)) {
        order += point.text("matrix").substr(0, 1) + point.text("schedule").substr(0, 1) +
                 point.text("nonzeros") + " ";
    }
    CHECK(order == "rg5 rs5 rb5 bs5 rg6 ");
}

TEST(a_matrix_market_file_is_measured_whatever_its_nonzeros_parameter_says) {
    omp_set_num_threads(2);
    char path[] = "/tmp/test_spmv_XXXXXX.mtx";
    const int descriptor = mkstemps(path, 4);
    const std::string text =
        "%%MatrixMarket matrix coordinate real general\n3 5 4\n1 5 0.1\n3 1 -7\n3 2 7\n3 5 1e-3\n";
    CHECK(write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    close(descriptor);
    for (const char* schedule : schedules) {
        const PointResult point =
            run({"matrix=" + std::string(path) + ",schedule=" + schedule}).at(0);
        CHECK(point.check_passed);
        CHECK(test::quantity_of(point, "rows") == 3);
        CHECK(test::quantity_of(point, "columns") == 5);
        CHECK(test::quantity_of(point, "nonzeros") == 4);
        CHECK(test::quantity_of(point, "longest_row") == 3);
    }
    unlink(path);
    CHECK_THROWS(UsageError, "there is no file", run({point_of(path, "static")}));
}

TEST(points_that_mean_nothing_are_refused) {
    CHECK_THROWS(UsageError, "schedule: 'fair'", run({point_of("banded", "fair")}));
    CHECK_THROWS(UsageError, "'cube' is none of banded", run({point_of("cube", "static")}));
    CHECK_THROWS(UsageError, "lacks parameter 'nonzeros'", run({"matrix=ramp,schedule=static"}));
    CHECK_THROWS(UsageError, "GB are available",
                 run({point_of("banded", "static", 2'000'000'000'000)}));
}

}  // namespace machmeter
