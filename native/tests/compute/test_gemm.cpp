#include "compute/gemm.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

using compute::product_error;

// Factors of a product, and the product by its definition.
template <class Number>
struct Factors {
    explicit Factors(std::size_t order_of_all) : order(order_of_all) {
        for (std::size_t i = 0; i < order * order; ++i) {
            a.push_back(static_cast<Number>(compute::factor_element(1, i)));
            b.push_back(static_cast<Number>(compute::factor_element(2, i)));
        }
        c = product(order);
    }

    // With only the first `depth` terms of each sum.
    [[nodiscard]] std::vector<Number> product(std::size_t depth) const {
        std::vector<Number> found(order * order, 0);
        for (std::size_t column = 0; column < order; ++column) {
            for (std::size_t k = 0; k < depth; ++k) {
                for (std::size_t row = 0; row < order; ++row) {
                    found[row + column * order] += a[row + k * order] * b[k + column * order];
                }
            }
        }
        return found;
    }

    [[nodiscard]] double error(const std::vector<Number>& of, double scale = 1) const {
        return product_error(order, scale, a.data(), b.data(), of.data(), 3);
    }

    std::size_t order;
    std::vector<Number> a, b, c;
};

TEST(a_correct_product_is_far_within_its_bound) {
    for (const std::size_t order : {1U, 2U, 7U, 64U, 200U}) {
        CHECK(Factors<double>(order).error(Factors<double>(order).c) < 0.5);
        CHECK(Factors<float>(order).error(Factors<float>(order).c) < 0.5);
    }
}

TEST(a_product_that_lacks_something_is_beyond_it) {
    const Factors<float> single(200);
    CHECK(single.error(single.product(199)) > 1);
    const Factors<double> factors(200);
    CHECK(factors.error(factors.product(199)) > 1);
    CHECK(factors.error(factors.c, 2) > 1);
    std::vector<double> wrong = factors.c;
    wrong[200 * 50 + 3] = 0;
    CHECK(factors.error(wrong) > 1);
    wrong = factors.c;
    std::swap(wrong[0], wrong[1]);
    CHECK(factors.error(wrong) > 1);
    wrong = factors.c;
    wrong[39'999] = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isinf(factors.error(wrong)));
}

TEST(a_library_that_is_none_is_named_with_the_reason) {
    const std::vector<PointResult> recorded = test::run_with_fake_clock(
        &run_gemm, {"library=/no/such/libblas.so,order=8,precision=double"}, 1'000'000);
    CHECK(recorded.size() == 1);
    CHECK(!recorded[0].check_passed);
    CHECK(recorded[0].series.empty());
    CHECK(recorded[0].check_what.find("/no/such/libblas.so") != std::string::npos);
    bool refused = false;
    try {
        const compute::BlasLibrary library("libm.so.6");
    } catch (const compute::NoBlas&) {
        refused = true;
    }
    CHECK(refused);
}

TEST(a_library_that_does_not_say_what_it_is_has_the_name_of_its_folder) {
    using compute::folder_and_name;
    CHECK(folder_and_name("/usr/lib/x86_64-linux-gnu/blis-openmp/libblas.so.3") ==
          "blis-openmp/libblas.so.3");
    CHECK(folder_and_name("/opt/libblas.so") == "opt/libblas.so");
    CHECK(folder_and_name("/libblas.so") == "/libblas.so");
    CHECK(folder_and_name("libblas.so") == "libblas.so");
    CHECK(folder_and_name("").empty());
}

}  // namespace
}  // namespace machmeter
