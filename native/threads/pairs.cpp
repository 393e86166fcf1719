// threads.pairs: time for a word to pass from one CPU to another.
//
// Two threads hand a number to and fro, each adding one; an event is one way, half a round trip.
// How a number is handed over is the protocol: it alone changes the time more than twice.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <string_view>

#include "core/memory/memory.hpp"
#include "core/openmp/pair_team.hpp"
#include "core/session/node_benchmark.hpp"

namespace machmeter {
namespace {

// Lines far enough apart that no prefetcher takes one for the neighbor of the other.
struct Lines {
    alignas(512) std::atomic<std::uint64_t> out = 0;
    alignas(512) std::atomic<std::uint64_t> back = 0;
};

constexpr std::uint64_t stop = std::numeric_limits<std::uint64_t>::max();

// Spins without a pause, as programs do that wait for a moment; yields where the other side has no
// CPU to run on.
template <class Try>
void try_until(Try&& succeeds) {
    constexpr std::uint64_t patience = 1 << 14;
    for (std::uint64_t tries = 1; !succeeds(); ++tries) {
        if (tries % patience == 0) {
            sched_yield();
        }
    }
}

// Each protocol waits for `expected` on one line and then puts its successor on a line. It returns
// what it found: not `expected` where the other side ended or fell out of step.
struct CompareAndSwap {
    static constexpr std::string_view name = "compare-and-swap";
    static constexpr std::string_view what = "both sides compare and swap on one line";
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
    static constexpr std::string_view name = "one-line";
    static constexpr std::string_view what = "both sides load and store one line";
    static constexpr bool one_line = true;
};

struct TwoLines : LoadAndStore {
    static constexpr std::string_view name = "two-lines";
    static constexpr std::string_view what = "each side stores to one line and loads the other";
    static constexpr bool one_line = false;
};

struct Passed {
    Samples samples;  // of one way
    std::uint64_t led = 0;
    std::uint64_t followed = 0;
    bool in_step = true;

    // Every number that one side handed over came back as its successor.
    [[nodiscard]] bool in_order() const { return in_step && led == followed && led > 0; }
};

// A batch is so long that the clock, which the flight of a number hides in part, does not matter.
constexpr double largest_clock_share = 0.002;
constexpr std::uint64_t least_round_trips = 64;

// The fastest of a few trials: a side that lost its CPU for a while must not pass for a slow one.
template <class RoundTrips>
SamplingPlan plan_round_trips(const Session& session, RoundTrips&& round_trips) {
    constexpr int trials = 5;
    double fastest = std::numeric_limits<double>::infinity();
    for (int trial = 0; trial < trials; ++trial) {
        const std::uint64_t begin = session.clock().now();
        round_trips(least_round_trips);
        fastest = std::min(fastest, seconds_between(begin, session.clock().now()));
    }
    // Many round trips as one event: a batch holds at least as many.
    SamplingPlan plan =
        plan_sampling(fastest, session.clock_facts(), session.limits(), largest_clock_share);
    plan.batch *= least_round_trips;
    plan.most_seconds = longest_over_planned * session.limits().seconds;
    return plan;
}

template <class Protocol>
Samples lead(Session& session, Lines& lines, Passed& passed) {
    std::atomic<std::uint64_t>& back = Protocol::one_line ? lines.out : lines.back;
    const auto round_trips = [&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count && passed.in_step; ++i) {
            const std::uint64_t expected = 2 * passed.led;
            passed.in_step = Protocol::pass(back, lines.out, expected) == expected;
            ++passed.led;
        }
    };
    // However this ends: the last number must have come back before its line says that all is over.
    const AtEnd let_go([&] {
        try_until([&] {
            return !passed.in_step || back.load(std::memory_order_acquire) >= 2 * passed.led;
        });
        lines.out.store(stop, std::memory_order_release);
    });
    round_trips(1);
    const SamplingPlan plan = plan_round_trips(session, round_trips);
    Samples taken = take_samples(session.clock(), plan, round_trips);
    session.add_timed(taken.timed_seconds);
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

// The first of the pair touches the lines first, so that they lie in its NUMA domain.
template <class Protocol>
Passed pass_to_and_fro(Session& session, const PairTeam& team, const Pair& cpus) {
    Passed passed;
    Passed of_follower;
    bool follower_in_step = true;
    const PageBuffer page(sizeof(Lines), base_page_bytes());
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
PointResult measure(Session& session, const PairTeam& team, const Parameters& point) {
    const Pair cpus = parse_pair(point.text("pair"));
    if (team.thread_on(cpus.first) == team.thread_on(cpus.second)) {
        throw UsageError("pair: " + point.text("pair") + " is one CPU; name two");
    }
    const Passed passed = pass_to_and_fro<Protocol>(session, team, cpus);
    return {point,
            {{"seconds", passed.samples.seconds}},
            passed.samples.batch,
            passed.in_order(),
            std::to_string(passed.led) + " numbers handed over and " +
                std::to_string(passed.followed) + " handed back, each the successor of the last",
            {{"round_trips", static_cast<double>(passed.led)}},
            {{"protocol", std::string(Protocol::what)},
             {"lines", "first touched by CPU " + std::to_string(cpus.first)}},
            base_page_bytes()};
}

PointResult measure_protocol(Session& session, const PairTeam& team, const Parameters& point) {
    const std::string& protocol = point.text("protocol");
    if (protocol == CompareAndSwap::name) {
        return measure<CompareAndSwap>(session, team, point);
    }
    if (protocol == OneLine::name) {
        return measure<OneLine>(session, team, point);
    }
    if (protocol == TwoLines::name) {
        return measure<TwoLines>(session, team, point);
    }
    throw UsageError("threads.pairs has no protocol '" + protocol +
                     "'; it has compare-and-swap, one-line, two-lines");
}

void run_pairs(Session& session) {
    const PairTeam team;
    for (const Parameters& point : session.points()) {
        session.record(measure_protocol(session, team, point));
    }
}

const RegisterNodeBenchmark registered("threads.pairs", {"pair", "protocol"}, &run_pairs);

}  // namespace
}  // namespace machmeter
