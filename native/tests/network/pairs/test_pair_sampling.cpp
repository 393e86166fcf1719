// Pairs of ranks sampling in step, with a clock that moves only when an event runs.
#include <cmath>
#include <cstdint>
#include <vector>

#include "network/pairs/pair_sampling.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

std::uint64_t now_nanoseconds = 0;
constexpr Clock fake_clock{[] { return now_nanoseconds; }};
constexpr ClockFacts clock_facts{25e-9, 1e-9};

class Root {
   public:
    void barrier() { ++barriers; }
    double broadcast(double value) { return value; }
    double largest(double value) { return value; }

    int barriers = 0;
};

// A rank whose root broadcasts values from a script, then the last one always.
class OtherRank {
   public:
    explicit OtherRank(std::vector<double> values) : values_(std::move(values)) {}
    void barrier() {}
    double broadcast(double /*own*/) { return values_[std::min(next_++, values_.size() - 1)]; }
    double largest(double value) { return value; }

   private:
    std::vector<double> values_;
    std::size_t next_ = 0;
};

// An event of some timed nanoseconds, and of some more around it.
struct FakeEvent {
    std::uint64_t timed_nanoseconds;
    std::uint64_t around_nanoseconds;
    std::uint64_t once_nanoseconds = 0;  // timed too, however many events there are
    std::uint64_t runs = 0;

    double operator()(std::uint64_t count) {
        now_nanoseconds += once_nanoseconds + count * (timed_nanoseconds + around_nanoseconds);
        runs += count;
        return static_cast<double>(once_nanoseconds + count * timed_nanoseconds) / 1e9;
    }
};

template <class T>
Samples sample(T& team, const SamplingLimits& limits, FakeEvent& event, int* kept = nullptr) {
    int ignored = 0;
    int& count = kept != nullptr ? *kept : ignored;
    return sample_timed_together(team, fake_clock, clock_facts, limits, 0.05, event,
                                 [&] { ++count; });
}

bool about(double value, double expected) { return std::abs(value - expected) < 1e-3 * expected; }

TEST(ranks_of_the_first_half_begin_and_peers_know_each_other) {
    for (const int size : {2, 4, 8, 10}) {
        for (int rank = 0; rank < size; ++rank) {
            const End end = pair_end(rank, size);
            CHECK(end.first == (rank < size / 2));
            CHECK(std::abs(end.peer - rank) == size / 2);
            CHECK(pair_end(end.peer, size).peer == rank);
        }
    }
}

