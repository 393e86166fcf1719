#include <array>
#include <atomic>
#include <cstdlib>

#include "core/record/header.hpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_clock.hpp"

namespace machmeter {

PointResult point_named(const char* name) {
    PointResult point{.parameters = Parameters(name), .series = {}, .check_what = ""};
    return point;
}

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

Session quiet_session() {
    test::fake_step = 10;
    Arguments arguments;
    arguments.benchmark = "memory.stream";
    arguments.launch = 3;
    return {test::fake_clock, arguments, [](const PointResult&) {}};
}

TEST(settings_of_runtimes_are_kept_and_secrets_are_not) {
    setenv("OMP_MACHMETER_TEST", "a\"b", 1);
    setenv("MACHMETER_SECRET", "hunter2", 1);
    const std::string environment = environment_json();
    CHECK(holds(environment, R"("OMP_MACHMETER_TEST":"a\"b")"));
    CHECK(!holds(environment, "hunter2"));
}

TEST(every_thread_says_where_it_is) {
    omp_set_num_threads(2);
    const std::string places = places_of_threads(6);
    CHECK(holds(places, R"("rank":6,"thread":0)"));
    CHECK(holds(places, R"("rank":6,"thread":1)"));
}

// How often the text holds the part.
int times(const std::string& text, std::string_view part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

TEST(threads_of_inner_teams_follow_those_of_the_team_before) {
    std::array<std::atomic<int>, 6> visits{};
    std::array<std::atomic<int>, 6> level{};
    omp_set_max_active_levels(2);
    on_every_thread({2, 3}, [&](int thread) {
        const auto number = static_cast<std::size_t>(thread);
        ++visits[number];
        level[number] = 3 * omp_get_ancestor_thread_num(1) + omp_get_thread_num();
    });
    omp_set_max_active_levels(1);
    for (std::size_t thread = 0; thread < visits.size(); ++thread) {
        CHECK(visits[thread] == 1);
        CHECK(level[thread] == static_cast<int>(thread));
    }
}

TEST(inner_teams_count_only_where_regions_may_be_nested) {
    omp_set_num_threads(3);
    omp_set_max_active_levels(1);
    const Teams flat = asked_teams();
    CHECK(flat.outer == 3 && flat.inner == 1);
    omp_set_max_active_levels(2);
    const Teams nested = asked_teams();
    CHECK(nested.outer == 3 && nested.inner == 3);
    CHECK(times(places_of_threads(0), R"("thread":)") == 9);
    CHECK(times(places_of_threads(0), R"("thread":8,)") == 1);
    CHECK(observe_noise(monotonic_clock, 1).cpus.size() == 9);
    omp_set_max_active_levels(1);
}

TEST(a_thread_that_a_team_lacks_is_not_made_up) {
    omp_set_num_threads(3);
    omp_set_dynamic(0);
    std::string places;
    // Inside a region that may not be nested, three threads are asked for and one comes.
#pragma omp parallel num_threads(1)
    {
        omp_set_max_active_levels(0);
        omp_set_num_threads(3);
        places = places_of_threads(0);
    }
    omp_set_max_active_levels(1);
    CHECK(times(places, R"("thread":)") == 1);
}

TEST(quanta_of_many_threads_do_not_fill_the_record) {
    CHECK(quanta_for(1) == 200);
    CHECK(quanta_for(64) == 200);
    CHECK(quanta_for(65) == 196);
    CHECK(quanta_for(1000) == 12);
    CHECK(quanta_for(100'000) == 12);
}

TEST(the_header_tells_launch_clock_and_toolchain) {
    const Session session = quiet_session();
    const std::string line = header_line(session, {"P", "N"}, 1, "now", "");
    CHECK(holds(line, R"("kind":"header","format":1,"benchmark":"memory.stream","launch":3)"));
    CHECK(holds(line, R"("places":[P])"));
    CHECK(holds(line, R"("noise":[N])"));
    CHECK(holds(line, R"("overhead_seconds":1e-08)"));
    CHECK(holds(line, toolchain::compiler));
}

TEST(the_header_tells_progress_threads_and_transports) {
    const Session session = quiet_session();
    const std::string without = header_line(session, {"P", "N"}, 1, "now", "");
    CHECK(holds(without, R"("progress":[],"transport":{})"));
    const std::string line =
        header_line(session, {"P", "N", "T"}, 2, "now", "MPI", R"({"pml":"ob1"})");
    CHECK(holds(line, R"("progress":[T],"transport":{"pml":"ob1"})"));
}

TEST(the_closing_line_counts_points_and_timed_seconds) {
    Session session = quiet_session();
    session.record(point_named("a=1"));
    session.add_timed(0.5);
    const std::string line = closing_line(session, {"P", "N"});
    CHECK(holds(line, R"("kind":"closing")"));
    CHECK(holds(line, R"("points":1,)"));
    CHECK(holds(line, R"("timed_seconds":0.5)"));
}

}  // namespace machmeter
