#include <cmath>
#include <cstdlib>

#include "core/memory/pages.hpp"
#include "memory/latency/latency.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

// The simple way: count the lines until the first one comes again.
bool returns_after_all(const std::vector<std::uint32_t>& next) {
    std::size_t at = next[0];
    std::size_t steps = 1;
    while (at != 0 && steps <= next.size()) {
        at = next[at];
        ++steps;
    }
    return at == 0 && steps == next.size();
}

bool is_single_cycle(const std::vector<std::uint32_t>& next) {
    const Memory memory(next.size() * line_bytes(), base_page_bytes());
    const Lines lines(memory.as<std::byte>());
    for (std::size_t i = 0; i < next.size(); ++i) {
        *lines.at(i) = {lines.at(next[i]), 0};
    }
    return is_single_cycle(lines, next.size());
}

std::vector<std::uint32_t> random_order(std::size_t lines, std::uint64_t seed) {
    std::vector<std::uint32_t> order;
    shuffle_order(order, lines, seed);
    return order;
}

}  // namespace

TEST(the_check_agrees_with_the_simple_way_on_every_chain_of_up_to_five_lines) {
    for (std::uint32_t lines = 2; lines <= 5; ++lines) {
        std::vector<std::uint32_t> next(lines, 0);
        int single = 0;
        for (bool more = true; more;) {
            CHECK(is_single_cycle(next) == returns_after_all(next));
            single += returns_after_all(next) ? 1 : 0;
            std::size_t digit = 0;
            while (digit < lines && ++next[digit] == lines) {
                next[digit++] = 0;
            }
            more = digit < lines;
        }
        constexpr int cycles_of[] = {0, 0, 1, 2, 6, 24};
        CHECK(single == cycles_of[lines]);
    }
}

TEST(the_check_finds_a_long_chain_that_is_cut_or_split) {
    for (const std::uint32_t lines : {300U, 4'096U, 50'000U}) {
        const auto order = random_order(lines, lines);
        std::vector<std::uint32_t> next(lines);
        for (std::uint32_t i = 0; i < lines; ++i) {
            next[order[i]] = order[(i + 1) % lines];
        }
        CHECK(is_single_cycle(next));
        auto split = next;
        std::swap(split[order[10]], split[order[200]]);
        CHECK(!is_single_cycle(split));
        auto shortcut = next;
        shortcut[order[10]] = order[12];
        CHECK(!is_single_cycle(shortcut));
        auto stuck = next;
        stuck[order[20]] = order[20];
        CHECK(!is_single_cycle(stuck));
        auto looped = next;
        looped[order[lines - 1]] = order[lines / 2];
        CHECK(!is_single_cycle(looped));
    }
}

TEST(the_order_passes_every_line_once_and_is_not_local) {
    constexpr std::size_t lines = 20'000;
    auto order = random_order(lines, 1);
    CHECK(order != random_order(lines, 2));
    CHECK(order == random_order(lines, 1));
    double distance = 0;
    for (std::size_t i = 1; i < lines; ++i) {
        distance += std::abs(static_cast<double>(order[i]) - static_cast<double>(order[i - 1]));
    }
    // Two random places on a line of length n are n / 3 apart.
    CHECK(std::abs(distance / lines / (lines / 3.0) - 1) < 0.03);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < lines; ++i) {
        CHECK(order[i] == i);
    }
}

TEST(a_linked_chain_follows_the_order_and_closes) {
    const auto order = random_order(1'000, 5);
    const Memory memory(1'000 * line_bytes(), base_page_bytes());
    const Lines lines(memory.as<std::byte>());
    Line* first = link_and_warm(lines, order);
    CHECK(first == lines.at(order[0]));
    CHECK(follow(first, 1) == lines.at(order[1]));
    CHECK(follow(first, 37) == lines.at(order[37]));
    CHECK(follow(first, 999) == lines.at(order[999]));
    CHECK(follow(first, 1'000) == first);
}

TEST(loads_are_timed_a_round_at_a_time_where_time_allows) {
    const ClockFacts clock{.overhead_seconds = 25e-9, .tick_seconds = 1e-9};
    const SamplingLimits limits{.most = 200, .least = 8, .seconds = 0.03};
    const SamplingPlan cached = plan_chase(1e-9, 64, clock, limits);
    CHECK(cached.batch == 8192 && cached.samples == 200);
    const SamplingPlan round = plan_chase(4e-9, 16'384, clock, limits);
    CHECK(round.batch == 16'384 && round.samples == 200);
    const SamplingPlan memory = plan_chase(200e-9, 4'000'000, clock, limits);
    CHECK(memory.batch == 750 && memory.samples == 200);
    const SamplingPlan hasty = plan_chase(200e-9, 4'000'000, clock, {200, 8, 1e-6});
    CHECK(hasty.batch == 3 && hasty.samples == 8);
}

TEST(every_size_passes_its_check_and_is_timed_by_the_clock_given) {
    const auto recorded = test::run_with_fake_clock(
        &run_latency, {"size=4096", "size=128", "size=1000000"}, 1'000'000);
    CHECK(recorded.size() == 3);
    for (const PointResult& point : recorded) {
        CHECK(point.check_passed);
        CHECK(point.page_bytes == base_page_bytes());
        CHECK(point.quantities.at(0).second ==
              static_cast<double>(point.parameters.count("size") / line_bytes()));
        // The first call of the calibration takes 1 ms: one load is as long as that, then.
        CHECK(point.batch == 1);
        CHECK(point.series.at(0).second == std::vector<double>(30, 1e-3));
    }
}

TEST(sizes_that_hold_no_chain_are_refused) {
    const auto run = [](const char* point) {
        return test::run_with_fake_clock(&run_latency, {point}, 1'000'000);
    };
    CHECK_THROWS(UsageError, "2 to 2^32", run("size=16"));
    CHECK_THROWS(UsageError, "2 to 2^32", run("size=0"));
    CHECK_THROWS(UsageError, "2 to 2^32", run("size=1099511627776"));
    CHECK_THROWS(UsageError, "not a whole number", run("size=4KiB"));
    CHECK_THROWS(UsageError, "'size'", run("lines=4"));
}

}  // namespace machmeter
