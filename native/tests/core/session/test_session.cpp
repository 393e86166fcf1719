#include <stdexcept>
#include <string>
#include <vector>

#include "core/session/session.hpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

PointResult point_named(const char* name) { return PointResult(Parameters(name)); }

TEST(results_are_recorded_at_once_and_counted) {
    int seen = 0;
    NodeSession session = test::fake_session({}, [&](const PointResult&) { ++seen; });
    session.record(point_named("a=1"));
    CHECK(seen == 1 && session.recorded() == 1);
    session.record(point_named("a=2"));
    CHECK(seen == 2 && session.recorded() == 2);
}

TEST(every_point_is_announced_before_it_is_measured) {
    std::vector<std::string> log;
    Arguments arguments;
    arguments.points = {Parameters("size=1"), Parameters("operation=alltoall,size=8")};
    NodeSession session = test::fake_session(
        arguments, [&](const PointResult& point) { log.push_back(point.parameters.to_text()); },
        [&](const Parameters& point) { log.push_back("begun " + point.to_text()); });
    session.record_each([](const Parameters& point) { return PointResult(point); });
    CHECK(log == std::vector<std::string>{"begun size=1", "size=1",
                                          "begun operation=alltoall,size=8",
                                          "operation=alltoall,size=8"});
}

TEST(a_full_disk_stops_the_launch) {
    NodeSession session = test::fake_session(
        {}, [](const PointResult&) { throw std::runtime_error("No space left"); });
    CHECK_THROWS(std::runtime_error, "No space left", (session.record(point_named("")), 0));
    CHECK(session.recorded() == 0);
}

TEST(sampled_time_counts_as_timed) {
    NodeSession session = test::fake_session();
    CHECK(test::near(session.clock_facts().overhead_seconds, 10e-9));
    test::fake_step = 1'000'000;
    std::uint64_t done = 0;
    auto event = session.event([&](std::uint64_t rounds) { done += rounds; });
    const Samples taken = session.sample(event);
    CHECK(taken.seconds == std::vector<double>(30, 1e-3));
    CHECK(event.rounds() == done);
    session.add_timed(1);
    CHECK(test::near(session.timed_seconds(), 1.03));
}

// Prepared events of 40 ns, with a compute phase of 20 ns.
Samples sample_prepared(NodeSession& session, int& prepared) {
    return session.sample_long([&] { ++prepared; },
                               [&] { const auto span = session.phases().in(Phase::compute); });
}

TEST(a_long_event_is_sampled_once_and_prepared_outside_the_clock) {
    Arguments arguments;
    arguments.limits = {200, 8, 1e-9};
    NodeSession session = test::fake_session(arguments);
    int prepared = 0;
    CHECK(sample_prepared(session, prepared).seconds.size() == 1);
    CHECK(prepared == 1);
    CHECK(session.timed_seconds() > 0);
}

TEST(short_events_are_sampled_until_the_time_is_over) {
    Arguments arguments;
    arguments.limits = {200, 8, 10e-6};
    NodeSession session = test::fake_session(arguments);
    int prepared = 0;
    const Samples taken = sample_prepared(session, prepared);
    CHECK(taken.seconds.size() > 1 && taken.seconds.size() <= 200);
    CHECK(prepared == static_cast<int>(taken.seconds.size()));
    CHECK(taken.timed_seconds <= 10e-6);
}

TEST(phases_are_those_of_the_events_alone) {
    Arguments arguments;
    arguments.limits = {3, 1, 1};
    NodeSession session = test::fake_session(arguments);
    session.sample_long([&] { session.phases().add(Phase::halo, 1); },
                        [&] { session.phases().add(Phase::compute, 2); });
    CHECK(session.phases().seconds(Phase::halo) == 0);
    CHECK(session.phases().seconds(Phase::compute) == 6);
}

// Two ranks, of which the other computes for one second.
class PairOfRanks {
   public:
    void barrier() {}
    double broadcast(double value) { return value; }
    bool is_root() { return true; }
    std::vector<std::vector<double>> gather(const std::vector<double>& mine) {
        std::vector<double> other(mine.size());
        other[0] = 1;
        return {mine, other};
    }
};

TEST(phases_become_shares_of_the_time_of_all_ranks) {
    PairOfRanks team;
    Phases phases(test::fake_clock);
    phases.add(Phase::compute, 3);
    PointResult result(Parameters("a=1"));
    describe_phases(team, phases, 4, result);
    CHECK(test::quantity_of(result, "compute_share") == 0.5);
    CHECK(test::near(test::quantity_of(result, "imbalance"), 1.0 / 3));
    CHECK(test::quantity_of(result, "halo_share") == -1);
}

TEST(a_short_launch_is_watched_for_longer) {
    NodeSession session = test::fake_session();
    test::fake_step = 1'000'000;
    const std::uint64_t begin = test::fake_clock.now();
    int exchanges = 0;
    session.watch_for(0.05, [&] { ++exchanges; });
    const double watched = seconds_between(begin, test::fake_clock.now());
    CHECK(watched >= 0.05 && watched < 0.06);
    CHECK(exchanges == 49);
    session.watch_for(0, [&] { ++exchanges; });
    CHECK(exchanges == 49);
    CHECK(seconds_between(begin, test::fake_clock.now()) < watched + 0.005);
}

TEST(yields_are_counted_for_each_message_that_was_received) {
    const NodeSession session = test::fake_session();
    CHECK(session.yields_of_messages([] { return Exchanged{8, 20}; }) == 2.5);
    CHECK(session.yields_of_messages([] { return Exchanged{8, 0}; }) == 0);
    CHECK(session.yields_of_messages([] { return Exchanged{}; }) < 0);
}

TEST(cpu_time_counts_while_it_is_watched) {
    NodeSession session = test::fake_session();
    const auto spent = [&] {
        const CpuTime cpu = session.cpu_of_all();
        return cpu.user_seconds + cpu.system_seconds;
    };
    const auto burn = [] {
        const CpuTime begin = cpu_time();
        CpuTime now = begin;
        while (now.user_seconds + now.system_seconds <
               begin.user_seconds + begin.system_seconds + 0.02) {
            now = cpu_time();
        }
    };
    burn();
    CHECK(spent() == 0);
    auto event = session.event([&](std::uint64_t) { burn(); });
    event(1);
    CHECK(spent() == 0);
    {
        const CpuWatch watch = session.watch_cpu();
        event(1);
    }
    const double watched = spent();
    // Differences of sums of two clocks are off by rounding.
    constexpr double least = 0.02 - 1e-6;
    CHECK(watched >= least);
    test::fake_step = 1'000'000'000;
    session.sample(event);
    CHECK(spent() >= watched + least);
}

}  // namespace
}  // namespace machmeter
