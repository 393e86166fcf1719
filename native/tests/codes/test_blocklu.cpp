// Factors are those of a dense elimination, whoever does it in whatever order; the checks see when
// they are not.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "codes/blocklu.cpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"
#include "tests/support/weak_work.hpp"

namespace machmeter {
namespace {

using blocklu::Matrix;
using blocklu::Structure;
using blocklu::Tasks;

constexpr std::size_t page = 4096;

Matrix made(const Structure& structure, std::size_t block, int threads,
            codes::Touch touch = codes::Touch::owner) {
    return {structure, block, touch, page, threads};
}

void factor(Matrix& matrix, Tasks tasks) {
    TeamTimes times(matrix.threads(), blocklu::parts);
    matrix.factor(tasks, times);
}

double element(const Matrix& matrix, std::size_t row, std::size_t column) {
    const std::size_t block = matrix.shape().block;
    const float* const at = matrix.at(row / block, column / block);
    return at == nullptr
               ? 0
               : static_cast<double>(at[row % block * matrix.shape().stride + column % block]);
}

// As given, in double precision, by columns of unit vectors.
std::vector<std::vector<double>> dense(const Matrix& matrix) {
    std::vector<std::vector<double>> rows(matrix.order(), std::vector<double>(matrix.order()));
    for (std::size_t column = 0; column < matrix.order(); ++column) {
        std::vector<double> unit(matrix.order(), 0);
        unit[column] = 1;
        const std::vector<double> found = blocklu::times_given(matrix, unit);
        for (std::size_t row = 0; row < matrix.order(); ++row) {
            rows[row][column] = found[row];
        }
    }
    return rows;
}

void eliminate(std::vector<std::vector<double>>& rows) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
        for (std::size_t row = k + 1; row < rows.size(); ++row) {
            rows[row][k] /= rows[k][k];
            for (std::size_t column = k + 1; column < rows.size(); ++column) {
                rows[row][column] -= rows[row][k] * rows[k][column];
            }
        }
    }
}

// Of U by the diagonal of its row, of L as it is: both are below 1.
double largest_difference(const Matrix& matrix, const std::vector<std::vector<double>>& expected) {
    double largest = 0;
    for (std::size_t row = 0; row < matrix.order(); ++row) {
        for (std::size_t column = 0; column < matrix.order(); ++column) {
            const double scale = column < row ? 1 : expected[row][row];
            const double apart = element(matrix, row, column) - expected[row][column];
            largest = std::fmax(largest, std::abs(apart) / scale);
        }
    }
    return largest;
}

bool are_equal(const Matrix& a, const Matrix& b) {
    for (std::size_t row = 0; row < a.order(); ++row) {
        for (std::size_t column = 0; column < a.order(); ++column) {
            if (element(a, row, column) != element(b, row, column)) {
                return false;
            }
        }
    }
    return true;
}

TEST(factors_are_those_of_a_dense_elimination) {
    for (const auto& [blocks, block] :
         {std::array<std::size_t, 2>{2, 8}, {3, 33}, {7, 17}, {5, 50}, {4, 101}, {2, 200}}) {
        const Structure structure(blocks);
        std::vector<std::vector<double>> expected = dense(made(structure, block, 1));
        eliminate(expected);
        // Elements are below their diagonal by a few units of single precision a step.
        const double bound = std::ldexp(std::sqrt(static_cast<double>(blocks * block)), -23);
        Matrix one = made(structure, block, 1);
        factor(one, Tasks::depend);
        CHECK(largest_difference(one, expected) <= bound);
        CHECK(blocklu::fault_of(one, structure) == "");
        for (const Tasks tasks : {Tasks::depend, Tasks::taskwait}) {
            for (const int threads : {1, 2, 3}) {
                Matrix matrix = made(structure, block, threads, codes::Touch::interleaved);
                factor(matrix, tasks);
                CHECK(are_equal(matrix, one));
                CHECK(blocklu::fault_of(matrix, structure) == "");
            }
        }
    }
}

TEST(a_second_factorization_is_the_same) {
    const Structure structure(9);
    Matrix once = made(structure, 20, 2);
    factor(once, Tasks::depend);
    Matrix twice = made(structure, 20, 2);
    factor(twice, Tasks::taskwait);
    factor(twice, Tasks::depend);
    CHECK(are_equal(once, twice));
    CHECK(twice.products_done() == structure.products());
}

// Whether a path leads from `row` to `column` through blocks before both: there the elimination
// makes one (Rose and Tarjan, SIAM J. Appl. Math. 34, 1978).
bool path_leads(std::size_t row, std::size_t column) {
    const std::size_t least = std::min(row, column);
    std::vector<bool> seen(least, false);
    std::vector<std::size_t> open{row};
    while (!open.empty()) {
        const std::size_t from = open.back();
        open.pop_back();
        if (blocklu::is_given(from, column)) {
            return true;
        }
        for (std::size_t to = 0; to < least; ++to) {
            if (!seen[to] && blocklu::is_given(from, to)) {
                seen[to] = true;
                open.push_back(to);
            }
        }
    }
    return false;
}

TEST(elimination_makes_the_blocks_that_paths_lead_to) {
    for (const std::size_t blocks : {2, 5, 24, 61}) {
        const Structure structure(blocks);
        std::size_t at_end = 0;
        for (std::size_t row = 0; row < blocks; ++row) {
            for (std::size_t column = 0; column < blocks; ++column) {
                CHECK(structure.holds(row, column) == path_leads(row, column));
                at_end += path_leads(row, column) ? 1 : 0;
            }
        }
        CHECK(structure.at_end() == at_end);
    }
    CHECK(Structure(120).given() == 1953U);
    CHECK(Structure(120).at_end() == 11649U);
    CHECK(Structure(40).products() == 13105U);
}

