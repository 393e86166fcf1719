// Shares are all things, each once, as even as whole numbers are.
#include <cstddef>
#include <cstdint>

#include "proxies/common/shares.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

template <class Number>
void check_shares(Number all, int parts) {
    Number next = 0;
    for (int part = 0; part < parts; ++part) {
        const auto share = proxies::share_of(all, part, parts);
        CHECK(share.first == next && share.first == proxies::first_of_share(all, part, parts));
        const Number least = all / static_cast<Number>(parts);
        CHECK(share.count == least || share.count == least + 1);
        next = share.end();
    }
    CHECK(next == all);
}

TEST(shares_are_all_things) {
    for (const int parts : {1, 2, 3, 7, 12}) {
        check_shares<std::int64_t>(31, parts);
        check_shares<std::size_t>(5, parts);
    }
}

TEST(products_that_are_too_large_are_avoided) {
    check_shares<std::int64_t>(9'007'199'254'740'991, 4095);
    check_shares<std::uint64_t>(std::uint64_t{1} << 63, 7);
}

TEST(shares_are_rounded_down) {
    CHECK(proxies::first_of_share<std::int64_t>(10, 1, 4) == 2);
    CHECK(proxies::first_of_share<std::int64_t>(10, 2, 4) == 5);
    CHECK(proxies::share_of<std::int64_t>(10, 2, 4).count == 2);
}

}  // namespace
}  // namespace machmeter
