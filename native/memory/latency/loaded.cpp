// memory.loaded: time of a dependent load while all other threads read and write memory.
//
// Thread 0 follows a random cycle; each other thread goes through an array of its own, 1 KiB at a
// time, resting after each. Both are sampled over the same windows: the time of the loads in it,
// and the time in which the loading team moved 1 KiB, by the counts that its threads keep.
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/clock/work.hpp"
#include "core/host/memory_size.hpp"
#include "core/memory/memory.hpp"
#include "core/memory/pages.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"
#include "memory/latency/chase.hpp"
#include "memory/latency/load.hpp"

namespace machmeter {
namespace {

struct Windows {
    std::vector<double> latency_seconds;
    std::vector<double> kibibyte_seconds;
    double timed_seconds = 0;
};

// A window lasts for `plan.batch` loads, repeated until the team has moved enough for a rate.
// Counts are read in the same order at its begin and its end, each right after the clock, so that
// the time of reading them cancels. A point that takes twice its time ends, with fewer samples
// after longer still.
template <TimedEvent Chase, class Moved>
Windows take_windows(const Clock& clock, const SamplingPlan& plan, const SamplingLimits& limits,
                     Chase&& chase, Moved&& moved) {
    constexpr std::uint64_t least_blocks = 8;
    Windows windows;
    std::uint64_t begin = clock.now();
    std::uint64_t moved_before = moved();
    for (std::uint64_t sample = 0; sample < plan.samples; ++sample) {
        double chased_seconds = 0;
        std::uint64_t loads = 0;
        std::uint64_t end = begin;
        std::uint64_t moved_now = moved_before;
        while (moved_now < moved_before + least_blocks) {
            chased_seconds += chase(plan.batch);
            end = clock.now();
            loads += plan.batch;
            moved_now = moved();
        }
        const double lasted = seconds_between(begin, end);
        windows.latency_seconds.push_back(chased_seconds / static_cast<double>(loads));
        windows.kibibyte_seconds.push_back(lasted / static_cast<double>(moved_now - moved_before));
        windows.timed_seconds += lasted;
        const bool late = windows.timed_seconds > 2 * limits.seconds;
        const bool too_late = windows.timed_seconds > longest_over_planned * limits.seconds;
        if ((late && sample + 1 >= limits.least) || (too_late && sample + 1 >= fewest_samples)) {
            break;
        }
        begin = end;
        moved_before = moved_now;
    }
    return windows;
}

// The chain or array of each thread; the order of the chain and the contents of the arrays.
void require_memory_of_team(std::size_t bytes, std::size_t threads, double available) {
    constexpr double with_bookkeeping = 1.0 + 1.0 / 16;
    require_memory("size: " + std::to_string(threads) + " threads with " + std::to_string(bytes) +
                       " bytes each",
                   with_bookkeeping * static_cast<double>(threads) * static_cast<double>(bytes),
                   available);
}

// The chain of thread 0 and the arrays of all others, each first touched by its own thread.
class LoadedTeam {
   public:
    LoadedTeam(std::size_t bytes, std::size_t page_bytes, std::uint64_t seed)
        : bytes_(bytes),
          threads_(static_cast<std::size_t>(omp_get_max_threads())),
          chain_(bytes, page_bytes),
          lines_(chain_.as<std::byte>()) {
        if (threads_ < 2) {
            throw UsageError("memory.loaded needs two or more threads: one chases, others load");
        }
        if (bytes == 0 || bytes % base_page_bytes() != 0) {
            throw UsageError("size: " + std::to_string(bytes) + " is not a multiple of the page, " +
                             std::to_string(base_page_bytes()) + " bytes");
        }
        shuffle_order(order_, lines(), seed);
        for (std::size_t thread = 1; thread < threads_; ++thread) {
            loads_.push_back(std::make_unique<Load>(bytes, page_bytes));
        }
        std::size_t team = 0;
#pragma omp parallel
        {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            if (thread == 0) {
                team = static_cast<std::size_t>(omp_get_num_threads());
                next_ = link_and_warm(lines_, order_);
            } else {
                loads_[thread - 1]->fill();
            }
        }
        require_team(team, threads_);
        chain_closes_ = is_single_cycle(lines_, lines());
        std::vector<const Memory*> pieces{&chain_};
        for (const auto& load : loads_) {
            pieces.push_back(&load->memory());
        }
        page_bytes_ = describe(pieces).page_bytes;
    }

    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] std::size_t lines() const { return bytes_ / lines_.stride(); }
    [[nodiscard]] Line* next() const { return next_; }
    [[nodiscard]] std::size_t loading_threads() const { return loads_.size(); }

