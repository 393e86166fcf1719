#include <set>

#include "core/host/places.hpp"
#include "memory/stream/timeline.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

constexpr std::size_t small_bytes = 64 * 4096;

bool has_series(const PointResult& point, std::string_view name) {
    return std::any_of(point.series.begin(), point.series.end(),
                       [&](const auto& entry) { return entry.first == name; });
}

bool are_near(const std::vector<double>& values, double expected) {
    return std::all_of(values.begin(), values.end(),
                       [&](double value) { return test::near(value, expected); });
}

PointResult run_one(const std::string& point) {
    return test::run_with_fake_clock(&run_timeline, {point}, 1'000'000).at(0);
}

}  // namespace

TEST(a_slice_is_as_many_sweeps_as_pass_its_length) {
    for (const int threads : {1, 3}) {
        omp_set_num_threads(threads);
        const PointResult point = run_one("seconds=1,slice_ms=10,size=262144");
        CHECK(point.check_passed);
        // Ten sweeps of 1 ms fill a slice; with the readings around them, it takes 21 ms.
        const std::size_t slices = 48;
        CHECK(are_near(test::series_of(point, "seconds"), 1e-3));
        CHECK(test::series_of(point, "sweeps") == std::vector<double>(slices, 10));
        const auto at = test::series_of(point, "at");
        for (std::size_t slice = 0; slice < at.size(); ++slice) {
            CHECK(test::near(at[slice], 1e-3 * (1 + 21 * static_cast<double>(slice))));
        }
        CHECK(point.batch == 1);
        CHECK(test::quantity_of(point, "stream_bytes") == 3 * small_bytes);
        CHECK(std::abs(test::quantity_of(point, "observing_share") - 11.0 / 21) < 0.01);
    }
}

TEST(a_longer_slice_holds_more_sweeps) {
    omp_set_num_threads(1);
    const PointResult point = run_one("seconds=1,slice_ms=50,size=262144");
    CHECK(test::series_of(point, "sweeps") == std::vector<double>(10, 50));
    CHECK(are_near(test::series_of(point, "seconds"), 1e-3));
}

TEST(every_series_has_a_value_for_every_slice) {
    omp_set_num_threads(3);
    const PointResult point = run_one("seconds=1,slice_ms=20,size=262144");
    for (const auto& [name, values] : point.series) {
        CHECK(values.size() == test::series_of(point, "seconds").size());
    }
    CHECK(has_series(point, "cpu.2") && !has_series(point, "cpu.3"));
    const std::vector<int> allowed = allowed_cpus();
    for (const double cpu : test::series_of(point, "cpu.2")) {
        CHECK(std::find(allowed.begin(), allowed.end(), static_cast<int>(cpu)) != allowed.end());
    }
    for (const double count : test::series_of(point, "migrations")) {
        CHECK(count >= 0);
    }
    const int page = 0;
    const bool known = !domains_of_pages({&page}).empty();
    CHECK(has_series(point, "domain.23") == known);
    if (known) {
        for (const double domain : test::series_of(point, "domain.23")) {
            CHECK(domain >= 0);
        }
    }
}

TEST(a_thread_that_changes_its_cpu_is_seen_each_time) {
    ThreadCpus cpus(3);
    for (const int cpu : {4, 4, 7, 4}) {
        cpus.see(0, cpu);
        cpus.see(1, 5);
    }
    CHECK(cpus.changes() == 2);
    CHECK(cpus.of(0) == 4 && cpus.of(1) == 5 && cpus.of(2) == -1);
}

TEST(a_slice_counts_its_own_migrations_only) {
    omp_set_num_threads(1);
    const Arrays arrays(small_bytes, base_page_bytes());
    ThreadCpus cpus(1);
    cpus.see(0, 1);
    cpus.see(0, 2);
    Log log(arrays, cpus, 3);
    log.add(1e-3, 0, 1);
    cpus.see(0, 3);
    cpus.see(0, 2);
    log.add(1e-3, 1e-3, 1);
    log.add(1e-3, 2e-3, 1);
    const std::vector<NamedSeries> taken = log.take();
    CHECK(taken.at(3).first == "migrations");
    CHECK(taken.at(3).second == std::vector<double>({0, 2, 0}));
}

TEST(sampled_pages_are_pages_of_the_arrays_and_spread) {
    omp_set_num_threads(1);
    const Arrays arrays(small_bytes, base_page_bytes());
    const auto sampled = sampled_pages(arrays);
    CHECK(sampled.size() == 24);
    const double* const starts[] = {arrays.a(), arrays.b(), arrays.c()};
    std::set<std::uintptr_t> pages;
    for (std::size_t i = 0; i < sampled.size(); ++i) {
        const auto offset = reinterpret_cast<std::uintptr_t>(sampled[i]) -
                            reinterpret_cast<std::uintptr_t>(starts[i / 8]);
        CHECK(offset / (small_bytes / 8) == i % 8);
        pages.insert(reinterpret_cast<std::uintptr_t>(sampled[i]) / base_page_bytes());
    }
    CHECK(pages.size() == 24);
    CHECK(sampled_pages(Arrays(512, base_page_bytes())).size() == 3);
}

TEST(what_is_recorded_of_threads_is_bounded) {
    CHECK(threads_to_record(2, 3'000) == 2);
    CHECK(threads_to_record(1'024, 3'000) == 64);
    CHECK(threads_to_record(1'024, 360'001) == 22);
    CHECK(threads_to_record(1'024, 100'000'000) == 1);
}

TEST(the_check_finds_a_wrong_element_and_a_sweep_that_never_ran) {
    omp_set_num_threads(2);
    Arrays arrays(small_bytes, base_page_bytes());
    CHECK(std::isinf(triad_error(arrays)));
    arrays.sweep(triad, factor, 2);
    CHECK(triad_error(arrays) == 0);
    arrays.a()[small_bytes / sizeof(double) - 1] += 1;
    CHECK(triad_error(arrays) > 0);
}

TEST(points_that_mean_nothing_are_refused) {
    omp_set_num_threads(2);
    CHECK_THROWS(UsageError, "1 to 3600 s", run_one("seconds=0,slice_ms=20,size=65536"));
    CHECK_THROWS(UsageError, "1 to 3600 s", run_one("seconds=3601,slice_ms=20,size=65536"));
    CHECK_THROWS(UsageError, "10 to 50 ms", run_one("seconds=1,slice_ms=9,size=65536"));
    CHECK_THROWS(UsageError, "10 to 50 ms", run_one("seconds=1,slice_ms=51,size=65536"));
    CHECK_THROWS(UsageError, "not a multiple", run_one("seconds=1,slice_ms=20,size=1000"));
}

}  // namespace machmeter
