// threads.sync: what one passage of an OpenMP construct costs over the same work without it.
//
// Method of EPCC syncbench (Bull, EWOMP 1999): a passage holds a short delay of fixed work, and the
// overhead is test minus reference. Each sample holds one of each, taken in alternating order
// (A-B-B-A), so that drift cancels.
//
//   parallel, for, parallel-for,  every thread does one piece a passage; in the reference too
//   barrier, reduction
//   single, critical, lock,       one piece after another (a passage is one piece of one thread);
//   ordered                       in the reference too, on each thread in turn
//   atomic                        a passage is one update of one thread, without delay; in the
//                                 reference a plain update of the thread's own number
//   task, taskwait                every thread creates one task a passage (taskwait: and waits for
//                                 it); in the reference it does the piece itself
//   taskloop                      one thread splits a loop of a piece a thread; in the reference
//                                 every thread does its piece itself
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/clock/work.hpp"
#include "core/openmp/team_clock.hpp"
#include "core/session/node.hpp"
#include "threads/construct_check.hpp"
#include "threads/constructs.hpp"
#include "threads/paired_sampling.hpp"

namespace machmeter {
namespace {

constexpr std::uint64_t delay_steps = 128;

constexpr std::pair<std::string_view, Construct> names[] = {
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
};

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
        passages_ += count;
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
    // reference only where the test contains all of it too: not where one thread takes the time of
    // the test, nor where the others can do the work of a thread that is late.
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

    // Whether all atomic updates that were timed have arrived.
    [[nodiscard]] bool all_updated() const {
        return construct_ != Construct::atomic ||
               shared_sum_.value == static_cast<double>(passages_);
    }

   private:
    Clock clock_;
    int threads_;
    int turn_ = 0;
    std::uint64_t passages_ = 0;
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

// Every thread has a few turns in the constructs that give out pieces one by one.
std::uint64_t checked_passages(int threads) {
    return std::max<std::uint64_t>(200, 4 * static_cast<std::uint64_t>(threads));
}

PointResult measure(NodeSession& session, const Parameters& point) {
    const auto construct = choose<Construct>("construct", point.text("construct"), names);
    const int threads = omp_get_max_threads();
    const std::uint64_t checked = checked_passages(threads);
    const bool right_before = construct_is_right(construct, threads, checked);
    Bench bench(session.clock(), construct);
    const std::uint64_t batch =
        passages_per_sample(bench, session.clock_facts(), fewest_passages(threads));
    const Paired paired = sample_pairs(session, bench, batch);
    const bool right_after = construct_is_right(construct, threads, checked);
    return paired_result(point, paired, batch)
        .check(right_before && right_after && bench.all_updated(),
               std::to_string(checked) +
                   " passages before and after did what OpenMP specifies: how often, by which "
                   "threads, in which order")
        .quantity("threads", threads)
        .quantity("delay_steps", delay_steps);
}

void run_sync(NodeSession& session) {
    session.record_each([&](const Parameters& point) { return measure(session, point); });
}

const RegisterNodeBenchmark registered({"threads.sync", {"construct"}, &run_sync});

}  // namespace
}  // namespace machmeter
