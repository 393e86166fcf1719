// memory.loaded: time of a dependent load while all other threads read and write memory.
//
// Thread 0 follows a random cycle; each other thread goes through its own array, 1 KiB at a
// time, resting after each. Both are sampled over the same windows: the time of the loads in it,
// and the time in which the loading team moved 1 KiB, by the counts that its threads keep.
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/clock/work.hpp"
#include "core/host/memory_size.hpp"
#include "core/memory/memory.hpp"
#include "core/memory/pages.hpp"
#include "core/openmp/padding.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"
#include "core/values/parameters.hpp"
#include "memory/latency/chase.hpp"
#include "memory/stream/kernels.hpp"

namespace machmeter {
namespace {

constexpr std::size_t load_block_bytes = 1024;
constexpr std::size_t load_block_doubles = load_block_bytes / sizeof(double);
static_assert(load_block_bytes % stream::granule_bytes == 0);

enum class Mix : std::uint8_t { read, two_to_one, write };

// Throws UsageError.
Mix mix_of(const Parameters& point) {
    return point.choice<Mix>(
        "mix", {{"read", Mix::read}, {"two-to-one", Mix::two_to_one}, {"write", Mix::write}});
}

bool writes(Mix mix, std::uint64_t move) {
    return mix == Mix::write || (mix == Mix::two_to_one && move % 3 == 2);
}

// All elements of a block: small whole numbers, so that sums are exact in any order.
double content(std::uint64_t number) { return 1 + static_cast<double>(number % 1024); }

// Polled by all loading threads after each block.
struct alignas(polled_bytes) StopFlag {
    std::atomic<bool> raised = false;
};

// The load of one thread. What it should have read and written follows afterwards from the number
// of blocks that it moved.
class Load {
   public:
    Load(std::size_t bytes, std::size_t page_bytes)
        : memory_(bytes, page_bytes), contents_(bytes / load_block_bytes) {}

    // The first touch, by the thread that will run the load.
    void fill() {
        for (std::size_t block = 0; block < contents_.size(); ++block) {
            contents_[block] = content(block);
            std::fill_n(at(block), load_block_doubles, contents_[block]);
        }
    }

    // Moves blocks until `stop`, with so many steps of work after each.
    void run(Mix mix, std::uint64_t rest_steps, const StopFlag& stop) {
        sum_ = 0;
        std::uint64_t move = 0;
        for (std::size_t block = first_; !stop.raised.load(std::memory_order_relaxed);) {
            const stream::Chunk chunk{at(block), at(block), nullptr, load_block_doubles,
                                      content(move)};
            if (writes(mix, move)) {
                stream::write_chunk<stream::Stores::temporal>(chunk);
            } else {
                sum_ += stream::read_chunk(chunk);
            }
            ++move;
            moved_.store(move, std::memory_order_relaxed);
            block = block + 1 == contents_.size() ? 0 : block + 1;
            if (rest_steps > 0) {
                work(move, rest_steps);
            }
        }
    }

    // Blocks moved since `settle`; any thread may call it while the load runs.
    [[nodiscard]] std::uint64_t moved() const { return moved_.load(std::memory_order_relaxed); }

    // Whether the last run read and left what it should; makes ready for the next one.
    bool settle(Mix mix) {
        const std::uint64_t moves = moved_.exchange(0);
        double expected = 0;
        std::size_t block = first_;
        for (std::uint64_t move = 0; move < moves; ++move) {
            if (writes(mix, move)) {
                contents_[block] = content(move);
            } else {
                expected += static_cast<double>(load_block_doubles) * contents_[block];
            }
            block = block + 1 == contents_.size() ? 0 : block + 1;
        }
        const bool right = sum_ == expected && last_blocks_are_right(mix, moves, block);
        first_ = block;
        return right;
    }

    [[nodiscard]] double* at(std::size_t block) const {
        return memory_.as<double>() + block * load_block_doubles;
    }
    [[nodiscard]] const Memory& memory() const { return memory_; }

   private:
    [[nodiscard]] bool last_blocks_are_right(Mix mix, std::uint64_t moves, std::size_t end) const {
        if (mix == Mix::read) {
            return true;
        }
        bool right = true;
        std::size_t block = end;
        for (std::size_t left = std::min<std::uint64_t>(moves, contents_.size()); left > 0;
             --left) {
            block = (block == 0 ? contents_.size() : block) - 1;
            const double expected = contents_[block];
            right = right && std::all_of(at(block), at(block) + load_block_doubles,
                                         [&](double value) { return value == expected; });
        }
        return right;
    }

    Memory memory_;
    std::vector<double> contents_;
    std::size_t first_ = 0;
    double sum_ = 0;
    alignas(polled_bytes) std::atomic<std::uint64_t> moved_ = 0;
};

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
    return PointResult(point)
        .add_series("latency_seconds", std::move(windows.latency_seconds))
        .add_series("kibibyte_seconds", std::move(windows.kibibyte_seconds))
        .check(moved_right && chased_right,
               std::string("the chase ") + (chased_right ? "ended" : "did not end") +
                   " where its number of loads leads on a cycle of " +
                   std::to_string(team.lines()) + " lines; the load read and left " +
                   (moved_right ? "" : "other values than ") + "what it should")
        .quantity("kibibyte_bytes", load_block_bytes)
        .quantity("loading_threads", team.loading_threads())
        .quantity("rest_steps", rest_steps)
        .attribute("order", "random single cycle over the whole memory")
        .attribute("load",
                   "blocks of 1 KiB in order, each thread its own array, temporal stores; the "
                   "bandwidth is that of the load alone")
        .on_pages(team.page_bytes());
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
