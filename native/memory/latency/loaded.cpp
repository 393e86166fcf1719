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
#include "core/host/available_memory.hpp"
#include "core/memory/memory.hpp"
#include "core/openmp/team_size.hpp"
#include "core/session/node_benchmark.hpp"
#include "memory/latency/chase.hpp"
#include "memory/latency/load.hpp"

namespace machmeter {
namespace {

struct Windows {
    std::vector<double> latency_seconds;
    std::vector<double> kibibyte_seconds;
    double timed_seconds = 0;
};

// A window lasts for `plan.batch` loads, and goes on in such steps until the team has moved enough
// for a rate. Counts are read in the same order at its begin and its end, each right after the
// clock, so that the time of reading them falls out. A point that takes twice its time ends, with
// fewer samples where it takes longer still.
template <class Chase, class Moved>
Windows take_windows(const Clock& clock, const SamplingPlan& plan, const SamplingLimits& limits,
                     Chase&& chase, Moved&& moved) {
    constexpr std::uint64_t least_blocks = 8;
    Windows windows;
    std::uint64_t begin = clock.now();
    std::uint64_t moved_before = moved();
    for (std::uint64_t sample = 0; sample < plan.samples; ++sample) {
        std::uint64_t chased_nanoseconds = 0;
        std::uint64_t loads = 0;
        std::uint64_t end = begin;
        std::uint64_t moved_now = moved_before;
        while (moved_now < moved_before + least_blocks) {
            const std::uint64_t start = clock.now();
            chase(plan.batch);
            end = clock.now();
            chased_nanoseconds += end - start;
            loads += plan.batch;
            moved_now = moved();
        }
        const double lasted = seconds_between(begin, end);
        windows.latency_seconds.push_back(seconds_between(0, chased_nanoseconds) /
                                          static_cast<double>(loads));
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

// The chain of thread 0 and the arrays of all others, each touched first by its own thread.
class Team {
   public:
    Team(std::size_t bytes, std::size_t page_bytes, std::uint64_t seed)
        : bytes_(bytes),
          threads_(static_cast<std::size_t>(omp_get_max_threads())),
          chain_(bytes, page_bytes) {
        if (threads_ < 2) {
            throw UsageError("memory.loaded needs two threads or more: one chases, others load");
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
                next_ = link_and_warm(chain_.as<Line>(), order_);
            } else {
                loads_[thread - 1]->fill();
            }
        }
        require_team(team, threads_);
        chain_closes_ = is_single_cycle(chain_.as<Line>(), lines());
        std::vector<const PageBuffer*> buffers{&chain_};
        for (const auto& load : loads_) {
            buffers.push_back(&load->buffer());
        }
        page_bytes_ = least_obtained_page_bytes(buffers);
    }

    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] std::size_t lines() const { return bytes_ / line_bytes; }
    [[nodiscard]] Line* next() const { return next_; }
    [[nodiscard]] std::size_t loading_threads() const { return loads_.size(); }

    Windows measure(Session& session, Mix mix, std::uint64_t rest_steps) {
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
        return chain_closes_ && next_ == chain_.as<Line>() + order_[followed_ % lines()];
    }

    [[nodiscard]] std::size_t obtained_page_bytes() const { return page_bytes_; }

   private:
    // Waits until every thread loads: a chase before that would meet an idle memory.
    Windows chase_while_loaded(Session& session) {
        for (const auto& load : loads_) {
            while (load->moved() == 0) {
                sched_yield();
            }
        }
        const auto chase = [&](std::uint64_t loads) {
            next_ = follow(next_, loads);
            followed_ += loads;
        };
        const auto moved = [&] {
            std::uint64_t all = 0;
            for (const auto& load : loads_) {
                all += load->moved();
            }
            return all;
        };
        chase(std::min<std::uint64_t>(lines(), loads_for_average));
        const double load_seconds = calibrate_event(session.clock(), session.clock_facts(), chase);
        const SamplingPlan plan =
            plan_chase(load_seconds, lines(), session.clock_facts(), session.limits());
        return take_windows(session.clock(), plan, session.limits(), chase, moved);
    }

    std::size_t bytes_;
    std::size_t threads_;
    PageBuffer chain_;
    std::vector<std::uint32_t> order_;
    bool chain_closes_ = false;
    std::size_t page_bytes_ = 0;
    Line* next_ = nullptr;
    std::uint64_t followed_ = 0;
    std::vector<std::unique_ptr<Load>> loads_;
};

std::uint64_t rest_steps_of(const Clock& clock, std::uint64_t nanoseconds) {
    return nanoseconds == 0 ? 0 : work_steps_for(clock, static_cast<double>(nanoseconds) / 1e9);
}

PointResult measure(Session& session, Team& team, const Parameters& point) {
    const Mix mix = parse_mix(point.text("mix"));
    const std::uint64_t rest_steps = rest_steps_of(session.clock(), point.count("pause"));
    Windows windows = team.measure(session, mix, rest_steps);
    session.add_timed(windows.timed_seconds);
    const bool moved_right = team.settle(mix);
    const bool chased_right = team.chased_right();
    return {point,
            {{"latency_seconds", std::move(windows.latency_seconds)},
             {"kibibyte_seconds", std::move(windows.kibibyte_seconds)}},
            1,
            moved_right && chased_right,
            std::string("the chase ") + (chased_right ? "ended" : "did not end") +
                " where its number of loads leads on a cycle of " + std::to_string(team.lines()) +
                " lines; the load read and left " + (moved_right ? "" : "other values than ") +
                "what it should",
            {{"kibibyte_bytes", static_cast<double>(load_block_bytes)},
             {"loading_threads", static_cast<double>(team.loading_threads())},
             {"rest_steps", static_cast<double>(rest_steps)}},
            {{"order", "random single cycle over the whole buffer"},
             {"load",
              "blocks of 1 KiB in order, each thread its own array, temporal stores; the "
              "bandwidth is that of the load alone"}},
            team.obtained_page_bytes()};
}

void run_loaded(Session& session) {
    std::unique_ptr<Team> team;
    for (const Parameters& point : session.points()) {
        const std::size_t bytes = lines_of(point) * line_bytes;
        if (!team || team->bytes() != bytes) {
            team.reset();
            require_memory_of_team(bytes, static_cast<std::size_t>(omp_get_max_threads()),
                                   available_memory_bytes());
            team = std::make_unique<Team>(bytes, session.page_bytes(), session.seed());
        }
        session.record(measure(session, *team, point));
    }
}

const RegisterNodeBenchmark registered("memory.loaded", {"mix", "pause", "size"}, &run_loaded);

}  // namespace
}  // namespace machmeter
