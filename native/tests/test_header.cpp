#include <cstdlib>

#include "check.hpp"
#include "fake_clock.hpp"
#include "machmeter/header.hpp"

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
