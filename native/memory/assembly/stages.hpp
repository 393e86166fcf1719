// Stages of an assembly: how long each took, and the CPU time of all threads in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/clock/cpu_time.hpp"
#include "core/record/point.hpp"
#include "memory/assembly/reads/memory_log.hpp"

namespace machmeter::assembly {

// load: reads from a file; count: their words; hand_over: the counts to a file, from which the next
// stage reads them; prune: words that are left, and what follows which; extend: chains; cluster:
// chains that touch; assign: reads to clusters; trace: paths. Where all stays in memory there is
// nothing to load and to hand over.
enum class Stage { load, count, hand_over, prune, extend, cluster, assign, trace };

inline constexpr std::array<const char*, 8> stage_names{"load",   "count",   "hand_over", "prune",
                                                        "extend", "cluster", "assign",    "trace"};

class Stages {
   public:
    explicit Stages(const Clock& clock) : clock_(clock), log_(clock) {}

    // One event's part.
    template <class Body>
    void run(Stage stage, Body&& body) {
        const std::uint64_t begin = clock_.now();
        {
            const CpuWatch watch(cpu_[static_cast<std::size_t>(stage)]);
            body();
        }
        seconds_[static_cast<std::size_t>(stage)].push_back(seconds_between(begin, clock_.now()));
        log_.add();
        ends_[static_cast<std::size_t>(stage)] = log_.at().empty() ? 0 : log_.at().back();
    }

    // Bytes that the last event had to move in a stage, as the program counts them.
    void moved(Stage stage, double bytes) { bytes_[static_cast<std::size_t>(stage)] = bytes; }

    [[nodiscard]] MemoryLog& log() { return log_; }

    // Of each stage that ran a series, its mean time and CPU time; what it moved and when it ended
    // in the last event, of which memory over time is.
    void describe(PointResult& result) const {
        for (std::size_t i = 0; i < stage_names.size(); ++i) {
            if (seconds_[i].empty()) {
                continue;
            }
            const std::string name = stage_names[i];
            const auto events = static_cast<double>(seconds_[i].size());
            const double wall = std::accumulate(seconds_[i].begin(), seconds_[i].end(), 0.0);
            result.add_series(name, seconds_[i]);
            add_above_zero(result, name + "_seconds", wall / events);
            add_above_zero(result, name + "_cpu_seconds",
                           (cpu_[i].user_seconds + cpu_[i].system_seconds) / events);
            add_above_zero(result, name + "_bytes", bytes_[i]);
            result.quantity(name + "_end", ends_[i]);
        }
        result.add_series("resident_at", log_.at()).add_series("resident", log_.resident());
    }

   private:
    // What a clock cannot resolve is left out.
    static void add_above_zero(PointResult& result, const std::string& name, double value) {
        if (value > 0) {
            result.quantity(name, value);
        }
    }

    Clock clock_;
    MemoryLog log_;
    std::array<std::vector<double>, stage_names.size()> seconds_;
    std::array<CpuTime, stage_names.size()> cpu_;
    std::array<double, stage_names.size()> ends_{};
    std::array<double, stage_names.size()> bytes_{};
};

}  // namespace machmeter::assembly
