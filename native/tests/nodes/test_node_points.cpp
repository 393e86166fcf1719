#include <string>
#include <vector>

#include "nodes/node_points.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

TEST(points_that_differ_in_their_node_alone_are_one_group) {
    std::vector<Parameters> points;
    for (const char* text :
         {"node=0,size=8", "size=16,node=0", "node=2,size=8", "node=1,size=16"}) {
        points.emplace_back(text);
    }
    const std::vector<nodes::Group> groups = nodes::groups_of(points);
    CHECK(groups.size() == 2);
    CHECK(groups[0].points == std::vector<std::size_t>({0, 2}));
    CHECK(groups[1].points == std::vector<std::size_t>({1, 3}));
}

TEST(what_a_node_measured_is_whole_after_it_was_gathered_with_longer_ones) {
    nodes::Own own;
    own.samples = {{1.5, 2.5}, 7, 28.0};
    own.right = true;
    own.extra = {{3.5, 4.5}};
    own.numbers = {5.0, 6.0};
    own.page_bytes = 4096;
    const std::vector<double> all = nodes::packed(own, 4);
    CHECK(all.size() == 5 + 2 * 4 + 2);
    const nodes::Own found = nodes::unpacked(all, 4, 1);
    CHECK(found.right);
    CHECK(found.samples.seconds == own.samples.seconds);
    CHECK(found.samples.batch == 7);
    CHECK(found.samples.timed_seconds == 28.0);
    CHECK(found.extra == own.extra);
    CHECK(found.numbers == own.numbers);
    CHECK(found.page_bytes == 4096);
}

TEST(a_node_without_samples_stays_without) {
    nodes::Own own;
    own.extra.resize(1);
    own.numbers.resize(3);
    const nodes::Own found = nodes::unpacked(nodes::packed(own, 2), 2, 1);
    CHECK(!found.right);
    CHECK(found.samples.seconds.empty());
    CHECK(found.extra.front().empty());
}

}  // namespace
}  // namespace machmeter
