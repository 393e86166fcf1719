#include <omp.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "core/openmp/teams.hpp"
#include "core/record/header.hpp"
#include "core/record/noise.hpp"
#include "core/record/toolchain.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

LaunchHeader usual_header() {
    LaunchHeader header;
    header.benchmark = "memory.stream";
    header.launch = 3;
    header.started = "now";
    header.clock = {1e-8, 1e-9};
    header.observed = {"P", "N"};
    return header;
}

TEST(settings_of_runtimes_are_kept_and_secrets_are_not) {
    setenv("OMP_MACHMETER_TEST", "a\"b", 1);
    setenv("MACHMETER_SECRET", "hunter2", 1);
    const std::string environment = environment_json();
    CHECK(holds(environment, R"("OMP_MACHMETER_TEST":"a\"b")"));
    CHECK(!holds(environment, "hunter2"));
}

TEST(every_thread_has_its_place) {
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

TEST(threads_of_inner_teams_have_places_where_regions_may_be_nested) {
    omp_set_num_threads(3);
    omp_set_max_active_levels(2);
    CHECK(times(places_of_threads(0), R"("thread":)") == 9);
    CHECK(times(places_of_threads(0), R"("thread":8,)") == 1);
    CHECK(observe_noise(monotonic_clock, 1).cpus.size() == 9);
    omp_set_max_active_levels(1);
}

TEST(a_thread_that_a_team_lacks_has_no_place) {
    omp_set_num_threads(3);
    omp_set_dynamic(0);
    std::string places;
    // Inside a region that may not be nested, three threads are requested and one comes.
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

TEST(the_header_has_launch_clock_and_toolchain) {
    const std::string line = header_line(usual_header());
    CHECK(holds(line, R"("kind":"header","format":4,"benchmark":"memory.stream","launch":3)"));
    CHECK(holds(line, R"("places":[P])"));
    CHECK(holds(line, R"("noise":[N])"));
    CHECK(holds(line, R"("overhead_seconds":1e-08)"));
    CHECK(holds(line, toolchain::compiler));
    CHECK(holds(line, R"("progress":[],"transport":{})"));
}

TEST(the_header_has_progress_threads_transports_and_hosts) {
    LaunchHeader header = usual_header();
    header.observed.progress = "T";
    header.mpi_library = "MPI";
    header.transport = R"({"pml":"ob1"})";
    header.hosts = "H";
    const std::string line = header_line(header);
    CHECK(holds(line, R"("mpi_library":"MPI")"));
    CHECK(holds(line, R"("progress":[T],"transport":{"pml":"ob1"},"hosts":[H])"));
}

TEST(the_closing_line_counts_points_and_timed_seconds) {
    const std::string line = closing_line(1, 0.5, {}, {"P", "N"});
    CHECK(holds(line, R"("kind":"closing")"));
    CHECK(holds(line, R"("points":1,)"));
    CHECK(holds(line, R"("timed_seconds":0.5)"));
    CHECK(!holds(line, "user_seconds"));
}

TEST(the_closing_line_has_cpu_time_where_it_was_watched) {
    const std::string line = closing_line(1, 0.5, {{0.75, 0.25}}, {"P", "N"});
    CHECK(holds(line, R"("user_seconds":0.75,"system_seconds":0.25)"));
    CHECK(!holds(line, "yields_per_message"));
}

TEST(the_closing_line_has_yields_where_there_were_messages) {
    CHECK(holds(closing_line(1, 0.5, {{}, 2.5}, {"P", "N"}), R"("yields_per_message":2.5)"));
    CHECK(holds(closing_line(1, 0.5, {{}, 0}, {"P", "N"}), R"("yields_per_message":0)"));
}

}  // namespace
}  // namespace machmeter
