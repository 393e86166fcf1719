// A matrix row by row, as any thread can make it, and that matrix placed in the memory of the
// threads that will multiply with it.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/openmp/teams.hpp"
#include "sparse/compressed_rows.hpp"
#include "sparse/matrix_market.hpp"
#include "sparse/sparse_matrices.hpp"
#include "sparse/spmv_kernels.hpp"

namespace machmeter::sparse {

// fill(row, columns, values) writes the nonzeros of a row; any thread may call it.
struct RowSource {
    std::string kind;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<std::uint64_t> offsets;
    std::function<void(std::size_t row, Column* columns, double* values)> fill;

    [[nodiscard]] std::uint64_t nonzeros() const { return offsets.back(); }
    [[nodiscard]] std::uint64_t length(std::size_t row) const {
        return offsets[row + 1] - offsets[row];
    }

    [[nodiscard]] std::uint64_t longest_row() const {
        std::uint64_t longest = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            longest = std::max(longest, length(row));
        }
        return longest;
    }
};

inline RowSource source_of(const Generated& matrix, std::string kind) {
    const auto rows = static_cast<std::uint32_t>(matrix.rows());
    std::vector<std::uint64_t> offsets(std::size_t{rows} + 1, 0);
#pragma omp parallel for schedule(static)
    for (std::uint32_t row = 0; row < rows; ++row) {
        offsets[row + 1] = matrix.window(row).nonzeros;
    }
    for (std::size_t row = 0; row < rows; ++row) {
        offsets[row + 1] += offsets[row];
    }
    const auto fill = [matrix](std::size_t row, Column* columns, double* values) {
        const auto number = static_cast<std::uint32_t>(row);
        matrix.fill(number, matrix.window(number), columns, values);
    };
    return {std::move(kind), rows, matrix.columns(), std::move(offsets), fill};
}

inline RowSource source_of(CompressedRows matrix, std::string kind) {
    const auto kept = std::make_shared<const CompressedRows>(std::move(matrix));
    const auto fill = [kept](std::size_t row, Column* columns, double* values) {
        const auto begin = static_cast<std::ptrdiff_t>(kept->offsets[row]);
        const auto end = static_cast<std::ptrdiff_t>(kept->offsets[row + 1]);
        std::copy(kept->column_of.begin() + begin, kept->column_of.begin() + end, columns);
        std::copy(kept->values.begin() + begin, kept->values.begin() + end, values);
    };
    return {std::move(kind), kept->rows, kept->columns, kept->offsets, fill};
}

// A part's rows begin at parts[part] and end before parts[part + 1].
using Partition = std::vector<std::size_t>;

// As schedule(static) divides rows: equal counts, the first threads one more.
inline Partition partition_by_rows(std::size_t rows, std::size_t parts) {
    Partition begins(parts + 1, rows);
    for (std::size_t part = 0; part < parts; ++part) {
        begins[part] = part * (rows / parts) + std::min(part, rows % parts);
    }
    return begins;
}

// As equal in nonzeros as whole rows allow: each border is the begin of the row nearest to it.
inline Partition partition_by_nonzeros(const std::vector<std::uint64_t>& offsets,
                                       std::size_t parts) {
    Partition begins(parts + 1, offsets.size() - 1);
    begins[0] = 0;
    for (std::size_t part = 1; part < parts; ++part) {
        // The share in two steps: the product of both could exceed 64 bits.
        const std::uint64_t share =
            offsets.back() / parts * part + offsets.back() % parts * part / parts;
        const auto above = std::lower_bound(offsets.begin(), offsets.end(), share);
        const bool below_is_nearer =
            above != offsets.begin() && share - *(above - 1) < *above - share;
        const auto border = above - offsets.begin() - (below_is_nearer ? 1 : 0);
        begins[part] = std::max(static_cast<std::size_t>(border), begins[part - 1]);
    }
    return begins;
}

// Exact in binary, and different in neighbors, so that a wrong column changes a product.
inline double value_of_x(std::size_t column) {
    return 1 + static_cast<double>(column % 1021) / 1024;
}

