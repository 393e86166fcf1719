#include "compute/fma.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

constexpr std::uint64_t stretch_nanoseconds = 1'000'000;

// Kernels of this CPU, as points.
std::vector<std::string> points_of_this_cpu() {
    std::vector<std::string> points;
    for (const auto& kernel : compute::kernels_of(double{})) {
        if (kernel.runs_here()) {
            points.push_back("width=" + std::string(kernel.width) + ",precision=double");
            points.push_back("width=" + std::string(kernel.width) + ",precision=single");
        }
    }
    return points;
}

std::vector<PointResult> run(const std::vector<std::string>& points) {
    return test::run_with_fake_clock(&run_fma, points, stretch_nanoseconds);
}

// What a kernel must do, without vectors.
template <class Number>
void plain(Number* numbers, std::uint64_t steps) {
    for (std::size_t chain = 0; chain < compute::chains; ++chain) {
        numbers[chain] += static_cast<Number>(static_cast<double>(steps) * compute::fma_factor *
                                              compute::fma_term);
    }
}

void forgets_a_step(double* numbers, std::uint64_t steps) { plain(numbers, steps - 1); }
void forgets_a_chain(double* numbers, std::uint64_t steps) {
    const double last = numbers[compute::chains - 1];
    plain(numbers, steps);
    numbers[compute::chains - 1] = last;
}
void swaps_chains(double* numbers, std::uint64_t steps) {
    plain(numbers, steps);
    std::swap(numbers[0], numbers[1]);
}
void adds_both(double* numbers, std::uint64_t steps) {
    for (std::size_t chain = 0; chain < compute::chains; ++chain) {
        numbers[chain] += static_cast<double>(steps) * (compute::fma_factor + compute::fma_term);
    }
}
void loses_a_late_thread(double* numbers, std::uint64_t steps) {
    if (omp_get_thread_num() == 0) {
        plain(numbers, steps);
    }
}

std::size_t wrong_lanes_of(void (*kernel)(double*, std::uint64_t)) {
    const Kernel<double> faulty{"scalar", "faulty", 1, nullptr, kernel};
    Blocks<double> blocks(test::fake_clock, faulty);
    blocks(1);
    blocks(3);
    return blocks.wrong_lanes();
}

}  // namespace

TEST(every_kernel_of_this_cpu_passes_its_check_and_is_timed_by_the_clock_given) {
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        const auto points = points_of_this_cpu();
        const auto recorded = run(points);
        CHECK(recorded.size() == points.size());
        for (const PointResult& point : recorded) {
            CHECK(point.check_passed);
            CHECK(point.batch == 1);
            CHECK(test::quantity_of(point, "threads") == threads);
            CHECK(test::series_of(point, "seconds").size() >= 8);
        }
    }
}

TEST(operations_are_two_for_each_lane_chain_and_step_of_every_thread) {
    for (const int threads : {1, 2}) {
        omp_set_num_threads(threads);
        for (const auto& kernel : compute::kernels_of(float{})) {
            if (kernel.runs_here()) {
                const auto point = "width=" + std::string(kernel.width) + ",precision=single";
                const auto lanes = static_cast<double>(kernel.lanes * compute::chains);
                CHECK(test::quantity_of(run({point}).at(0), "flops") ==
                      2 * lanes * static_cast<double>(compute::steps_of_block) * threads);
            }
        }
    }
}

TEST(the_chain_of_multiplications_is_timed_once_a_sample) {
    omp_set_num_threads(2);
    for (const PointResult& point : run(points_of_this_cpu())) {
        const auto seconds = test::series_of(point, "multiply_seconds");
        if (compute::cycles_of_multiplication() > 0) {
            CHECK(seconds.size() == test::series_of(point, "seconds").size());
            CHECK(std::all_of(seconds.begin(), seconds.end(), [](double one) { return one > 0; }));
            CHECK(test::quantity_of(point, "cycles") == 3 * 32768);
        } else {
            CHECK(seconds.empty());
            CHECK(test::quantity_of(point, "cycles") < 0);
        }
    }
}

TEST(a_multiplication_has_cycles_only_where_they_are_known) {
    for (const unsigned family : {0x6U, 0x12U, 0x13U}) {
        CHECK(compute::cycles_of_multiplication("GenuineIntel", family) == 3);
    }
    for (const unsigned family : {0x17U, 0x19U, 0x1AU}) {
        CHECK(compute::cycles_of_multiplication("AuthenticAMD", family) == 3);
    }
    CHECK(compute::cycles_of_multiplication("HygonGenuine", 0x18U) == 3);
    CHECK(compute::cycles_of_multiplication("GenuineIntel", 0xFU) == 0);
    CHECK(compute::cycles_of_multiplication("AuthenticAMD", 0x15U) == 0);
    CHECK(compute::cycles_of_multiplication("CentaurHauls", 0x6U) == 0);
    CHECK(compute::cycles_of_multiplication("  Shanghai  ", 0x7U) == 0);
    CHECK(compute::cycles_of_multiplication("", 0x6U) == 0);
}

TEST(the_check_finds_what_a_faulty_kernel_leaves) {
    for (const int threads : {1, 2}) {
        omp_set_num_threads(threads);
        const auto team = static_cast<std::size_t>(threads);
        CHECK(wrong_lanes_of(&plain<double>) == 0);
        CHECK(wrong_lanes_of(&forgets_a_step) == team * compute::chains);
        CHECK(wrong_lanes_of(&forgets_a_chain) == team);
        CHECK(wrong_lanes_of(&swaps_chains) == team * 2);
        CHECK(wrong_lanes_of(&adds_both) == team * compute::chains);
        CHECK(wrong_lanes_of(&loses_a_late_thread) == (team - 1) * compute::chains);
    }
}

TEST(a_chain_of_multiplications_has_the_product_that_squares_give) {
    for (const std::uint64_t multiplications : {0U, 16U, 48U, 32768U}) {
        CHECK(compute::multiply_chain(7, multiplications) ==
              compute::product_of_chain(7, multiplications));
    }
    CHECK(compute::product_of_chain(7, 16) != compute::product_of_chain(7, 15));
    CHECK(compute::product_of_chain(1, 1) == compute::chain_multiplier);
}

TEST(a_width_that_the_cpu_lacks_is_not_measured_and_says_so) {
    omp_set_num_threads(1);
    const auto here = points_of_this_cpu();
    for (const char* width : {"scalar", "128-bit", "256-bit", "512-bit"}) {
        const std::string point = "width=" + std::string(width) + ",precision=double";
        if (std::find(here.begin(), here.end(), point) == here.end()) {
            const PointResult result = run({point}).at(0);
            CHECK(!result.check_passed && result.series.empty());
            CHECK(result.check_what.find("no fused multiply-add of this width") !=
                  std::string::npos);
        }
    }
}

TEST(points_that_mean_nothing_are_refused) {
    CHECK_THROWS(UsageError, "width: '1024-bit' is none of scalar",
                 run({"width=1024-bit,precision=double"}));
    CHECK_THROWS(UsageError, "precision: 'half' is none of double, single",
                 run({"width=scalar,precision=half"}));
}

}  // namespace machmeter
