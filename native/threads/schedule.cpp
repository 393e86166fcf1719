// threads.schedule: what it costs a thread to be handed one iteration of a worksharing loop.
//
// A loop has 1024 iterations a thread, each a short delay of fixed work (after EPCC schedbench,
// Bull, EWOMP 1999). The reference does the same delays without a worksharing construct, and each
// thread does as many as it did under the schedule: a schedule that evens out threads of unequal
// speed would otherwise cost less than nothing. Both take the time of the slowest thread from its
// own begin, since such a schedule evens out an uneven start too.
#include <omp.h>

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/clock/work.hpp"
#include "core/libraries/openmp_runtime.hpp"
#include "core/openmp/team_clock.hpp"
#include "core/session/node_benchmark.hpp"
#include "threads/paired_sampling.hpp"
#include "threads/schedule_check.hpp"
#include "threads/schedules.hpp"

namespace machmeter {
namespace {

constexpr int iterations_per_thread = 1024;
constexpr std::uint64_t delay_steps = 64;

constexpr std::array<std::pair<std::string_view, Schedule>, 4> schedules{{
    {"static", Schedule::static_},
    {"dynamic", Schedule::dynamic},
    {"guided", Schedule::guided},
    {"auto", Schedule::auto_},
}};

ScheduleClause clause_of(const Parameters& point) {
    const std::string& wanted = point.text("schedule");
    const std::uint64_t chunk = point.count("chunk");
    if (chunk > iterations_per_thread) {
        throw UsageError("chunk: " + std::to_string(chunk) + " is more than the " +
                         std::to_string(iterations_per_thread) + " iterations of a thread");
    }
    for (const auto& [name, schedule] : schedules) {
        if (name == wanted) {
            if (schedule == Schedule::auto_ && chunk != 0) {
                throw UsageError("chunk: schedule(auto) takes none; leave it out with chunk=0");
            }
            return {schedule, static_cast<int>(chunk)};
        }
    }
    throw UsageError("schedule: '" + wanted + "' is none of static, dynamic, guided, auto");
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

    // Iterations are shared out as in the test of as many loops that was the last.
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

PointResult measure(Session& session, const Parameters& point) {
    const ScheduleClause clause = clause_of(point);
    const int threads = omp_get_max_threads();
    if (threads > std::numeric_limits<int>::max() / iterations_per_thread) {
        throw UsageError("threads.schedule: " + std::to_string(threads) + " threads are too many");
    }
    const bool right = schedule_is_right(clause, threads, threads * iterations_per_thread);
    ScheduleBench bench(session.clock(), clause);
    const std::uint64_t batch = passages_per_sample(bench, session.clock_facts(), 1);
    Paired paired = sample_pairs(session, bench, batch);
    const bool all_done = bench.done().sum() == batch * static_cast<std::uint64_t>(threads) *
                                                    std::uint64_t{iterations_per_thread};
    return {point,
            {{"test", std::move(paired.test)}, {"reference", std::move(paired.reference)}},
            batch,
            right && all_done,
            "each iteration was done once, in chunks as OpenMP says",
            {{"threads", static_cast<double>(threads)},
             {"events_per_sample", static_cast<double>(iterations_per_thread)},
             {"delay_steps", static_cast<double>(delay_steps)}},
            {{"wait_policy", wait_policy()}, {"runtime", openmp_runtime()}}};
}

void run_schedule(Session& session) {
    for (const Parameters& point : session.points()) {
        session.record(measure(session, point));
    }
}

const RegisterNodeBenchmark registered("threads.schedule", {"schedule", "chunk"}, &run_schedule);

}  // namespace
}  // namespace machmeter
