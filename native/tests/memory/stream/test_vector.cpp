#include "memory/stream/vector.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

TEST(a_vector_does_to_each_double_what_it_says) {
    using namespace vector;
    alignas(64) double x[doubles_per_vector];
    alignas(64) double y[doubles_per_vector];
    double expected_sum = 0;
    for (std::size_t i = 0; i < doubles_per_vector; ++i) {
        x[i] = static_cast<double>(i + 1);
        y[i] = static_cast<double>(10 * i);
        expected_sum += x[i];
    }
    alignas(64) double sums[doubles_per_vector];
    alignas(64) double products[doubles_per_vector];
    alignas(64) double triads[doubles_per_vector];
    store(sums, add(load(x), load(y)));
    store_nontemporal(products, multiply(load(x), load(y)));
    store_nontemporal(triads, multiply_add(broadcast(3), load(x), load(y)));
    fence_nontemporal();
    for (std::size_t i = 0; i < doubles_per_vector; ++i) {
        CHECK(sums[i] == x[i] + y[i]);
        CHECK(products[i] == x[i] * y[i]);
        CHECK(triads[i] == 3 * x[i] + y[i]);
    }
    CHECK(sum(load(x)) == expected_sum);
}

}  // namespace
}  // namespace machmeter