// Where all blocks are there, they are those of one dense matrix.
TEST(operations_are_counted_as_they_are_done) {
    const auto elementwise = [](std::size_t order) {
        double flops = 0;
        for (std::size_t k = 0; k < order; ++k) {
            const auto rest = static_cast<double>(order - k - 1);
            flops += rest + 2 * rest * rest;
        }
        return flops;
    };
    CHECK(Structure(2).at_end() == 4U);
    CHECK(test::near(Structure(2).flops(8), elementwise(16)));
    CHECK(test::near(Structure(2).flops(11), elementwise(22)));
    // The block (0, 2) is never there: one solution and two products less.
    CHECK(Structure(3).at_end() == 8U);
    CHECK(Structure(3).products() == 3U);
    CHECK(test::near(Structure(3).flops(8), elementwise(24) - 8 * 8 * 7 - 2 * 2 * 8 * 8 * 8));
}

TEST(any_product_left_out_is_seen_by_the_factors) {
    const Structure structure(12);
    Matrix matrix = made(structure, 16, 1);
    const auto error_without = [&](std::uint64_t left_out) {
        std::uint64_t number = 0;
        matrix.factor_serially(
            [&](std::size_t, std::size_t, std::size_t) { return number++ != left_out; });
        return blocklu::error_of_factors(matrix);
    };
    CHECK(error_without(structure.products()) < 0.5);
    double least = 1e9;
    for (std::uint64_t product = 0; product < structure.products(); ++product) {
        least = std::fmin(least, error_without(product));
        CHECK(blocklu::fault_of(matrix, structure) != "");
    }
    CHECK(least > 100);
}

TEST(wrong_factors_are_seen) {
    const Structure structure(12);
    const auto fault_after = [&](auto&& change) {
        Matrix matrix = made(structure, 16, 2);
        factor(matrix, Tasks::depend);
        change(matrix);
        return blocklu::fault_of(matrix, structure);
    };
    CHECK(fault_after([](Matrix&) {}) == "");
    // Rows are padded to the width of the registers.
    const std::size_t stride = blocklu::Shape(16).stride;
    const std::array<std::string, 7> faults{
        fault_after([](Matrix& matrix) { matrix.at(3, 3)[0] *= 1.0001F; }),
        fault_after([&](Matrix& matrix) { matrix.at(11, 11)[5 * stride + 5] *= 1.0001F; }),
        fault_after([&](Matrix& matrix) { matrix.at(5, 4)[stride + 1] *= 1.01F; }),
        fault_after([&](Matrix& matrix) { matrix.at(4, 10)[stride + 1] += 0.001F; }),
        fault_after([&](Matrix& matrix) { matrix.at(4, 5)[stride + 2] = NAN; }),
        fault_after([](Matrix& matrix) { std::swap(matrix.at(6, 7)[1], matrix.at(6, 7)[3]); }),
        fault_after([&](Matrix& matrix) {
            std::swap_ranges(matrix.at(8, 7), matrix.at(8, 7) + stride, matrix.at(8, 7) + stride);
        }),
    };
    for (const std::string& fault : faults) {
        CHECK(fault.find("differs from A v") != std::string::npos);
    }
}

TEST(other_blocks_and_fewer_products_are_seen) {
    Matrix matrix = made(Structure(8), 8, 2);
    CHECK(blocklu::fault_of(matrix, Structure(8)).find("symbolic") != std::string::npos);
    factor(matrix, Tasks::depend);
    CHECK(blocklu::fault_of(matrix, Structure(8)) == "");
    matrix.factor_serially([](std::size_t row, std::size_t k, std::size_t column) {
        return row != 7 || k != 5 || column != 7;
    });
    CHECK(blocklu::fault_of(matrix, Structure(8)).find("products of blocks instead of") !=
          std::string::npos);
}

TEST(a_launch_reports_its_operations) {
    const std::vector<PointResult> points =
        test::run_with_fake_clock(&run_blocklu,
                                  {"blocks=6,block=12,tasks=depend,touch=one,scaling=strong",
                                   "blocks=6,block=12,tasks=taskwait,touch=owner,scaling=strong"},
                                  50'000'000);
    CHECK(points.size() == 2U);
    const Structure structure(6);
    for (const PointResult& point : points) {
        CHECK(test::quantity_of(point, "flops") == structure.flops(12));
        CHECK(test::quantity_of(point, "data_bytes") == Matrix::needed_bytes(structure, 12));
        CHECK(test::quantity_of(point, "product_share") > 0);
    }
}

TEST(what_cannot_be_is_refused) {
    const auto run = [](const std::string& point) {
        return test::run_with_fake_clock(&run_blocklu, {point}, 1000).size();
    };
    CHECK_THROWS(UsageError, "blocks",
                 run("blocks=1,block=16,tasks=depend,touch=owner,scaling=strong"));
    CHECK_THROWS(UsageError, "block",
                 run("blocks=4,block=7,tasks=depend,touch=owner,scaling=strong"));
    CHECK_THROWS(UsageError, "tasks",
                 run("blocks=4,block=8,tasks=none,touch=owner,scaling=strong"));
    CHECK_THROWS(UsageError, "GB of memory",
                 run("blocks=1024,block=4096,tasks=depend,touch=owner,scaling=strong"));
}

TEST(weak_work_a_thread_is_that_of_one_thread) {
    for (const double part : test::weak_work(
             &run_blocklu, "blocks=40,block=8,tasks=depend,touch=owner", "flops", {2, 3})) {
        CHECK(std::abs(part - 1) <= 0.02);
    }
}

}  // namespace
}  // namespace machmeter
