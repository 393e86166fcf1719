// Values of faces go where they belong, each time anew.
#include <span>

#include "proxies/common/faces.hpp"
#include "tests/support/check.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

using test::on_proxy_ranks;
using test::ThreadRanks;

struct Side {
    int step = 0;
};

// Of so many ranks in a ring; on each side goes another value, and another each time.
void check_ring(int count) {
    on_proxy_ranks(count, 1, [&](ThreadRanks& mine) {
        const auto rank = [&](int step) { return (mine.rank() + step + count) % count; };
        proxies::Faces<ThreadRanks, Side> faces(mine);
        CHECK(faces.empty());
        // One value ahead, two back.
        faces.add({1}, rank(1), 1, rank(-1), 1);
        faces.add({-1}, rank(-1), 2, rank(1), 2);
        CHECK(!faces.empty());
        for (const double time : {10.0, 20.0}) {
            int arrived = 0;
            faces.exchange(
                [&](const Side& side, double* out) {
                    out[side.step > 0 ? 0 : 1] = time + mine.rank() + side.step * 100;
                },
                [&](const Side& side, const double* in) {
                    const int from = rank(-side.step);
                    CHECK(in[side.step > 0 ? 0 : 1] == time + from + side.step * 100);
                    ++arrived;
                });
            CHECK(arrived == 2);
        }
        PointResult result(Parameters("a=1"));
        mine.traffic().describe(result, [&](std::span<double> values) { mine.sum(values); });
        CHECK(result.quantities[0].first == "messages");
        CHECK(result.quantities[0].second == 2 * 2 * count);
    });
}

TEST(faces_arrive_from_the_other_side) {
    check_ring(2);
    check_ring(3);
}

TEST(a_face_may_be_of_one_size_there_and_another_back) {
    on_proxy_ranks(2, 1, [&](ThreadRanks& mine) {
        const bool is_first = mine.rank() == 0;
        proxies::Faces<ThreadRanks, Side> faces(mine);
        faces.add({}, 1 - mine.rank(), is_first ? 3 : 1, 1 - mine.rank(), is_first ? 1 : 3);
        faces.exchange(
            [&](const Side& /*side*/, double* out) { out[is_first ? 2 : 0] = is_first ? 5 : 7; },
            [&](const Side& /*side*/, const double* in) {
                CHECK(in[is_first ? 0 : 2] == (is_first ? 7 : 5));
            });
    });
}

}  // namespace
}  // namespace machmeter
