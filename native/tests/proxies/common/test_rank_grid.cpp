// Ranks by their places in a grid, their neighbors there, and the squarest grid.
#include <array>
#include <vector>

#include "proxies/common/rank_grid.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

using Grid = proxies::RankGrid<3>;

TEST(each_rank_has_its_place) {
    for (int rank = 0; rank < 24; ++rank) {
        const Grid grid({2, 3, 4}, rank);
        CHECK(grid.rank_at(grid.place) == rank);
    }
    CHECK((Grid({2, 3, 4}, 9).place == Grid::Places{1, 1, 1}));
}

TEST(neighbors_are_around_the_grid_or_within_it) {
    const Grid first({2, 3, 4}, 0);
    CHECK(first.neighbor(1, 1) == 2 && first.neighbor(1, -1) == 4);
    CHECK(first.neighbor(2, -1) == 18 && first.neighbor(0, 1) == first.neighbor(0, -1));
    CHECK(first.neighbor_within({0, 1, 0}) == 2 && first.neighbor_within({1, 1, 1}) == 9);
    CHECK(first.neighbor_within({0, -1, 0}) == -1 && first.neighbor_within({1, 0, -1}) == -1);
    CHECK(Grid({2, 3, 4}, 23).neighbor_within({0, 0, 1}) == -1);
}

TEST(a_line_has_the_ranks_along_one_dimension) {
    const Grid grid({2, 3, 4}, 9);
    CHECK((grid.line(0) == std::vector<int>{8, 9}));
    CHECK((grid.line(2) == std::vector<int>{3, 9, 15, 21}));
}

TEST(the_squarest_grid_that_fits_is_chosen) {
    const auto any = [](int /*few*/, int /*many*/) { return true; };
    CHECK((proxies::squarest_grid(12, any) == std::array<int, 2>{3, 4}));
    CHECK((proxies::squarest_grid(16, any) == std::array<int, 2>{4, 4}));
    CHECK((proxies::squarest_grid(7, any) == std::array<int, 2>{1, 7}));
    const auto flat = [](int few, int /*many*/) { return few <= 2; };
    CHECK((proxies::squarest_grid(12, flat) == std::array<int, 2>{2, 6}));
    const auto short_one = [](int /*few*/, int many) { return many <= 3; };
    CHECK((proxies::squarest_grid(12, short_one) == std::array<int, 2>{0, 0}));
}

}  // namespace
}  // namespace machmeter
