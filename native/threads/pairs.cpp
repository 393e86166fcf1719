// threads.pairs: time for a word to pass from one CPU to another.
//
// Two threads pass a number back and forth, each adding one; an event is one way, half a round
// trip. The protocol of the hand-over alone changes the time by more than a factor of two.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <string_view>

#include "core/memory/memory.hpp"
#include "core/memory/pages.hpp"
#include "core/openmp/padding.hpp"
#include "core/openmp/pair_team.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

// Far enough that no prefetcher fetches one line with the other.
constexpr std::size_t far_bytes = std::max<std::size_t>(512, polled_bytes);

struct Lines {
    alignas(far_bytes) std::atomic<std::uint64_t> out = 0;
    alignas(far_bytes) std::atomic<std::uint64_t> back = 0;
};

constexpr std::uint64_t stop = std::numeric_limits<std::uint64_t>::max();

// Spins without a pause, as programs do that wait briefly; yields where the other thread has no CPU
// to run on.
template <class Try>
void try_until(Try&& succeeds) {
    constexpr std::uint64_t patience = 1 << 14;
    for (std::uint64_t tries = 1; !succeeds(); ++tries) {
        if (tries % patience == 0) {
            sched_yield();
        }
    }
}

// Each protocol waits for `expected` on one line and then stores its successor on a line. It
// returns what it found: not `expected` where the other thread ended or lost step.
struct CompareAndSwap {
    static constexpr std::string_view what = "both threads compare and swap on one line";
    static constexpr bool one_line = true;

    static std::uint64_t pass(std::atomic<std::uint64_t>& from, std::atomic<std::uint64_t>&,
                              std::uint64_t expected) {
        std::uint64_t found = expected;
        try_until([&] {
            found = expected;
            return from.compare_exchange_strong(found, expected + 1, std::memory_order_acq_rel) ||
                   found > expected;
        });
        return found;
    }
};

struct LoadAndStore {
    static std::uint64_t pass(std::atomic<std::uint64_t>& from, std::atomic<std::uint64_t>& to,
                              std::uint64_t expected) {
        std::uint64_t found = 0;
        try_until([&] {
            found = from.load(std::memory_order_acquire);
            return found >= expected;
        });
        if (found == expected) {
            to.store(expected + 1, std::memory_order_release);
        }
        return found;
    }
};

struct OneLine : LoadAndStore {
    static constexpr std::string_view what = "both threads load and store one line";
    static constexpr bool one_line = true;
};

struct TwoLines : LoadAndStore {
    static constexpr std::string_view what = "each side stores to one line and loads the other";
    static constexpr bool one_line = false;
};

// timed: round trips of the event; led, followed: of each side.
struct Passed {
    Samples samples;  // of one way
    std::uint64_t timed = 0;
    std::uint64_t led = 0;
    std::uint64_t followed = 0;
    bool in_step = true;

    // Every number that one thread passed came back as its successor.
    [[nodiscard]] bool in_order() const {
        return in_step && led == followed && led == timed && led > 0;
    }
};

// A batch is so long that the clock, which the flight of a number hides in part, does not matter.
constexpr double largest_clock_share = 0.002;
constexpr std::uint64_t least_round_trips = 64;

// The fastest of a few trials: a side that lost its CPU for a while must not pass for a slow one.
template <TimedEvent E>
SamplingPlan plan_round_trips(const NodeSession& session, E& round_trips) {
    constexpr int trials = 5;
    double fastest = std::numeric_limits<double>::infinity();
    for (int trial = 0; trial < trials; ++trial) {
        fastest = std::min(fastest, round_trips(least_round_trips));
    }
    // Many round trips as one event: a batch holds at least as many.
    SamplingPlan plan =
        plan_sampling(fastest, session.clock_facts(), session.limits(), largest_clock_share);
    plan.batch *= least_round_trips;
    plan.most_seconds = longest_over_planned * session.limits().seconds;
    return plan;
}

