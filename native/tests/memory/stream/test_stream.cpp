#include "memory/stream/stream.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

using stream::chunk_begin;
using stream::granule_bytes;
using stream::require_own_pages;

constexpr std::size_t small_bytes = 64 * granule_bytes;

std::vector<std::string> all_points(std::size_t bytes) {
    std::vector<std::string> points;
    for (const auto& [name, kernel] : kernels) {
        const std::string start = "kernel=" + std::string(name) + ",stores=";
        const std::string end = ",size=" + std::to_string(bytes);
        points.push_back(start + "temporal" + end);
        if (kernel.nontemporal != nullptr && vector::has_nontemporal_stores) {
            points.push_back(start + "nontemporal" + end);
        }
    }
    return points;
}

const Kernel& find_kernel(std::string_view wanted) {
    for (const auto& [name, kernel] : kernels) {
        if (name == wanted) {
            return kernel;
        }
    }
    throw std::runtime_error("no kernel " + std::string(wanted));
}

PointResult run_one(const std::string& point) {
    return test::run_with_fake_clock(&run_stream, {point}, 1'000'000).at(0);
}

}  // namespace

TEST(every_kernel_passes_its_check_and_is_timed_by_the_clock_given) {
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        const auto points = all_points(small_bytes);
        const auto recorded = test::run_with_fake_clock(&run_stream, points, 1'000'000);
        CHECK(recorded.size() == points.size());
        for (const PointResult& point : recorded) {
            CHECK(point.check_passed);
            CHECK(point.batch == 1);
            CHECK(point.series.at(0).second == std::vector<double>(30, 1e-3));
            CHECK(test::quantity_of(point, "threads") == threads);
            CHECK(point.page_bytes == base_page_bytes());
        }
    }
}

TEST(bytes_are_counted_as_stream_does_and_as_the_bus_sees_them) {
    omp_set_num_threads(1);
    struct Expected {
        const char* point;
        double stream;
        double bus;
    };
    constexpr Expected table[] = {
        {"kernel=copy,stores=temporal", 2, 3},  {"kernel=scale,stores=temporal", 2, 3},
        {"kernel=add,stores=temporal", 3, 4},   {"kernel=triad,stores=temporal", 3, 4},
        {"kernel=read,stores=temporal", 1, 1},  {"kernel=write,stores=temporal", 1, 2},
        {"kernel=update,stores=temporal", 2, 2}};
    for (const auto& [point, stream, bus] : table) {
        const PointResult result = run_one(std::string(point) + ",size=65536");
        CHECK(test::quantity_of(result, "stream_bytes") == stream * 65536);
        CHECK(test::quantity_of(result, "bus_bytes") == bus * 65536);
    }
    if (vector::has_nontemporal_stores) {
        const PointResult triad = run_one("kernel=triad,stores=nontemporal,size=65536");
        CHECK(test::quantity_of(triad, "bus_bytes") == 3 * 65536);
    }
}

TEST(the_check_finds_one_wrong_element) {
    omp_set_num_threads(2);
    for (const auto& [name, kernel] : kernels) {
        Arrays arrays(small_bytes, base_page_bytes());
        arrays.reset(kernel.in_place);
        arrays.sweep(kernel.temporal, kernel.scalar, 3);
        CHECK(largest_relative_error(arrays, kernel, 3) == 0);
        CHECK(arrays.swept(3) && !arrays.swept(2));
        if (kernel.expected != nullptr) {
            arrays.a()[small_bytes / sizeof(double) - 1] *= 1 + 1e-15;
            CHECK(largest_relative_error(arrays, kernel, 3) > 0);
        }
    }
}

TEST(the_check_finds_a_wrong_sum) {
    omp_set_num_threads(2);
    Arrays arrays(small_bytes, base_page_bytes());
    const Kernel& read = find_kernel("read");
    arrays.sweep(read.temporal, read.scalar, 1);
    CHECK(largest_relative_error(arrays, read, 1) == 0);
    arrays.b()[0] += 1;
    arrays.sweep(read.temporal, read.scalar, 1);
    CHECK(largest_relative_error(arrays, read, 1) > 0);
}

TEST(a_read_that_did_nothing_does_not_pass_on_the_sums_of_the_one_before) {
    omp_set_num_threads(2);
    Arrays arrays(small_bytes, base_page_bytes());
    const Kernel& read = find_kernel("read");
    CHECK(largest_relative_error(arrays, read, 1) != 0);
    arrays.sweep(read.temporal, read.scalar, 1);
    arrays.reset();
    CHECK(largest_relative_error(arrays, read, 1) != 0);
}

TEST(over_several_domains_every_thread_needs_a_huge_page_for_itself) {
    const std::size_t huge = transparent_huge_page_bytes();
    CHECK_THROWS(UsageError, "on 2 NUMA domains", (require_own_pages(huge / 2, huge, 2), 0));
    require_own_pages(huge, huge, 2);
    require_own_pages(huge / 2, huge, 1);
    require_own_pages(huge / 2, base_page_bytes(), 2);
}

TEST(the_check_finds_a_sweep_that_never_ran_or_ran_once_too_often) {
    omp_set_num_threads(1);
    Arrays arrays(small_bytes, base_page_bytes());
    CHECK(std::isinf(largest_relative_error(arrays, find_kernel("triad"), 1)));
    const Kernel& update = find_kernel("update");
    arrays.reset(true);
    arrays.sweep(update.temporal, update.scalar, 4);
    CHECK(largest_relative_error(arrays, update, 3) == 2);
}

TEST(chunks_cover_the_arrays_once_and_in_balance) {
    for (const std::size_t threads : {1U, 2U, 3U, 7U, 48U, 256U}) {
        for (const std::size_t granules : {256U, 257U, 1000U, 262'144U, 262'147U}) {
            const std::size_t bytes = granules * granule_bytes;
            std::size_t longest = 0;
            std::size_t end = 0;
            for (std::size_t thread = 0; thread < threads; ++thread) {
                CHECK(chunk_begin(bytes, thread, threads) == end);
                const std::size_t begin = end;
                end = chunk_begin(bytes, thread + 1, threads);
                CHECK((end - begin) * sizeof(double) % granule_bytes == 0);
                longest = std::max(longest, end - begin);
            }
            CHECK(end == bytes / sizeof(double));
            const double share = static_cast<double>(end) / static_cast<double>(threads);
            const double granule = granule_bytes / sizeof(double);
            CHECK(static_cast<double>(longest) <= std::max(1.02 * share, share + granule));
        }
    }
}

TEST(points_that_mean_nothing_are_refused) {
    omp_set_num_threads(2);
    CHECK_THROWS(UsageError, "kernel: 'sum' is none of copy",
                 run_one("kernel=sum,stores=temporal,size=65536"));
    CHECK_THROWS(UsageError, "stores: 'fast' is none of temporal, nontemporal",
                 run_one("kernel=add,stores=fast,size=65536"));
    CHECK_THROWS(UsageError, "read stores nothing",
                 run_one("kernel=read,stores=nontemporal,size=65536"));
    CHECK_THROWS(UsageError, "not a multiple", run_one("kernel=add,stores=temporal,size=1000"));
    CHECK_THROWS(UsageError, "not a multiple", run_one("kernel=add,stores=temporal,size=512"));
    CHECK_THROWS(UsageError, "not a multiple", run_one("kernel=add,stores=temporal,size=0"));
}

}  // namespace machmeter
