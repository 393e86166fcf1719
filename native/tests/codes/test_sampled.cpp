#include <cstdint>

#include "codes/common/sampled.hpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

// Samples of an event that takes that long, of a point of one second; calls: of the event.
Samples samples_of(double seconds, int& calls) {
    Arguments arguments;
    arguments.limits.seconds = 1;
    arguments.limits.most = 20;
    NodeSession session = test::fake_session(arguments);
    return codes::sampled(session, [&](std::uint64_t rounds) {
        ++calls;
        return seconds * static_cast<double>(rounds);
    });
}

}  // namespace

TEST(an_event_that_takes_the_most_of_a_point_is_all_of_it) {
    int calls = 0;
    const Samples taken = samples_of(0.6, calls);
    CHECK(calls == 1);
    CHECK(taken.seconds.size() == 1 && taken.seconds.front() == 0.6 && taken.batch == 1);
}

TEST(as_many_long_events_are_sampled_as_fit) {
    int calls = 0;
    const Samples taken = samples_of(0.2, calls);
    // The first is a warm-up. On the clock of this test each takes nothing.
    CHECK(taken.seconds.size() == 20 && calls == 21);
}

TEST(short_events_are_sampled_as_others_are) {
    int calls = 0;
    const Samples taken = samples_of(1e-3, calls);
    CHECK(taken.seconds.size() == 20 && taken.seconds.front() == 1e-3);
    CHECK(calls > 22);
}

}  // namespace machmeter