TEST(only_the_timed_part_is_in_a_sample) {
    Root team;
    FakeEvent event{2000, 50'000};
    const Samples taken = sample(team, {200, 8, 1.0}, event);
    CHECK(taken.batch == 1);
    CHECK(taken.seconds.size() == 200);
    CHECK(about(taken.seconds.front(), 2e-6));
    CHECK(about(taken.timed_seconds, 200 * 2e-6));
    CHECK(team.barriers > 8);
}

TEST(what_stands_around_an_event_counts_for_how_many_fit_into_the_time) {
    Root team;
    FakeEvent event{2000, 98'000};
    CHECK(sample(team, {200, 8, 0.005}, event).seconds.size() == 50);
}

TEST(short_events_are_batched_and_reported_by_the_event) {
    Root team;
    FakeEvent event{100, 0};
    const Samples taken = sample(team, {200, 8, 1.0}, event);
    CHECK(taken.batch == 5);
    CHECK(about(taken.seconds.back(), 100e-9));
}

TEST(what_a_sample_has_once_is_a_twentieth_of_it) {
    Root team;
    FakeEvent event{500, 0, 3000};
    const Samples taken = sample(team, {200, 8, 1.0}, event);
    CHECK(taken.batch == 120 || taken.batch == 121);
    CHECK(about(taken.seconds.front(), 525e-9));
}

TEST(the_slowest_rank_to_begin_makes_the_batch) {
    struct Others : Root {
        double largest(double /*own*/) { return 10e-6; }
    } team;
    FakeEvent event{1000, 0};
    CHECK(sample(team, {200, 8, 1.0}, event).batch >= 200);
}

TEST(a_batch_leaves_time_for_the_fewest_samples) {
    Root team;
    FakeEvent event{10'000, 0, 1'000'000};
    const Samples taken = sample(team, {200, 8, 1.0}, event);
    CHECK(taken.batch == 123);
    CHECK(taken.seconds.size() >= 8);
}

TEST(of_long_events_nothing_is_run_to_see_how_they_begin) {
    Root team;
    FakeEvent event{1'000'000, 0, 1000};
    const Samples taken = sample(team, {200, 8, 0.02}, event);
    CHECK(taken.batch == 1);
    CHECK(event.runs == 1 + 3 + taken.seconds.size());
}

TEST(a_sample_costs_what_stands_around_it_once) {
    Root team;
    FakeEvent event{100, 0};
    const auto with_barrier = [&](std::uint64_t count) {
        now_nanoseconds += 100'000;
        return event(count);
    };
    const Samples taken = sample_timed_together(team, fake_clock, clock_facts, {200, 8, 0.01}, 0.05,
                                                with_barrier, [] {});
    CHECK(taken.batch == 5);
    CHECK(taken.seconds.size() == 99);
}

TEST(calibration_does_not_double_forever_where_only_what_is_around_is_long) {
    Root team;
    FakeEvent event{100, 5'000'000};
    const TimedCost cost = calibrate_timed(team, fake_clock, clock_facts, event);
    CHECK(event.runs == 2);
    CHECK(about(cost.timed, 100e-9));
    CHECK(about(cost.whole, 5.0001e-3));
}

TEST(each_kept_sample_is_announced) {
    Root team;
    FakeEvent event{2000, 0};
    int kept = 0;
    const Samples taken = sample(team, {40, 8, 1.0}, event, &kept);
    CHECK(kept == 40);
    CHECK(taken.seconds.size() == 40);
}

TEST(a_point_that_becomes_slow_ends_early_but_not_before_the_least) {
    Root team;
    int calls = 0;
    const auto slower = [&](std::uint64_t count) {
        const std::uint64_t nanoseconds = count * (++calls < 10 ? 10'000 : 1'000'000);
        now_nanoseconds += nanoseconds;
        return static_cast<double>(nanoseconds) / 1e9;
    };
    const Samples taken =
        sample_timed_together(team, fake_clock, clock_facts, {100, 8, 0.001}, 0.05, slower, [] {});
    CHECK(taken.seconds.size() >= 8);
    CHECK(taken.seconds.size() < 30);
}

// Whole and timed seconds of three trials, one event among many, batch, a whole sample, samples,
// and that the time is not over.
TEST(every_rank_takes_batch_and_number_of_samples_from_the_root) {
    OtherRank team({1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 3, 3e-3, 20, 0});
    FakeEvent event{500'000, 0};
    const Samples taken = sample(team, {200, 8, 1.0}, event);
    CHECK(taken.batch == 3);
    CHECK(taken.seconds.size() == 20);
    CHECK(about(taken.seconds.front(), 500e-6));
}

TEST(slowest_and_mean_are_taken_sample_by_sample) {
    const std::vector<std::vector<double>> rows{{1, 5, 3}, {2, 1, 3}};
    CHECK(slowest_of(rows) == std::vector<double>({2, 5, 3}));
    CHECK(mean_of(rows) == std::vector<double>({1.5, 3, 3}));
}

TEST(every_pair_keeps_its_own_samples_by_name) {
    std::vector<NamedSeries> series;
    append_pairs(series, {{1, 2}, {3, 4}});
    CHECK(series.size() == 2);
    CHECK(series[0].first == "pair 0-2");
    CHECK(series[1].first == "pair 1-3");
    CHECK(series[1].second == std::vector<double>({3, 4}));
}

// One sample of 10 us with skewed noise of 2 %, exponential by Marsaglia's xorshift64.
double noisy_sample(std::uint64_t& state) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    const double uniform = (static_cast<double>(state >> 11U) + 0.5) / 9007199254740992.0;
    return 1e-5 * (1 - 0.02 * std::log(uniform));
}

TEST(the_mean_of_pairs_is_that_of_one_whatever_their_number) {
    std::uint64_t state = 0x9E3779B97F4A7C15U;
    constexpr std::size_t samples = 40;
    constexpr double of_one = 1.02e-5;
    for (std::size_t pairs = 2; pairs <= 4096; pairs *= 2) {
        std::vector<std::vector<double>> rows(pairs, std::vector<double>(samples));
        for (std::vector<double>& row : rows) {
            for (double& seconds : row) {
                seconds = noisy_sample(state);
            }
        }
        CHECK(std::abs(median(mean_of(rows)) / of_one - 1) < 0.02);
        CHECK(pairs < 1024 || median(slowest_of(rows)) > 1.1 * of_one);
    }
}

}  // namespace
}  // namespace machmeter