    Windows measure(NodeSession& session, Mix mix, std::uint64_t rest_steps) {
        Windows windows;
        StopFlag stop;
#pragma omp parallel
        {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            if (thread > 0) {
                loads_[thread - 1]->run(mix, rest_steps, stop);
            } else {
                windows = chase_while_loaded(session);
                stop.raised = true;
            }
        }
        return windows;
    }

    bool settle(Mix mix) {
        bool right = true;
#pragma omp parallel reduction(&& : right)
        {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            right = thread == 0 || loads_[thread - 1]->settle(mix);
        }
        return right;
    }

    // Whether every load of the chase was one step along a chain over all lines.
    [[nodiscard]] bool chased_right() const {
        return chain_closes_ && next_ == lines_.at(order_[loads_followed_ % lines()]);
    }

    [[nodiscard]] std::size_t page_bytes() const { return page_bytes_; }

   private:
    // Waits until every thread loads: before that the memory would be idle.
    Windows chase_while_loaded(NodeSession& session) {
        for (const auto& load : loads_) {
            while (load->moved() == 0) {
                sched_yield();
            }
        }
        auto chase = session.event([&](std::uint64_t loads) { next_ = follow(next_, loads); });
        const auto moved = [&] {
            std::uint64_t all = 0;
            for (const auto& load : loads_) {
                all += load->moved();
            }
            return all;
        };
        chase(std::min<std::uint64_t>(lines(), loads_for_average));
        const double load_seconds = calibrate(session.clock_facts(), chase);
        const SamplingPlan plan =
            plan_chase(load_seconds, lines(), session.clock_facts(), session.limits());
        Windows windows = take_windows(session.clock(), plan, session.limits(), chase, moved);
        loads_followed_ += chase.rounds();
        return windows;
    }

    std::size_t bytes_;
    std::size_t threads_;
    Memory chain_;
    Lines lines_;
    std::vector<std::uint32_t> order_;
    bool chain_closes_ = false;
    std::size_t page_bytes_ = 0;
    Line* next_ = nullptr;
    std::uint64_t loads_followed_ = 0;
    std::vector<std::unique_ptr<Load>> loads_;
};

std::uint64_t rest_steps_of(const Clock& clock, std::uint64_t nanoseconds) {
    return nanoseconds == 0 ? 0 : work_steps_for(clock, static_cast<double>(nanoseconds) / 1e9);
}

PointResult measure(NodeSession& session, LoadedTeam& team, const Parameters& point) {
    const Mix mix = mix_of(point);
    const std::uint64_t rest_steps = rest_steps_of(session.clock(), point.count("pause"));
    Windows windows = team.measure(session, mix, rest_steps);
    session.add_timed(windows.timed_seconds);
    const bool moved_right = team.settle(mix);
    const bool chased_right = team.chased_right();
    PointResult result(point);
    result.add_series("latency_seconds", std::move(windows.latency_seconds))
        .add_series("kibibyte_seconds", std::move(windows.kibibyte_seconds));
    result.check(moved_right && chased_right,
                 std::string("the chase ") + (chased_right ? "ended" : "did not end") +
                     " where its number of loads leads on a cycle of " +
                     std::to_string(team.lines()) + " lines; the load read and left " +
                     (moved_right ? "" : "other values than ") + "what it should");
    result.quantity("kibibyte_bytes", load_block_bytes)
        .quantity("loading_threads", team.loading_threads())
        .quantity("rest_steps", rest_steps);
    result.attribute("order", "random single cycle over the whole memory")
        .attribute("load",
                   "blocks of 1 KiB in order, each thread its own array, temporal stores; the "
                   "bandwidth is that of the load alone");
    result.page_bytes = team.page_bytes();
    return result;
}

void run_loaded(NodeSession& session) {
    std::unique_ptr<LoadedTeam> team;
    session.record_each([&](const Parameters& point) {
        const std::size_t bytes = lines_of(point) * line_bytes();
        if (!team || team->bytes() != bytes) {
            team.reset();
            require_memory_of_team(bytes, static_cast<std::size_t>(omp_get_max_threads()),
                                   available_memory_bytes());
            team = std::make_unique<LoadedTeam>(bytes, session.page_bytes(), session.seed());
        }
        return measure(session, *team, point);
    });
}

const RegisterNodeBenchmark registered({"memory.loaded", {"mix", "pause", "size"}, &run_loaded});

}  // namespace
}  // namespace machmeter
