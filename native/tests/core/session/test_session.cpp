#include "core/session/session.hpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_clock.hpp"

namespace machmeter {

PointResult point_named(const char* name) {
    PointResult point{.parameters = Parameters(name), .series = {}, .check_what = ""};
    return point;
}

TEST(points_reach_the_sink_at_once_and_are_counted) {
    int seen = 0;
    test::fake_step = 10;
    Session session(test::fake_clock, Arguments{}, [&](const PointResult&) { ++seen; });
    session.record(point_named("a=1"));
    CHECK(seen == 1 && session.recorded() == 1);
    session.record(point_named("a=2"));
    CHECK(seen == 2 && session.recorded() == 2);
}

TEST(what_is_about_to_be_measured_is_announced) {
    std::vector<std::string> begun;
    test::fake_step = 10;
    Session session(test::fake_clock, Arguments{}, [](const PointResult&) {});
    session.begin(Parameters("size=1"));
    session.announce_by([&](const Parameters& point) { begun.push_back(point.to_text()); });
    session.begin(Parameters("operation=alltoall,size=8"));
    CHECK(begun == std::vector<std::string>{"operation=alltoall,size=8"});
}

TEST(a_full_disk_stops_the_launch) {
    test::fake_step = 10;
    Session session(test::fake_clock, Arguments{},
                    [](const PointResult&) { throw std::runtime_error("No space left"); });
    CHECK_THROWS(std::runtime_error, "No space left", (session.record(point_named("")), 0));
    CHECK(session.recorded() == 0);
}

TEST(sampled_time_counts_as_timed) {
    test::fake_step = 10;
    Session session(test::fake_clock, Arguments{}, [](const PointResult&) {});
    CHECK(test::near(session.clock_facts().overhead_seconds, 10e-9));
    test::fake_step = 1'000'000;
    const Samples taken = session.sample([](std::uint64_t) {});
    CHECK(taken.seconds == std::vector<double>(30, 1e-3));
    session.add_timed(1);
    CHECK(test::near(session.timed_seconds(), 1.03));
}

}  // namespace machmeter
