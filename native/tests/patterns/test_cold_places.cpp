// Cold places: all of a pool before any again, more of it than the cache holds, and none overlaps.
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "patterns/cold_places.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

constexpr CacheSizes caches{64 * 1024, 64};

TEST(what_messages_touch_is_larger_than_the_cache) {
    for (const std::size_t extent : {0, 1, 8, 64, 65, 1000, 4096, 100'000, 1'000'000}) {
        const ColdShape shape = cold_shape(extent, caches);
        CHECK(shape.places >= 2);
        CHECK(shape.place_bytes >= extent + guard_bytes);
        CHECK(shape.place_bytes % caches.line_bytes == 0);
        const std::size_t lines = (std::max<std::size_t>(extent, 1) + 63) / 64;
        CHECK(shape.places * lines * 64 > caches.last_bytes);
    }
}

TEST(a_far_step_visits_all_places) {
    for (std::size_t places = 2; places < 400; ++places) {
        std::set<std::size_t> seen;
        std::size_t at = 0;
        for (std::size_t i = 0; i < places; ++i) {
            at = (at + far_step(places)) % places;
            seen.insert(at);
        }
        CHECK(seen.size() == places);
    }
}

TEST(neighbors_are_not_visited_one_after_another) {
    const std::size_t places = 1000;
    const std::size_t step = far_step(places);
    CHECK(step > 10);
    CHECK(step < places - 10);
}

TEST(every_place_comes_once_before_one_comes_again_and_lies_in_the_pool) {
    const ColdShape shape = cold_shape(1000, caches);
    const MessageBuffers pools(shape.pool_bytes(), 4096);
    ColdPlaces places(pools, shape, 0);
    std::set<const std::byte*> seen;
    for (std::size_t i = 0; i < shape.places; ++i) {
        const std::byte* place = places.next_out();
        CHECK(place >= pools.out());
        CHECK(place + 1000 + guard_bytes <= pools.out() + shape.pool_bytes());
        CHECK((place - pools.out()) % static_cast<std::ptrdiff_t>(shape.place_bytes) == 0);
        seen.insert(place);
    }
    CHECK(seen.size() == shape.places);
    CHECK(seen.count(places.next_out()) == 1);
}

TEST(visits_go_on_where_those_of_an_earlier_point_ended) {
    const ColdShape shape = cold_shape(8, caches);
    const MessageBuffers pools(shape.pool_bytes(), 4096);
    ColdPlaces first(pools, shape, 0);
    std::set<const std::byte*> seen;
    for (int i = 0; i < 5; ++i) {
        seen.insert(first.next_in());
        CHECK(first.next_out() >= pools.out());
    }
    ColdPlaces second(pools, shape, first.end());
    for (int i = 0; i < 5; ++i) {
        CHECK(seen.count(second.next_in()) == 0);
    }
}

}  // namespace
}  // namespace machmeter
