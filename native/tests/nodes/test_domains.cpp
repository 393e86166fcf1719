#include <omp.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/clock/clock.hpp"
#include "memory/stream/kernels.hpp"
#include "nodes/domains.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

constexpr std::size_t bytes = std::size_t{1} << 20U;
constexpr std::size_t sweeps = 5;

// A clock that a kernel moves on.
std::uint64_t moment = 0;
std::uint64_t read_moment() { return moment; }

double takes_as_many_nanoseconds_as_elements(const stream::Chunk& chunk) {
#pragma omp atomic
    moment += chunk.count;
    return 0;
}

TEST(the_slowest_domain_is_that_whose_threads_take_longest_for_their_elements) {
    omp_set_num_threads(4);
    stream::Arrays arrays(bytes, 4096);
    const Clock clock{&read_moment};
    // The time of three threads is added up here, that of one is its own.
    const nodes::SlowestDomain found = nodes::slowest_domain(
        arrays, &takes_as_many_nanoseconds_as_elements, 3.0, {7, 7, 2, 7}, sweeps, clock);
    CHECK(found.seconds.size() == sweeps);
    CHECK(found.domain == 2 || found.domain == 7);
    const double expected = found.share * static_cast<double>(bytes / sizeof(double)) * 1e-9;
    for (const double one : found.seconds) {
        CHECK(one > 0.99 * expected);
        CHECK(one < 1.01 * expected);
    }
    CHECK(found.share == (found.domain == 2 ? 0.25 : 0.75));
}

const double* first_element = nullptr;

double is_slow_in_the_last_quarter(const stream::Chunk& chunk) {
    const bool is_last = chunk.a - first_element >= 3 * static_cast<std::ptrdiff_t>(chunk.count);
#pragma omp atomic
    moment += is_last ? 1000 : 1;
    return 0;
}

TEST(a_slow_domain_is_found_by_its_number) {
    omp_set_num_threads(4);
    stream::Arrays arrays(bytes, 4096);
    first_element = arrays.a();
    const Clock clock{&read_moment};
    const nodes::SlowestDomain found = nodes::slowest_domain(arrays, &is_slow_in_the_last_quarter,
                                                             3.0, {0, 0, 1, 4}, sweeps, clock);
    CHECK(found.domain == 4);
    CHECK(found.share == 0.25);
}

TEST(one_domain_is_no_part_of_a_node) {
    omp_set_num_threads(2);
    stream::Arrays arrays(bytes, 4096);
    const nodes::SlowestDomain found = nodes::slowest_domain(
        arrays, &takes_as_many_nanoseconds_as_elements, 3.0, {5, 5}, sweeps, monotonic_clock);
    CHECK(found.domain == -1);
    CHECK(found.seconds.empty());
}

TEST(a_part_sweeps_its_own_elements_alone) {
    omp_set_num_threads(4);
    stream::Arrays arrays(bytes, 4096);
    arrays.sweep_part(&stream::triad_chunk<stream::Stores::temporal>, 3.0,
                      [](std::size_t thread) { return thread == 1; });
    const std::size_t quarter = bytes / sizeof(double) / 4;
    const auto expected = [](std::size_t i) {
        return stream::value_of_b(i) + 3 * stream::value_of_c(i);
    };
    CHECK(std::isnan(arrays.a()[0]));
    CHECK(arrays.a()[quarter] == expected(quarter));
    CHECK(arrays.a()[2 * quarter - 1] == expected(2 * quarter - 1));
    CHECK(std::isnan(arrays.a()[2 * quarter]));
    CHECK(!arrays.swept(1));
}

}  // namespace
}  // namespace machmeter
