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

TEST(threads_that_worked_are_those_with_cpu_time) {
    const compute::ThreadWatch watch;
    const auto begin = std::chrono::steady_clock::now();
    compute::Worked all;
    std::size_t ended = 0;
    {
        std::thread idle([] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); });
        std::thread busy([&] {
            while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(25)) {
            }
            all = watch.worked();
        });
        busy.join();
        ended = watch.worked().ended;
        idle.join();
    }
    // The busy one alone: the calling thread waits for it.
    CHECK(all.count() == 1);
    CHECK(all.threads.at(0) != getpid());
    CHECK(ended >= 1);
}

TEST(threads_get_the_places_that_no_other_has) {
    const std::vector<int> allowed = allowed_cpus();
    if (allowed.size() < 2) {
        return;
    }
    const std::vector<Cpus> places{{allowed[0]}, {allowed[1]}};
    const Cpus before = allowed;
    bind_thread_to({allowed[1]});
    const compute::PlacedThreads placed({static_cast<int>(gettid())}, places);
    // It is on the second already, and stays.
    CHECK(allowed_cpus() == places[1]);
    CHECK(placed.hold());
    bind_thread_to(before);
    CHECK(!placed.hold());
    const compute::PlacedThreads moved({static_cast<int>(gettid())}, places);
    CHECK(allowed_cpus() == places[0]);
    {
        const compute::OnAll on_all(places);
        CHECK(allowed_cpus() == (Cpus{allowed[0], allowed[1]}));
    }
    CHECK(allowed_cpus() == places[0]);
    bind_thread_to(before);
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
        const BlasLibrary library("libm.so.6");
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
