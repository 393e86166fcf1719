// Clocks with offset and drift over a simulated link, whose delays are known and uneven.
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "core/values/random_bits.hpp"
#include "network/clocks/models.hpp"
#include "network/clocks/synchronize.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

// True time in nanoseconds; each member's clock goes its own way from it.
double true_nanoseconds = 0;

struct MemberClock {
    double offset_nanoseconds = 0;
    double drift = 0;

    [[nodiscard]] std::uint64_t shows() const {
        return static_cast<std::uint64_t>(1e15 + offset_nanoseconds +
                                          true_nanoseconds * (1 + drift));
    }
};

const MemberClock* read_member = nullptr;

// Every reading costs 25 ns.
std::uint64_t read_clock() {
    true_nanoseconds += 25;
    return read_member->shows();
}

constexpr Clock member_clock{&read_clock};

// Delays of 1 us and up to 2 us more, other ones there and back.
class Link {
   public:
    explicit Link(std::uint64_t seed) : seed_(seed) {}

    double pass() {
        const double delay = 1000 + 2000 * uniform(seed_, count_++);
        true_nanoseconds += delay;
        return delay;
    }

   private:
    std::uint64_t seed_;
    std::uint64_t count_ = 0;
};

// Offsets learned, each from so many exchanges, with so much time from one to the next.
struct ClockEffort {
    int offsets = 1;
    int exchanges = 10;
    double pause_seconds = 0;
};

struct Member {
    MemberClock clock;
    LearnedClock learned;

    explicit Member(MemberClock own) : clock(own), learned(own.shows()) {}
};

void learn_from(Member& client, const Member& reference, Link& link, const ClockEffort& effort) {
    read_member = &client.clock;
    const auto ask = [&] {
        link.pass();
        const ClockModel& model = reference.learned.model();
        const ClockAnswer answer{model.global(reference.clock.shows()), model.bound};
        link.pass();
        return answer;
    };
    for (int i = 0; i < effort.offsets; ++i) {
        true_nanoseconds += i > 0 ? 1e9 * effort.pause_seconds : 0;
        learn_offset(client.learned, member_clock, effort.exchanges, ask);
    }
}

// Global time now, by the model of a member.
double global_now(const Member& member) {
    return member.learned.model().global(member.clock.shows());
}

std::vector<Member> members(int count) {
    true_nanoseconds = 0;
    std::vector<Member> all;
    for (int i = 0; i < count; ++i) {
        const double way = i % 2 == 0 ? 1 : -1;
        all.emplace_back(MemberClock{i * way * 3e11, i * way * 2e-6});
        true_nanoseconds += 1e6;
    }
    return all;
}

void synchronize_all(std::vector<Member>& all, Link& link, const ClockEffort& effort) {
    for (const auto& round : clock_rounds(static_cast<int>(all.size()))) {
        for (const ClockPair& pair : round) {
            learn_from(all[static_cast<std::size_t>(pair.client)],
                       all[static_cast<std::size_t>(pair.reference)], link, effort);
        }
    }
}

TEST(an_offset_is_within_half_the_shortest_round_trip) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        std::vector<Member> pair = members(2);
        Link link(seed);
        learn_from(pair[1], pair[0], link, {1, 10, 0});
        const double error = std::abs(global_now(pair[1]) - global_now(pair[0]));
        // Readings are whole nanoseconds and the clocks drift a little within the exchanges.
        CHECK(error <= pair[1].learned.model().bound + 3e-9);
        CHECK(pair[1].learned.model().bound <= 1.6e-6);
    }
}

TEST(bounds_tighten_with_each_exchange) {
    OffsetBounds bounds;
    bounds.narrow({0, 105, 10});
    CHECK(test::near(bounds.middle(), 100));
    CHECK(test::near(bounds.half_width(), 5));
    bounds.narrow({20, 121, 22});
    CHECK(test::near(bounds.middle(), 100));
    CHECK(test::near(bounds.half_width(), 1));
}

TEST(a_drift_is_recovered_and_holds_for_seconds) {
    std::vector<Member> pair = members(2);
    pair[1].clock.drift = 50e-6;
    Link link(3);
    learn_from(pair[1], pair[0], link, {50, 10, 20e-3});
    // The client's clock gains 50 us a second, so global time loses as much on it.
    CHECK(std::abs(pair[1].learned.model().drift + 50e-6) < 0.5e-6);
    true_nanoseconds += 2e9;
    const double error = std::abs(global_now(pair[1]) - global_now(pair[0]));
    CHECK(error < 2e-6);  // without the drift it would be 100 us
}

