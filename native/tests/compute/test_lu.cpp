#include "compute/lu.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

// Of a system as `write` left it, by elimination with exchanges of rows.
struct Equations {
    explicit Equations(std::size_t order_of_all, std::uint64_t seed = 1)
        : order(order_of_all), system(order, seed), matrix(order * order), right(order) {
        system.write(matrix.data(), right.data());
    }

    double& at(std::size_t row, std::size_t column) { return matrix[row + column * order]; }

    [[nodiscard]] std::vector<double> solution() const {
        Equations work = *this;
        for (std::size_t step = 0; step < order; ++step) {
            std::size_t pivot = step;
            for (std::size_t row = step; row < order; ++row) {
                if (std::abs(work.at(row, step)) > std::abs(work.at(pivot, step))) {
                    pivot = row;
                }
            }
            std::swap(work.right[step], work.right[pivot]);
            for (std::size_t column = 0; column < order; ++column) {
                std::swap(work.at(step, column), work.at(pivot, column));
            }
            for (std::size_t row = step + 1; row < order; ++row) {
                const double factor = work.at(row, step) / work.at(step, step);
                work.right[row] -= factor * work.right[step];
                for (std::size_t column = step; column < order; ++column) {
                    work.at(row, column) -= factor * work.at(step, column);
                }
            }
        }
        for (std::size_t row = order; row-- > 0;) {
            for (std::size_t column = row + 1; column < order; ++column) {
                work.right[row] -= work.at(row, column) * work.right[column];
            }
            work.right[row] /= work.at(row, row);
        }
        return work.right;
    }

    // Of a solution of these equations, as they are now, in the system as it was written.
    [[nodiscard]] double residual() const { return system.scaled_residual(solution().data()); }

    std::size_t order;
    LinearSystem system;
    std::vector<double> matrix, right;
};

TEST(a_solution_is_accepted_as_hpl_does) {
    for (const std::size_t order : {1U, 2U, 7U, 64U, 200U}) {
        CHECK(Equations(order).residual() < 1);
    }
}

TEST(the_residual_is_that_of_its_definition) {
    const Equations one(3);
    const std::vector<double> x{1, -2, 3};
    double error = 0;
    double of_matrix = 0;
    double of_right = 0;
    for (std::size_t row = 0; row < 3; ++row) {
        double product = -one.right[row];
        double sum = 0;
        for (std::size_t column = 0; column < 3; ++column) {
            product += one.matrix[row + 3 * column] * x[column];
            sum += std::abs(one.matrix[row + 3 * column]);
        }
        error = std::max(error, std::abs(product));
        of_matrix = std::max(of_matrix, sum);
        of_right = std::max(of_right, std::abs(one.right[row]));
    }
    const double expected = error * 0x1p53 / ((of_matrix * 3 + of_right) * 3);
    CHECK(std::abs(one.system.scaled_residual(x.data()) / expected - 1) < 1e-12);
}

TEST(solutions_of_other_equations_are_not) {
    constexpr double most = LinearSystem::largest_residual;
    Equations scaled(200);
    for (std::size_t column = 0; column < 200; ++column) {
        scaled.at(77, column) *= 1 + 1e-6;
    }
    CHECK(scaled.residual() > most);
    Equations shifted(200);
    shifted.right = Equations(200, 2).right;
    CHECK(shifted.residual() > most);
    Equations changed(200);
    changed.at(3, 50) += 1e-6;
    CHECK(changed.residual() > most);
    const Equations plain(200);
    CHECK(plain.system.scaled_residual(Equations(200, 3).solution().data()) > most);
    // The right-hand side itself, as where nothing was solved.
    CHECK(plain.system.scaled_residual(plain.right.data()) > most);
}

TEST(every_element_of_a_solution_counts) {
    constexpr double most = LinearSystem::largest_residual;
    const Equations one(200);
    const std::vector<double> x = one.solution();
    double largest = 0;
    for (const double element : x) {
        largest = std::max(largest, std::abs(element));
    }
    for (const std::size_t changed : {0U, 99U, 199U}) {
        std::vector<double> wrong = x;
        wrong[changed] += 1e-9 * largest;
        CHECK(one.system.scaled_residual(wrong.data()) > most);
        wrong[changed] = std::numeric_limits<double>::quiet_NaN();
        CHECK(std::isinf(one.system.scaled_residual(wrong.data())));
    }
}

TEST(operations_are_those_that_hpl_counts) {
    CHECK(std::abs(lu_flops(1440) / 1.9937664e9 - 1) < 1e-12);
    CHECK(lu_bytes(1000) == 8'016'000);
}

TEST(a_library_that_cannot_be_loaded_is_named) {
    const std::vector<PointResult> recorded =
        test::run_with_fake_clock(&run_lu, {"library=/no/such/libblas.so,order=8"}, 1'000'000);
    CHECK(recorded.size() == 1);
    CHECK(!recorded[0].check_passed);
    CHECK(recorded[0].series.empty());
    CHECK(recorded[0].check_what.find("/no/such/libblas.so") != std::string::npos);
}

}  // namespace
}  // namespace machmeter
