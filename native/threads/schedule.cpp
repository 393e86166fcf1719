// threads.schedule: the cost of getting one iteration of a worksharing loop.
//
// A loop has 1024 iterations a thread, each a short delay of fixed work (after EPCC schedbench,
// Bull, EWOMP 1999). The reference does the same delays without a worksharing construct, and each
// thread does as many as it did under the schedule: otherwise a schedule that balances threads of
// unequal speed would have a negative cost. Both take the time of the slowest thread from its own
// begin, since such a schedule balances an uneven start too.
#include <omp.h>

#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/clock/work.hpp"
#include "core/openmp/team_clock.hpp"
#include "core/session/node.hpp"
#include "threads/paired_sampling.hpp"
#include "threads/schedules.hpp"

namespace machmeter {
namespace {

constexpr int iterations_per_thread = 1024;
constexpr std::uint64_t delay_steps = 64;

constexpr std::pair<std::string_view, Schedule> schedules[] = {
    {"static", Schedule::static_},
    {"dynamic", Schedule::dynamic},
    {"guided", Schedule::guided},
    {"auto", Schedule::auto_},
};

ScheduleClause clause_of(const Parameters& point) {
    const auto schedule = choose<Schedule>("schedule", point.text("schedule"), schedules);
    const std::uint64_t chunk = point.count_within("chunk", 0, iterations_per_thread);
    if (schedule == Schedule::auto_ && chunk != 0) {
        throw UsageError("chunk: schedule(auto) takes none; leave it out with chunk=0");
    }
    return {schedule, static_cast<int>(chunk)};
}

struct Delay {
    void operator()(int thread, int /*iteration*/) const {
        work(static_cast<std::uint64_t>(thread), delay_steps);
    }
};

// A passage is one loop.
class ScheduleBench {
   public:
    ScheduleBench(const Clock& clock, ScheduleClause clause)
        : team_(clock, omp_get_max_threads()),
          clause_(clause),
          iterations_(omp_get_max_threads() * iterations_per_thread),
          done_(omp_get_max_threads()) {}

    double test(std::uint64_t count) {
        tested_ = count;
        return team_.time_of_slowest([&] {
            done_.set(omp_get_thread_num(), scheduled_loops(clause_, count, iterations_, delay_));
        });
    }

    // Iterations are divided as in the last test of as many loops.
    double reference(std::uint64_t count) {
        if (tested_ != count) {
            test(count);
        }
        return team_.time_of_slowest(
            [&] { loops_by_hand(done_.of(omp_get_thread_num()), delay_); });
    }

    [[nodiscard]] const IterationsDone& done() const { return done_; }

   private:
    TeamClock team_;
    ScheduleClause clause_;
    int iterations_;
    IterationsDone done_;
    std::uint64_t tested_ = 0;
    Delay delay_;
};

PointResult measure(NodeSession& session, const Parameters& point) {
    const ScheduleClause clause = clause_of(point);
    const int threads = omp_get_max_threads();
    if (threads > std::numeric_limits<int>::max() / iterations_per_thread) {
        throw UsageError("threads.schedule: " + std::to_string(threads) + " threads are too many");
    }
    const bool right = schedule_is_right(clause, threads, threads * iterations_per_thread);
    ScheduleBench bench(session.clock(), clause);
    const std::uint64_t batch = passages_per_sample(bench, session.clock_facts(), 1);
    const Paired paired = sample_pairs(session, bench, batch);
    const bool all_done = bench.done().sum() == batch * static_cast<std::uint64_t>(threads) *
                                                    std::uint64_t{iterations_per_thread};
    return paired_result(point, paired, batch)
        .check(right && all_done,
               "each iteration was done once, in chunks as the schedule specifies")
        .quantity("threads", threads)
        .quantity("events_per_sample", iterations_per_thread)
        .quantity("delay_steps", delay_steps);
}

void run_schedule(NodeSession& session) {
    session.record_each([&](const Parameters& point) { return measure(session, point); });
}

const RegisterNodeBenchmark registered({"threads.schedule", {"schedule", "chunk"}, &run_schedule});

}  // namespace
}  // namespace machmeter