template <class Protocol>
Samples lead(NodeSession& session, Lines& lines, Passed& passed) {
    std::atomic<std::uint64_t>& back = Protocol::one_line ? lines.out : lines.back;
    auto round_trips = session.event([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count && passed.in_step; ++i) {
            const std::uint64_t expected = 2 * passed.led;
            passed.in_step = Protocol::pass(back, lines.out, expected) == expected;
            ++passed.led;
        }
    });
    // However this ends: the last number must have come back before its line holds `stop`.
    const AtEnd release([&] {
        try_until([&] {
            return !passed.in_step || back.load(std::memory_order_acquire) >= 2 * passed.led;
        });
        lines.out.store(stop, std::memory_order_release);
    });
    round_trips(1);
    const SamplingPlan plan = plan_round_trips(session, round_trips);
    Samples taken = take_samples(plan, round_trips);
    session.add_timed(taken.timed_seconds);
    passed.timed = round_trips.rounds();
    for (double& seconds : taken.seconds) {
        seconds /= 2;
    }
    taken.batch *= 2;
    return taken;
}

template <class Protocol>
void follow(Lines& lines, Passed& passed, bool& in_step) {
    std::atomic<std::uint64_t>& back = Protocol::one_line ? lines.out : lines.back;
    while (true) {
        const std::uint64_t expected = 2 * passed.followed + 1;
        const std::uint64_t found = Protocol::pass(lines.out, back, expected);
        if (found != expected) {
            in_step = found == stop;
            return;
        }
        ++passed.followed;
    }
}

// The first of the pair touches the lines first, which places them in its NUMA domain.
template <class Protocol>
Passed pass_back_and_forth(NodeSession& session, const PairTeam& team, const Pair& cpus) {
    Passed passed;
    Passed of_follower;
    bool follower_in_step = true;
    const Memory page(sizeof(Lines), base_page_bytes());
    std::atomic<Lines*> lines = nullptr;
    team.run(
        cpus,
        [&] {
            lines.store(new (page.as<void>()) Lines, std::memory_order_release);
            passed.samples = lead<Protocol>(session, *lines, passed);
        },
        [&] {
            spin_until([&] { return lines.load(std::memory_order_acquire) != nullptr; });
            follow<Protocol>(*lines, of_follower, follower_in_step);
        });
    passed.followed = of_follower.followed;
    passed.in_step = passed.in_step && follower_in_step;
    return passed;
}

template <class Protocol>
PointResult measure(NodeSession& session, const PairTeam& team, const Parameters& point) {
    const Pair cpus = parse_pair(point.text("pair"));
    if (team.thread_on(cpus.first) == team.thread_on(cpus.second)) {
        throw UsageError("pair: " + point.text("pair") + " is one CPU; name two");
    }
    Passed passed = pass_back_and_forth<Protocol>(session, team, cpus);
    return PointResult(point)
        .add_samples(std::move(passed.samples))
        .check(passed.in_order(), std::to_string(passed.led) + " numbers passed and " +
                                      std::to_string(passed.followed) +
                                      " passed back, each the successor of the last")
        .quantity("round_trips", passed.led)
        .attribute("protocol", std::string(Protocol::what))
        .attribute("lines", "first touched by CPU " + std::to_string(cpus.first))
        .on_pages(base_page_bytes());
}

using Measure = PointResult (*)(NodeSession&, const PairTeam&, const Parameters&);

void run_pairs(NodeSession& session) {
    const PairTeam team;
    session.record_each([&](const Parameters& point) {
        const auto measure_protocol =
            point.choice<Measure>("protocol", {{"compare-and-swap", &measure<CompareAndSwap>},
                                               {"one-line", &measure<OneLine>},
                                               {"two-lines", &measure<TwoLines>}});
        return measure_protocol(session, team, point);
    });
}

const RegisterNodeBenchmark registered({"threads.pairs", {"pair", "protocol"}, &run_pairs});

}  // namespace
}  // namespace machmeter