TEST(noise_is_not_taken_for_drift) {
    std::vector<OffsetPoint> points;
    for (std::uint64_t i = 0; i < 10; ++i) {
        points.push_back({1e-3 * static_cast<double>(i), 1e-7 * (i % 2 == 0 ? 1 : -1)});
    }
    CHECK(drift_of(points) == 0);
    for (OffsetPoint& point : points) {
        point.own *= 200;
    }
    CHECK(drift_of(points) == 0);
    CHECK(drift_of({{0, 0}, {1, 1}}) == 0);
    CHECK(drift_of({}) == 0);
    CHECK(std::abs(drift_of({{0, 0}, {1, 2e-6}, {2, 4e-6}, {3, 6e-6}}) - 2e-6) < 1e-12);
}

TEST(a_drift_takes_time_to_show_and_has_its_limits) {
    std::vector<OffsetPoint> points;
    for (std::uint64_t i = 0; i < 10; ++i) {
        points.push_back({40e-3 * static_cast<double>(i), 1e-6 * static_cast<double>(i)});
    }
    CHECK(drift_of(points) == 0);
    for (OffsetPoint& point : points) {
        point.own *= 2;
    }
    CHECK(std::abs(drift_of(points) - 12.5e-6) < 1e-12);
    for (OffsetPoint& point : points) {
        point.offset *= -100;
    }
    CHECK(test::near(drift_of(points), -1e-4));
}

TEST(a_tree_of_any_size_agrees_within_its_bounds) {
    for (const int count : {1, 2, 3, 5, 8, 13, 33}) {
        std::vector<Member> all = members(count);
        Link link(static_cast<std::uint64_t>(count));
        synchronize_all(all, link, {3, 10, 1e-4});
        // What comes after the last offset is read at once: drift has no time to add up.
        synchronize_all(all, link, {1, 10, 0});
        const double truth = global_now(all[0]);
        for (const Member& member : all) {
            const double error = std::abs(global_now(member) - truth);
            CHECK(error <= member.learned.model().bound + 2e-7);
        }
    }
}

TEST(a_renewed_offset_gives_the_error_of_the_model) {
    std::vector<Member> pair = members(2);
    Link link(5);
    learn_from(pair[1], pair[0], link, {1, 20, 0});
    pair[1].clock.offset_nanoseconds += 40e3;  // someone sets the client's clock
    read_member = &pair[1].clock;
    const double error = learn_offset(pair[1].learned, member_clock, 20, [&] {
        link.pass();
        const ClockAnswer answer{pair[0].learned.model().global(pair[0].clock.shows()), 0};
        link.pass();
        return answer;
    });
    CHECK(std::abs(error - 40e-6) < 2e-6);
    CHECK(std::abs(global_now(pair[1]) - global_now(pair[0])) < 2e-6);
}

TEST(global_time_and_own_readings_go_both_ways) {
    const ClockModel model{5'000'000'000'000'000, 2.0, 300.0, -20e-6, 0};
    for (const double global : {300.0, 302.0, 310.5, 4000.25}) {
        const std::uint64_t reading = model.nanoseconds_at(global);
        CHECK(std::abs(model.global(reading) - global) < 1.1e-9);
        CHECK(model.global(reading) >= global - 1e-12);
    }
}

TEST(every_member_learns_once_and_from_one_that_knows) {
    for (int count = 1; count <= 70; ++count) {
        std::set<int> knows{0};
        const auto rounds = clock_rounds(count);
        for (const auto& round : rounds) {
            std::set<int> busy;
            for (const ClockPair& pair : round) {
                CHECK(knows.count(pair.reference) == 1);
                CHECK(knows.count(pair.client) == 0);
                CHECK(busy.insert(pair.reference).second && busy.insert(pair.client).second);
            }
            for (const ClockPair& pair : round) {
                knows.insert(pair.client);
            }
        }
        CHECK(knows.size() == static_cast<std::size_t>(count));
        CHECK(rounds.size() <= std::ceil(std::log2(count)) + 1e-9);
    }
}

}  // namespace
}  // namespace machmeter
