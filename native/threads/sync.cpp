// threads.sync: what one passage of an OpenMP construct costs over the same work without it.
//
// Method of EPCC syncbench (Bull, EWOMP 1999): a passage holds a short delay of fixed work, and the
// overhead is test minus reference. Each sample holds one of each, taken in turning order
// (A-B-B-A), so that drift cancels. For `critical` a passage is one entry of one thread: entries
// come one after another, and so do the delays of its reference.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machmeter/construct_check.hpp"
#include "machmeter/constructs.hpp"
#include "machmeter/node_benchmark.hpp"
#include "machmeter/openmp_runtime.hpp"
#include "machmeter/team_clock.hpp"
#include "machmeter/work.hpp"

namespace machmeter {
namespace {

constexpr std::uint64_t delay_steps = 128;
constexpr std::uint64_t checked_passages = 200;

constexpr std::array<std::pair<std::string_view, Construct>, 6> names{{
    {"parallel", Construct::parallel},
    {"for", Construct::loop},
    {"barrier", Construct::barrier},
    {"reduction", Construct::reduction},
    {"single", Construct::single},
    {"critical", Construct::critical},
}};

Construct construct_of(const Parameters& point) {
    const std::string& wanted = point.text("construct");
    for (const auto& [name, construct] : names) {
        if (name == wanted) {
            return construct;
        }
    }
    throw UsageError("construct: '" + wanted +
                     "' is none of parallel, for, barrier, reduction, single, critical");
}

struct Delay {
    void operator()(int thread, std::uint64_t /*index*/) const {
        work(static_cast<std::uint64_t>(thread), delay_steps);
    }
};

class Bench {
   public:
    Bench(const Clock& clock, Construct construct)
        : clock_(clock), team_(clock, omp_get_max_threads()), construct_(construct) {}

    // Seconds of `count` passages.
    double test(std::uint64_t count) {
        switch (construct_) {
            case Construct::parallel:
                return time_alone([&] { parallel_regions(count, delay_); });
            case Construct::reduction:
                return time_alone([&] { reduction_regions(count, delay_); });
            case Construct::loop:
                return team_.time([&] { for_passages(count, delay_); });
            case Construct::barrier:
                return team_.time([&] { barrier_passages(count, delay_); });
            case Construct::single:
                return team_.time([&] { single_passages(count, delay_); });
            case Construct::critical:
                return team_.time([&] { critical_passages(count, delay_); });
        }
        return 0;
    }

    // Seconds of the same delays without the construct. What the test times on the master alone has
    // no uneven start of a team in it: neither has its reference.
    double reference(std::uint64_t count) {
        switch (construct_) {
            case Construct::single:
            case Construct::critical:
                return team_.time([&] { pieces_on_one(count, delay_); });
            case Construct::parallel:
            case Construct::reduction:
                return team_.time_of_slowest([&] { pieces_on_all(count, delay_); });
            case Construct::loop:
            case Construct::barrier:
                return team_.time([&] { pieces_on_all(count, delay_); });
        }
        return 0;
    }

   private:
    template <class Body>
    double time_alone(Body&& body) {
        const std::uint64_t begin = clock_.now();
        body();
        return seconds_between(begin, clock_.now());
    }

    Clock clock_;
    TeamClock team_;
    Construct construct_;
    Delay delay_;
};

// The middle of three: one disturbed trial, or one lucky one, does not plan the point.
template <class Trial>
double middle_of_three(Trial&& trial) {
    std::array<double, 3> seconds{trial(), trial(), trial()};
    std::sort(seconds.begin(), seconds.end());
    return seconds[1];
}

// Passages timed together: enough that the clock shows in neither part, nor the even start of the
// team in the test (the first sleeping barriers after it can cost far less than the later ones),
// and at least one a thread.
std::uint64_t passages_per_sample(Bench& bench, const ClockFacts& clock, int threads) {
    constexpr double long_enough_seconds = 50e-6;
    constexpr std::uint64_t fewest = 32;
    constexpr std::uint64_t most = std::uint64_t{1} << 20U;
    const double clock_floor =
        std::max(clock.overhead_seconds, clock.tick_seconds) / usual_clock_share;
    const double long_enough = std::max(long_enough_seconds, clock_floor);
    std::uint64_t count = std::max(fewest, static_cast<std::uint64_t>(threads));
    for (; count < most; count *= 2) {
        const double reference = middle_of_three([&] { return bench.reference(count); });
        if (reference >= long_enough || (reference >= clock_floor && middle_of_three([&] {
                                                                         return bench.test(count);
                                                                     }) >= 2 * long_enough)) {
            break;
        }
    }
    return count;
}

struct Paired {
    std::vector<double> test;
    std::vector<double> reference;
};

Paired sample_pairs(Session& session, Bench& bench, std::uint64_t batch) {
    const double pair_seconds =
        middle_of_three([&] { return bench.test(batch) + bench.reference(batch); });
    const SamplingPlan plan = plan_sampling(pair_seconds, session.clock_facts(), session.limits());
    const double most_seconds = 2 * session.limits().seconds;
    Paired paired;
    double timed = 0;
    for (std::uint64_t i = 0; i < plan.samples; ++i) {
        // Threads that are robbed of their CPU can make a passage a thousand times longer.
        if (timed > most_seconds && i >= session.limits().least) {
            break;
        }
        const bool test_first = i % 2 == 0;
        const double first = test_first ? bench.test(batch) : bench.reference(batch);
        const double second = test_first ? bench.reference(batch) : bench.test(batch);
        timed += first + second;
        paired.test.push_back((test_first ? first : second) / static_cast<double>(batch));
        paired.reference.push_back((test_first ? second : first) / static_cast<double>(batch));
    }
    session.add_timed(timed);
    return paired;
}

std::string wait_policy() {
    const char* policy = std::getenv("OMP_WAIT_POLICY");
    return policy != nullptr ? policy : "unset";
}

PointResult measure(Session& session, const Parameters& point) {
    const Construct construct = construct_of(point);
    const int threads = omp_get_max_threads();
    const bool right = construct_is_right(construct, threads, checked_passages);
    Bench bench(session.clock(), construct);
    const std::uint64_t batch = passages_per_sample(bench, session.clock_facts(), threads);
    Paired paired = sample_pairs(session, bench, batch);
    return {point,
            {{"test", std::move(paired.test)}, {"reference", std::move(paired.reference)}},
            batch,
            right,
            std::to_string(checked_passages) +
                " passages did what OpenMP says: how often, by whom, in which order",
            {{"threads", static_cast<double>(threads)},
             {"delay_steps", static_cast<double>(delay_steps)}},
            {{"wait_policy", wait_policy()}, {"runtime", openmp_runtime()}}};
}

void run_sync(Session& session) {
    for (const Parameters& point : session.points()) {
        session.record(measure(session, point));
    }
}

const RegisterNodeBenchmark registered("threads.sync", &run_sync);

}  // namespace
}  // namespace machmeter
