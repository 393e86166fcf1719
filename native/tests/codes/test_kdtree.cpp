// Neighbors are those of a comparison of all pairs, whoever looks for them; the checks see when
// they are not.
#include <omp.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "codes/kdtree.cpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"
#include "tests/support/weak_work.hpp"

namespace machmeter {
namespace {

using kdtree::Tree;

constexpr std::size_t page = 4096;

Tree built(std::uint64_t points, int threads, codes::Touch touch = codes::Touch::owner) {
    Tree tree(points, touch, page, threads);
    tree.build();
    return tree;
}

std::uint32_t by_all_pairs(const Tree& tree, std::size_t place, float squared) {
    std::uint32_t count = 0;
    const auto& center = tree.entries()[place].at;
    for (std::size_t other = 0; other < tree.points(); ++other) {
        double sum = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double apart = static_cast<double>(center[axis]) -
                                 static_cast<double>(tree.entries()[other].at[axis]);
            sum += apart * apart;
        }
        count += sum <= static_cast<double>(squared) ? 1U : 0U;
    }
    return count;
}

TEST(counts_are_those_of_all_pairs) {
    for (const std::uint64_t points : {64, 65, 1000, 4099}) {
        for (const std::uint64_t found : {1, 24, 500}) {
            const Tree tree = built(points, 2);
            const float squared = kdtree::squared_radius(points, found);
            tree.search(order_of_queries(points, false), squared);
            for (std::size_t place = 0; place < points; place += 7) {
                CHECK(tree.counts()[place] == by_all_pairs(tree, place, squared));
            }
            CHECK(kdtree::fault_of(tree, squared) == "");
        }
    }
}

TEST(any_team_and_any_order_counts_the_same) {
    constexpr std::uint64_t points = 20'000;
    const float squared = kdtree::squared_radius(points, 24);
    const Tree one = built(points, 1);
    one.search(order_of_queries(points, false), squared);
    for (const int threads : {2, 3}) {
        for (const codes::Touch touch :
             {codes::Touch::one, codes::Touch::owner, codes::Touch::interleaved}) {
            const Tree several = built(points, threads, touch);
            several.search(order_of_queries(points, true), squared);
            std::vector<std::uint32_t> by_number(points);
            for (std::size_t place = 0; place < points; ++place) {
                by_number[several.entries()[place].number] = several.counts()[place];
            }
            bool same = true;
            for (std::size_t place = 0; place < points; ++place) {
                same = same && by_number[one.entries()[place].number] == one.counts()[place];
            }
            CHECK(same);
        }
    }
}

TEST(a_tree_that_is_built_again_is_the_same) {
    Tree tree = built(5000, 2);
    const kdtree::Point first = tree.entries()[17];
    tree.build();
    CHECK(tree.entries()[17].number == first.number);
}

TEST(a_mean_point_finds_as_many_as_it_should) {
    constexpr std::uint64_t points = 50'000;
    const Tree tree = built(points, 2);
    tree.search(order_of_queries(points, false), kdtree::squared_radius(points, 24));
    double sum = 0;
    for (std::size_t place = 0; place < points; ++place) {
        sum += tree.counts()[place];
    }
    // Those near a face find fewer.
    CHECK(sum / points > 20);
    CHECK(sum / points < 26);
}

TEST(a_wrong_tree_is_seen) {
    constexpr std::uint64_t points = 3000;
    const float squared = kdtree::squared_radius(points, 24);
    const std::vector<std::uint32_t> order = order_of_queries(points, false);
    const auto fault_after = [&](auto&& change) {
        Tree tree = built(points, 2);
        tree.search(order, squared);
        change(tree);
        return kdtree::fault_of(tree, squared);
    };
    CHECK(fault_after([](Tree&) {}) == "");
    const std::array<std::string, 6> faults{
        fault_after([](Tree& tree) { tree.entries()[5].number = tree.entries()[6].number; }),
        fault_after([](Tree& tree) { tree.entries()[5].at[1] += 1; }),
        fault_after([](Tree& tree) { std::swap(tree.entries()[0], tree.entries()[2999]); }),
        fault_after([](Tree& tree) { tree.counts()[5] += 1; }),
        fault_after([](Tree& tree) { tree.counts()[5] += 2; }),
        fault_after([&](Tree& tree) { tree.search(order, squared * 0.98F); }),
    };
    for (const std::string& fault : faults) {
        CHECK(!fault.empty());
    }
}

TEST(the_order_of_queries_has_every_place_once) {
    for (const bool shuffled : {false, true}) {
        std::vector<std::uint32_t> order = order_of_queries(1000, shuffled);
        CHECK((order[0] == 0 && order[1] == 1 && order[2] == 2) != shuffled);
        std::sort(order.begin(), order.end());
        for (std::uint32_t place = 0; place < 1000; ++place) {
            CHECK(order[place] == place);
        }
    }
}

TEST(pages_are_touched_by_whom_they_should) {
    using codes::Touch;
    for (std::size_t at = 0; at < 8; ++at) {
        CHECK(codes::toucher(Touch::one, at, 8, 2) == 0U);
        CHECK(codes::toucher(Touch::owner, at, 8, 2) == at / 4);
        CHECK(codes::toucher(Touch::interleaved, at, 8, 2) == at % 2);
    }
}

TEST(weak_work_a_thread_is_that_of_one_thread) {
    for (const double part : test::weak_work(
             &run_kdtree, "points=2000,found=24,sequence=tree,touch=owner", "queries", {2, 3})) {
        CHECK(test::near(part, 1));
    }
}

TEST(most_of_the_points_are_not_found) {
    const auto measured = [](const std::string& found) {
        return test::run_with_fake_clock(
            &run_kdtree,
            {"points=1000,found=" + found + ",sequence=tree,touch=owner,scaling=strong"}, 1000);
    };
    CHECK(measured("60").size() == 1);
    CHECK_THROWS(UsageError, "6 %", measured("61"));
}

}  // namespace
}  // namespace machmeter
