// Generated matrices, and how their rows are shared out.
#include <algorithm>
#include <functional>

#include "sparse/spmv_matrix.hpp"
#include "tests/support/check.hpp"

namespace machmeter::sparse {
namespace {

constexpr const char* matrices[] = {"banded", "ramp", "power-law", "random"};

RowSource generated(const std::string& name, std::uint64_t nonzeros) {
    return source_of(Generated(parse_pattern(name), nonzeros), name);
}

}  // namespace

TEST(generated_matrices_are_sound_and_the_same_each_time) {
    for (const char* name : matrices) {
        for (const std::uint64_t nonzeros : {1000U, 12'345U, 300'000U}) {
            const RowSource source = generated(name, nonzeros);
            const auto requested = static_cast<double>(nonzeros);
            const double off = static_cast<double>(source.nonzeros()) / requested - 1;
            test::report(std::abs(off) < 0.2, name, __FILE__, static_cast<int>(nonzeros));
            const RowSource again = generated(name, nonzeros);
            CHECK(source.offsets == again.offsets);
            for (std::size_t row = 0; row < source.rows; ++row) {
                const std::uint64_t length = source.length(row);
                std::vector<Column> columns(length);
                std::vector<double> values(length);
                source.fill(row, columns.data(), values.data());
                std::vector<Column> same_columns(length);
                std::vector<double> same_values(length);
                again.fill(row, same_columns.data(), same_values.data());
                CHECK(columns == same_columns);
                CHECK(values == same_values);
                CHECK(std::adjacent_find(columns.begin(), columns.end(), std::greater_equal<>()) ==
                      columns.end());
                CHECK(columns.empty() || (columns.front() >= 0 &&
                                          columns.back() < static_cast<Column>(source.columns)));
                CHECK(std::all_of(values.begin(), values.end(),
                                  [](double value) { return value >= 0.5 && value < 1.5; }));
            }
        }
    }
}

TEST(each_matrix_has_its_shape) {
    const RowSource banded = generated("banded", 50'000);
    CHECK(banded.length(banded.rows / 2) == 25);
    CHECK(banded.length(0) == 13);
    const RowSource ramp = generated("ramp", 640'000);
    CHECK(ramp.length(0) == 1);
    CHECK(ramp.length(ramp.rows - 1) == 127);
    CHECK(ramp.length(ramp.rows / 2) == 64);
    const RowSource random = generated("random", 160'000);
    CHECK(random.longest_row() == 24);
    const RowSource power = generated("power-law", 800'000);
    const double mean = static_cast<double>(power.nonzeros()) / static_cast<double>(power.rows);
    CHECK(static_cast<double>(power.longest_row()) > 100 * mean);
    // Under a density of exponent -5/2, lengths above 4 l are 1/8 as many as those above l.
    const auto longer_than = [&](std::uint64_t length) {
        double count = 0;
        for (std::size_t row = 0; row < power.rows; ++row) {
            count += power.length(row) > length ? 1 : 0;
        }
        return count;
    };
    const double ratio = longer_than(120) / longer_than(30);
    CHECK(ratio > 0.09);
    CHECK(ratio < 0.16);
    CHECK_THROWS(UsageError, "a path ending in .mtx", parse_pattern("dense"));
    CHECK_THROWS(UsageError, "more columns than 32 bits count",
                 Generated(Pattern::power_law, std::uint64_t{1} << 40U));
}

TEST(partitions_cover_the_rows_once_and_are_even) {
    for (const char* name : matrices) {
        const RowSource source = generated(name, 200'000);
        const auto longest = static_cast<double>(source.longest_row());
        for (const std::size_t parts : {1U, 2U, 3U, 7U, 64U, 1000U}) {
            const Partition by_rows = partition_by_rows(source.rows, parts);
            const Partition even = partition_by_nonzeros(source.offsets, parts);
            for (const Partition& begins : {by_rows, even}) {
                CHECK(begins.size() == parts + 1);
                CHECK(begins.front() == 0);
                CHECK(begins.back() == source.rows);
                CHECK(std::is_sorted(begins.begin(), begins.end()));
            }
            const double share =
                static_cast<double>(source.nonzeros()) / static_cast<double>(parts);
            for (std::size_t part = 0; part < parts; ++part) {
                const std::size_t rows = by_rows[part + 1] - by_rows[part];
                CHECK(rows == source.rows / parts || rows == source.rows / parts + 1);
                const auto nonzeros = static_cast<double>(source.offsets[even[part + 1]] -
                                                          source.offsets[even[part]]);
                CHECK(nonzeros <= share + longest + 1);
            }
        }
    }
}

TEST(the_partition_by_rows_is_that_of_the_static_schedule) {
    for (const int threads : {1, 2, 3, 5}) {
        for (const std::size_t rows : {1U, 7U, 30U, 1001U}) {
            std::vector<int> owner(rows, -1);
#pragma omp parallel num_threads(threads)
            {
#pragma omp for schedule(static)
                for (std::size_t row = 0; row < rows; ++row) {
                    owner[row] = omp_get_thread_num();
                }
            }
            const Partition parts = partition_by_rows(rows, static_cast<std::size_t>(threads));
            for (std::size_t row = 0; row < rows; ++row) {
                const auto part = static_cast<std::size_t>(owner[row]);
                CHECK(parts[part] <= row);
                CHECK(row < parts[part + 1]);
            }
        }
    }
}

}  // namespace machmeter::sparse
