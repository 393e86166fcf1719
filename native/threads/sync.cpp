// threads.sync: what one passage of an OpenMP construct costs over the same work without it.
//
// Method of EPCC syncbench (Bull, EWOMP 1999): a passage holds a short delay of fixed work, and the
// overhead is test minus reference. Each sample holds one of each, taken in turning order
// (A-B-B-A), so that drift cancels.
//
//   parallel, for, parallel-for,  every thread does one piece a passage; so it does in the
//   barrier, reduction            reference
//   single, critical, lock,       pieces come one after another (a passage is one piece of one
//   ordered                       thread), and so they do in the reference, on each thread in turn
//   atomic                        a passage is one update of one thread, without delay; in the
//                                 reference a plain update of a number of the thread's own
//   task, taskwait                every thread creates one task a passage (taskwait: and waits for
//                                 it); in the reference it does the piece itself
//   taskloop                      one thread splits a loop of a piece a thread; in the reference
//                                 every thread does its piece itself
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/clock/work.hpp"
#include "core/libraries/openmp_runtime.hpp"
#include "core/openmp/team_clock.hpp"
#include "core/session/node_benchmark.hpp"
#include "threads/construct_check.hpp"
#include "threads/constructs.hpp"
#include "threads/constructs_tasks.hpp"
#include "threads/paired_sampling.hpp"

namespace machmeter {
namespace {

constexpr std::uint64_t delay_steps = 128;

constexpr std::array<std::pair<std::string_view, Construct>, 13> names{{
    {"parallel", Construct::parallel},
    {"for", Construct::loop},
    {"parallel-for", Construct::parallel_loop},
    {"barrier", Construct::barrier},
    {"reduction", Construct::reduction},
    {"single", Construct::single},
    {"critical", Construct::critical},
    {"lock", Construct::lock},
    {"ordered", Construct::ordered},
    {"atomic", Construct::atomic},
    {"task", Construct::task},
    {"taskwait", Construct::taskwait},
    {"taskloop", Construct::taskloop},
}};

Construct construct_of(const Parameters& point) {
    const std::string& wanted = point.text("construct");
    std::string known;
    for (const auto& [name, construct] : names) {
        if (name == wanted) {
            return construct;
        }
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    throw UsageError("construct: '" + wanted + "' is none of " + known);
}

struct Delay {
    void operator()(int thread, std::uint64_t /*index*/) const {
        work(static_cast<std::uint64_t>(thread), delay_steps);
    }
};

class Bench {
   public:
    Bench(const Clock& clock, Construct construct)
        : clock_(clock),
          threads_(omp_get_max_threads()),
          team_(clock, threads_),
          construct_(construct) {}

    // Seconds of `count` passages.
    double test(std::uint64_t count) {
        switch (construct_) {
            case Construct::parallel:
                return time_alone(clock_, [&] { parallel_regions(count, delay_); });
            case Construct::reduction:
                return time_alone(clock_, [&] { reduction_regions(count, delay_); });
            case Construct::parallel_loop:
                return time_alone(clock_, [&] { parallel_for_regions(count, delay_); });
            case Construct::loop:
                return team_.time([&] { for_passages(count, delay_); });
            case Construct::barrier:
                return team_.time([&] { barrier_passages(count, delay_); });
            case Construct::single:
                return team_.time([&] { single_passages(count, delay_); });
            case Construct::critical:
                return team_.time([&] { critical_passages(count, delay_); });
            case Construct::lock:
                return team_.time([&] { lock_passages(count, lock_, delay_); });
            case Construct::ordered:
                return team_.time([&] { ordered_passages(count, delay_); });
            case Construct::atomic:
                return team_.time([&] { atomic_passages(count, shared_sum_); });
            case Construct::task:
                return team_.time([&] { task_passages(count, delay_); });
            case Construct::taskwait:
                return team_.time([&] { taskwait_passages(count, delay_); });
            case Construct::taskloop:
                return team_.time_of_slowest([&] { taskloop_passages(count, delay_); });
        }
        return 0;
    }

    // Seconds of the same pieces without the construct. The uneven start of a team is in the
    // reference only where all of it is in the test too: not where one thread takes the time of the
    // test, nor where the others can do the work of a thread that is late.
    double reference(std::uint64_t count) {
        switch (construct_) {
            case Construct::loop:
            case Construct::barrier:
                return team_.time([&] { pieces_on_all(count, delay_); });
            case Construct::single:
            case Construct::critical:
            case Construct::lock:
            case Construct::ordered:
                turn_ = (turn_ + 1) % threads_;
                return team_.time_of_slowest([&] { pieces_on_one(turn_, count, delay_); });
            case Construct::atomic:
                return team_.time_of_slowest([&] {
                    Sum own;
                    plain_updates(count, own);
                });
            case Construct::parallel:
            case Construct::parallel_loop:
            case Construct::reduction:
            case Construct::task:
            case Construct::taskwait:
            case Construct::taskloop:
                return team_.time_of_slowest([&] { pieces_on_all(count, delay_); });
        }
        return 0;
    }

   private:
    Clock clock_;
    int threads_;
    int turn_ = 0;
    TeamClock team_;
    Construct construct_;
    Delay delay_;
    Lock lock_;
    Sum shared_sum_;
};

// At least one a thread.
std::uint64_t fewest_passages(int threads) {
    return std::max<std::uint64_t>(32, static_cast<std::uint64_t>(threads));
}

// Every thread has a few turns in the constructs that hand pieces out one by one.
std::uint64_t checked_passages(int threads) {
    return std::max<std::uint64_t>(200, 4 * static_cast<std::uint64_t>(threads));
}

PointResult measure(Session& session, const Parameters& point) {
    const Construct construct = construct_of(point);
    const int threads = omp_get_max_threads();
    const std::uint64_t checked = checked_passages(threads);
    const bool right_before = construct_is_right(construct, threads, checked);
    Bench bench(session.clock(), construct);
    const std::uint64_t batch =
        passages_per_sample(bench, session.clock_facts(), fewest_passages(threads));
    Paired paired = sample_pairs(session, bench, batch);
    const bool right_after = construct_is_right(construct, threads, checked);
    return {point,
            {{"test", std::move(paired.test)}, {"reference", std::move(paired.reference)}},
            batch,
            right_before && right_after,
            std::to_string(checked) +
                " passages before and after did what OpenMP says: how often, by whom, in which "
                "order",
            {{"threads", static_cast<double>(threads)},
             {"delay_steps", static_cast<double>(delay_steps)}},
            {{"wait_policy", wait_policy()}, {"runtime", openmp_runtime()}}};
}

void run_sync(Session& session) {
    for (const Parameters& point : session.points()) {
        session.record(measure(session, point));
    }
}

const RegisterNodeBenchmark registered("threads.sync", {"construct"}, &run_sync);

}  // namespace
}  // namespace machmeter
