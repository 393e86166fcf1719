// Nearest images are the nearest, whoever looks for them; the check sees when they are not.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/retrieval.cpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

using namespace retrieval;

constexpr Teams all_teams[] = {{1, 1}, {1, 3}, {2, 1}, {2, 2}, {3, 2}};

std::vector<Nearest> answers_of(const ImageDatabase& database, const Teams& teams) {
    std::vector<Nearest> answers(database.queries());
    omp_set_max_active_levels(2);
    TeamTimes times(teams.outer, 1);
    answer_all(database, teams, answers, times);
    omp_set_max_active_levels(1);
    return answers;
}

TEST(distances_are_those_of_their_definitions) {
    std::vector<float> x(256);
    std::vector<float> y(256);
    double squared = 0;
    double absolute = 0;
    double chi_square = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(0.1 + uniform(1, i));
        y[i] = static_cast<float>(0.1 + uniform(2, i));
        const double difference = static_cast<double>(x[i]) - static_cast<double>(y[i]);
        squared += difference * difference;
        absolute += std::abs(difference);
        chi_square += difference * difference / (x[i] + y[i]);
    }
    const auto close = [](float found, double wanted_value) {
        return std::abs(found - wanted_value) < 1e-5 * wanted_value;
    };
    CHECK(close(squared_distance<256>(x.data(), y.data()), squared));
    CHECK(close(absolute_distance<256>(x.data(), y.data()), absolute));
    CHECK(close(chi_square_distance<256>(x.data(), y.data()), chi_square));
}

TEST(an_image_is_as_far_from_itself_as_nothing_and_the_way_back_is_as_far) {
    std::vector<float> x(image_floats);
    std::vector<float> y(image_floats);
    make_image(3, x.data());
    make_image(4, y.data());
    CHECK(image_distance({x.data()}, {x.data()}) == 0);
    CHECK(image_distance({x.data()}, {y.data()}) > 0);
    CHECK(image_distance({x.data()}, {y.data()}) == image_distance({y.data()}, {x.data()}));
}

TEST(every_feature_counts) {
    std::vector<float> x(image_floats);
    make_image(3, x.data());
    for (std::size_t i = 0; i < image_floats; i += 64) {
        std::vector<float> changed = x;
        changed[i] += 0.5F;
        CHECK(image_distance({x.data()}, {changed.data()}) > 0);
    }
}

TEST(the_nearest_are_kept_in_order_and_ties_by_number) {
    Nearest nearest;
    for (std::uint32_t i = 0; i < 40; ++i) {
        nearest.see({static_cast<float>((i * 7) % 20), i});
    }
    std::vector<Neighbor> all;
    for (std::uint32_t i = 0; i < 40; ++i) {
        all.push_back({static_cast<float>((i * 7) % 20), i});
    }
    std::sort(all.begin(), all.end());
    CHECK(std::equal(nearest.neighbors().begin(), nearest.neighbors().end(), all.begin()));
}

TEST(nearest_of_parts_are_the_nearest_of_all) {
    Nearest whole;
    Nearest even;
    Nearest odd;
    for (std::uint32_t i = 0; i < 100; ++i) {
        const Neighbor neighbor{static_cast<float>(uniform(9, i)), i};
        whole.see(neighbor);
        (i % 2 == 0 ? even : odd).see(neighbor);
    }
    odd.see(even);
    CHECK(odd == whole);
}

TEST(every_split_gives_the_same_answers_and_they_are_right) {
    const ImageDatabase database(7, 64, {1, 1}, 4096);
    const std::vector<Nearest> expected = answers_of(database, {1, 1});
    CHECK(answers_are_right(database, expected));
    for (const Teams& teams : all_teams) {
        omp_set_max_active_levels(2);
        const ImageDatabase shared(7, 64, teams, 4096);
        omp_set_max_active_levels(1);
        CHECK(answers_of(shared, teams) == expected);
    }
}

TEST(as_many_images_as_are_wanted_are_all_found) {
    const ImageDatabase database(1, wanted, {1, 1}, 4096);
    CHECK(answers_are_right(database, answers_of(database, {2, 3})));
}

TEST(the_check_sees_a_wrong_neighbor_and_a_wrong_order) {
    const ImageDatabase database(2, 30, {1, 1}, 4096);
    const std::vector<Nearest> answers = answers_of(database, {1, 1});
    CHECK(answers_are_right(database, answers));
    std::vector<Nearest> exchanged = {answers[1], answers[0]};
    CHECK(!answers_are_right(database, exchanged));
    // The nearest of half of the images begin with the right one.
    Nearest half;
    for (std::uint64_t image = 0; image < 15; ++image) {
        half.see(database.neighbor(0, image));
    }
    CHECK(half.neighbors().front() == answers[0].neighbors().front());
    CHECK(!answers_are_right(database, {half, answers[1]}));
    CHECK(!answers_are_right(database, {Nearest{}, answers[1]}));
}

TEST(a_point_is_recorded_with_its_amounts) {
    omp_set_num_threads(1);
    const auto recorded =
        test::run_with_fake_clock(&run_retrieval, {"queries=3,images=20"}, 4'000'000);
    const PointResult& point = recorded.at(0);
    CHECK(point.check_passed);
    CHECK(point.page_bytes == 4096);
    CHECK(point.series[0].second == std::vector<double>(8, 4e-3));
    CHECK(point.quantities[0].first == "comparisons" && point.quantities[0].second == 60);
}

TEST(a_database_that_does_not_fit_is_refused_before_it_is_made) {
    constexpr double image = image_floats * sizeof(float);
    require_memory_of_images(2, 1000, 1010 * image);
    const auto refused = [] {
        require_memory_of_images(2, 1000, 1001 * image);
        return 0;
    };
    CHECK_THROWS(UsageError, "images: 1000 with 2 queries need 0.0082", refused());
    CHECK_THROWS(UsageError, "0.0082", refused());
    CHECK_THROWS(UsageError, "GB are available", refused());
}

TEST(counts_that_mean_nothing_are_usage_errors) {
    const auto run = [](const char* point) {
        test::run_with_fake_clock(&run_retrieval, {point}, 4'000'000);
        return 0;
    };
    CHECK_THROWS(UsageError, "queries: 0 is not within", run("queries=0,images=10"));
    CHECK_THROWS(UsageError, "images: 9 is not within 10", run("queries=1,images=9"));
}

}  // namespace
}  // namespace machmeter
