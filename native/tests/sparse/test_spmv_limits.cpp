// What a product may take: time, memory for its check, and errors on their way out of a team.
#include <cstdint>
#include <new>
#include <vector>

#include "core/memory/pages.hpp"
#include "sparse/spmv.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

// [1 0 2; 0 0 0; 0 3 0; 4 5 6], with rows of no, one, two and three nonzeros.
RowSource small_matrix() {
    return sparse::source_of(
        sparse::compress(4, 3, {{0, 0, 1}, {0, 2, 2}, {2, 1, 3}, {3, 0, 4}, {3, 1, 5}, {3, 2, 6}}),
        "small");
}

// One row of every column, and one of the first alone.
RowSource long_row_matrix(std::uint32_t columns) {
    std::vector<sparse::Entry> entries = {{1, 0, 1}};
    for (std::uint32_t column = 0; column < columns; ++column) {
        entries.push_back({0, static_cast<sparse::Column>(column), 1});
    }
    return sparse::source_of(sparse::compress(2, columns, entries), "long row");
}

}  // namespace

TEST(products_that_take_far_longer_than_planned_end_early) {
    omp_set_num_threads(1);
    const RowSource source = small_matrix();
    const PlacedMatrix placed(source, sparse::partition_by_rows(source.rows, 1), base_page_bytes());
    NodeSession session = test::fake_session();
    Products products(test::fake_clock, placed, Schedule::fixed, false);
    test::fake_step = 1'000'000;
    // A product is three stretches of the clock.
    CHECK(products.take(session, {.batch = 1, .samples = 20}).whole.size() == 20);
    const auto cut = products.take(session, {.batch = 1, .samples = 20, .most_seconds = 10e-3});
    CHECK(cut.whole.size() == 4 && cut.slowest.size() == 4 && cut.mean.size() == 4);
    const auto fewest = products.take(session, {.batch = 1, .samples = 20, .most_seconds = 0});
    CHECK(fewest.whole.size() == fewest_samples);
    CHECK(test::near(session.timed_seconds(), 27 * 3e-3));
}

TEST(a_row_too_long_for_every_thread_has_a_reference_all_the_same) {
    omp_set_num_threads(2);
    const RowSource source = long_row_matrix(sparse::most_in_team + 5);
    double expected = 0;
    for (std::size_t column = source.columns; column-- > 0;) {
        expected += sparse::value_of_x(column);
    }
    CHECK(sparse::reference_product(source).y == std::vector<double>{expected, 1});
}

TEST(memory_for_the_reference_grows_with_threads_only_up_to_rows_of_a_bound) {
    const auto more_for_a_thread = [](const RowSource& source) {
        return sparse::reference_bytes(source, 9) - sparse::reference_bytes(source, 8);
    };
    constexpr auto bound = static_cast<std::uint32_t>(sparse::most_in_team);
    CHECK(more_for_a_thread(long_row_matrix(10)) == 10 * 24);
    CHECK(more_for_a_thread(long_row_matrix(bound)) == bound * 24.0);
    CHECK(more_for_a_thread(long_row_matrix(3 * bound)) == bound * 24.0);
    CHECK(sparse::reference_bytes(long_row_matrix(3 * bound), 1) == 2 * 16 + 4 * bound * 24.0);
}

TEST(a_matrix_whose_check_needs_more_memory_than_there_is_is_refused) {
    const RowSource source = small_matrix();
    require_memory_of_products(source, 2, 1e6);
    const auto refused = [&] {
        require_memory_of_products(source, 1000, 20'000);
        return 0;
    };
    CHECK_THROWS(UsageError, "products of small with 6 nonzeros on 1000 threads need", refused());
    CHECK_THROWS(UsageError, "are available", refused());
}

TEST(an_error_in_a_row_leaves_the_team_as_an_exception) {
    omp_set_num_threads(2);
    RowSource source = small_matrix();
    source.fill = [](std::size_t, sparse::Column*, double*) { throw std::bad_alloc(); };
    CHECK_THROWS(std::bad_alloc, "bad_alloc", sparse::reference_product(source));
}

}  // namespace machmeter
