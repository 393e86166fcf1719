#include "compute/sustained.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/energy_zones.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

constexpr std::uint64_t stretch_nanoseconds = 10'000'000;

bool knows_a_kernel() {
    const auto kernels = compute::kernels_of(double{});
    return std::any_of(kernels.begin(), kernels.end(),
                       [](const auto& kernel) { return kernel.runs_here(); });
}

PointResult run(const std::string& point) {
    return test::run_with_fake_clock(&run_sustained, {point}, stretch_nanoseconds).at(0);
}

Slices slices_of(std::size_t count, double each) {
    Slices found;
    for (std::size_t i = 0; i < count; ++i) {
        found.at.push_back(static_cast<double>(i) * each);
        found.seconds.push_back(static_cast<double>(i));
    }
    return found;
}

}  // namespace

TEST(slices_follow_each_other_for_the_seconds_requested) {
    for (const int threads : {1, 2}) {
        omp_set_num_threads(threads);
        if (!knows_a_kernel()) {
            continue;
        }
        const PointResult point = run("seconds=2,slice_ms=10,precision=double");
        CHECK(point.check_passed);
        const auto at = test::series_of(point, "at");
        const auto seconds = test::series_of(point, "seconds");
        CHECK(at.size() == seconds.size() && at.size() >= 2);
        CHECK(at.front() == 0 && at.back() < 2 && std::is_sorted(at.begin(), at.end()));
        CHECK(test::quantity_of(point, "threads") == threads);
        CHECK(test::quantity_of(point, "flops") > 0);
        const auto clocks = test::series_of(point, "multiply_seconds");
        CHECK(clocks.empty() || clocks.size() == seconds.size());
    }
}

TEST(the_first_second_is_set_against_as_many_slices_at_the_end) {
    const auto [first, last] = ends_of(slices_of(100, 0.25));
    CHECK(first == std::vector<double>({0, 1, 2, 3}));
    CHECK(last == std::vector<double>({96, 97, 98, 99}));
    const auto [every, same] = ends_of(slices_of(3, 0.1));
    CHECK(every.size() == 3 && every == same);
}

TEST(energy_is_that_of_the_slices_alone) {
    test::EnergyZones zones;
    zones.put("intel-rapl:0", "package-0", "0");
    PackageEnergy energy(zones.root());
    std::uint64_t microjoules = 0;
    std::uint64_t ran = 0;
    // Each block takes up 3 uJ.
    auto blocks = [&](std::uint64_t count) {
        ran += count;
        microjoules += 3 * count;
        zones.put("intel-rapl:0", "package-0", std::to_string(microjoules));
        test::fake_now += 1'000'000 * count;
        return 1e-3 * static_cast<double>(count);
    };
    NodeSession session = test::fake_session();
    const Slices slices = run_slices(session, {0.2, 0.01}, blocks, energy);
    CHECK(slices.blocks > 0 && slices.blocks < ran);
    CHECK(test::near(energy.joules(), 3e-6 * static_cast<double>(slices.blocks)));
}

TEST(a_slice_in_which_nothing_is_computed_is_seen) {
    omp_set_num_threads(2);
    const Kernel<double> idle{"scalar", "nothing", 1, nullptr, [](double*, std::uint64_t) {}};
    NodeSession session = test::fake_session();
    test::fake_step = stretch_nanoseconds;
    const PointResult point =
        measure_kernel(session, Parameters("seconds=2,slice_ms=1000,precision=double"), idle);
    CHECK(!point.check_passed);
}

TEST(the_widest_registers_are_taken) {
    if (!knows_a_kernel()) {
        return;
    }
    omp_set_num_threads(1);
    std::size_t widest = 0;
    for (const auto& kernel : compute::kernels_of(float{})) {
        widest = kernel.runs_here() ? std::max(widest, kernel.lanes) : widest;
    }
    const PointResult point = run("seconds=2,slice_ms=1000,precision=single");
    CHECK(test::quantity_of(point, "flops") ==
          2 * static_cast<double>(widest * compute::chains * compute::steps_of_block));
}

TEST(no_or_too_many_seconds_are_refused) {
    for (const char* point :
         {"seconds=1,slice_ms=50,precision=double", "seconds=3601,slice_ms=50,precision=double",
          "seconds=2,slice_ms=5,precision=double"}) {
        bool refused = false;
        try {
            run(point);
        } catch (const UsageError&) {
            refused = true;
        }
        CHECK(refused || !knows_a_kernel());
    }
}

}  // namespace machmeter