// Each part of the matrix and of both vectors is first touched by the thread of the part's number.
class PlacedMatrix {
   public:
    PlacedMatrix(const RowSource& source, Partition parts, std::size_t page_bytes)
        : rows_(source.rows),
          columns_(source.columns),
          nonzeros_(source.nonzeros()),
          parts_(std::move(parts)),
          memories_{Memory((rows_ + 1) * sizeof(std::uint64_t), page_bytes),
                    Memory((nonzeros_ + lookahead) * sizeof(Column), page_bytes),
                    Memory((nonzeros_ + lookahead) * sizeof(double), page_bytes),
                    Memory(columns_ * sizeof(double), page_bytes),
                    Memory(rows_ * sizeof(double), page_bytes)} {
        int team = 0;
#pragma omp parallel num_threads(static_cast<int>(threads()))
        {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            if (thread == 0) {
                team = omp_get_num_threads();
            }
            if (omp_get_num_threads() == static_cast<int>(threads())) {
                touch(source, thread);
            }
        }
        require_team(static_cast<std::size_t>(team), threads());
    }

    [[nodiscard]] std::size_t threads() const { return parts_.size() - 1; }
    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t columns() const { return columns_; }
    [[nodiscard]] std::uint64_t nonzeros() const { return nonzeros_; }
    [[nodiscard]] const Partition& parts() const { return parts_; }

    [[nodiscard]] std::uint64_t* offsets() const { return memories_[0].as<std::uint64_t>(); }
    [[nodiscard]] Column* column_of() const { return memories_[1].as<Column>(); }
    [[nodiscard]] double* values() const { return memories_[2].as<double>(); }
    [[nodiscard]] double* x() const { return memories_[3].as<double>(); }
    [[nodiscard]] double* y() const { return memories_[4].as<double>(); }

    // What is read and written at least once in a product.
    [[nodiscard]] double compulsory_bytes() const {
        return static_cast<double>(nonzeros_ * (sizeof(double) + sizeof(Column)) +
                                   (rows_ + 1) * sizeof(std::uint64_t) +
                                   (columns_ + rows_) * sizeof(double));
    }

    [[nodiscard]] std::size_t page_bytes() const {
        std::vector<const Memory*> pieces;
        pieces.reserve(memories_.size());
        for (const Memory& memory : memories_) {
            pieces.push_back(&memory);
        }
        return describe(pieces).page_bytes;
    }

   private:
    void touch(const RowSource& source, std::size_t thread) {
        const std::size_t begin = parts_[thread];
        const std::size_t end = parts_[thread + 1];
        for (std::size_t row = begin; row < end; ++row) {
            offsets()[row] = source.offsets[row];
            source.fill(row, column_of() + source.offsets[row], values() + source.offsets[row]);
            y()[row] = 0;
        }
        for (std::size_t column = column_at(begin); column < column_at(end); ++column) {
            x()[column] = value_of_x(column);
        }
        if (thread + 1 == threads()) {
            offsets()[rows_] = nonzeros_;
            std::fill_n(column_of() + nonzeros_, lookahead, 0);
            std::fill_n(values() + nonzeros_, lookahead, 0.0);
        }
    }

    // The part of x as far along as those rows are: the same in a square matrix.
    [[nodiscard]] std::size_t column_at(std::size_t row) const {
        return rows_ == columns_ ? row : row * columns_ / rows_;
    }

    std::size_t rows_;
    std::size_t columns_;
    std::uint64_t nonzeros_;
    Partition parts_;
    std::array<Memory, 5> memories_;
};

// Bytes that a placed matrix of these sizes takes, without its page tables.
inline double placed_bytes(const RowSource& source) {
    return static_cast<double>(source.nonzeros() + lookahead) * (sizeof(Column) + sizeof(double)) +
           static_cast<double>(2 * source.rows + source.columns + 1) * sizeof(double);
}

// The same matrix, its rows copied from where they are placed; `placed` must outlive it.
inline RowSource source_of(const PlacedMatrix& placed, std::string kind) {
    const std::uint64_t* offsets = placed.offsets();
    const auto fill = [offsets, from_columns = placed.column_of(), from_values = placed.values()](
                          std::size_t row, Column* columns, double* values) {
        std::copy(from_columns + offsets[row], from_columns + offsets[row + 1], columns);
        std::copy(from_values + offsets[row], from_values + offsets[row + 1], values);
    };
    return {std::move(kind),
            placed.rows(),
            placed.columns(),
            {offsets, offsets + placed.rows() + 1},
            fill};
}

}  // namespace machmeter::sparse
