// A sparse matrix in compressed rows, made from entries in any order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace machmeter::sparse {

// Columns are counted in 32 bits, as most sparse libraries do; nonzeros in 64.
using Column = std::int32_t;

inline constexpr std::uint64_t most_columns = std::numeric_limits<Column>::max();

struct Entry {
    std::uint32_t row;
    Column column;
    double value;
};

// Row i's nonzeros are those numbered offsets[i] to offsets[i + 1], in order of their columns, each
// column once.
struct CompressedRows {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<std::uint64_t> offsets;
    std::vector<Column> column_of;
    std::vector<double> values;
};

// Appends a row whose nonzeros are in any order, some columns perhaps more than once.
inline void append_row(CompressedRows& matrix, std::vector<std::pair<Column, double>>& row) {
    const auto by_column = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(row.begin(), row.end(), by_column)) {
        // Stable, so that duplicates are summed in their order in the file.
        std::stable_sort(row.begin(), row.end(), by_column);
    }
    const std::size_t begin = matrix.column_of.size();
    for (const auto& [column, value] : row) {
        if (matrix.column_of.size() > begin && matrix.column_of.back() == column) {
            matrix.values.back() += value;
        } else {
            matrix.column_of.push_back(column);
            matrix.values.push_back(value);
        }
    }
    matrix.offsets.push_back(matrix.column_of.size());
}

// Entries of the same place are summed.
inline CompressedRows compress(std::size_t rows, std::size_t columns,
                               const std::vector<Entry>& entries) {
    std::vector<std::uint64_t> next(rows + 1, 0);
    for (const Entry& entry : entries) {
        ++next[entry.row + 1];
    }
    for (std::size_t row = 0; row < rows; ++row) {
        next[row + 1] += next[row];
    }
    const std::vector<std::uint64_t> begin = next;
    std::vector<std::uint64_t> in_order(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        in_order[next[entries[i].row]++] = i;
    }
    CompressedRows matrix{rows, columns, {0}, {}, {}};
    matrix.offsets.reserve(rows + 1);
    matrix.column_of.reserve(entries.size());
    matrix.values.reserve(entries.size());
    std::vector<std::pair<Column, double>> row_entries;
    for (std::size_t row = 0; row < rows; ++row) {
        row_entries.clear();
        for (std::uint64_t i = begin[row]; i < begin[row + 1]; ++i) {
            const Entry& entry = entries[in_order[i]];
            row_entries.emplace_back(entry.column, entry.value);
        }
        append_row(matrix, row_entries);
    }
    return matrix;
}

}  // namespace machmeter::sparse
