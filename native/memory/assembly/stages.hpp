// Stages of an assembly: how long each took, and the CPU time of all threads in it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/clock/cpu_time.hpp"
#include "core/record/point.hpp"
#include "memory/assembly/memory_log.hpp"

namespace machmeter::assembly {

// count: words of reads; prune: those that are left, and what follows which; extend: chains;
// cluster: chains that touch; assign: reads to clusters; trace: paths.
enum class Stage { count, prune, extend, cluster, assign, trace };

inline constexpr std::array<const char*, 6> stage_names{"count",   "prune",  "extend",
                                                        "cluster", "assign", "trace"};

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
    }

    [[nodiscard]] MemoryLog& log() { return log_; }

    // A series of each stage, its CPU time an event, and memory over time of the last event.
    void describe(PointResult& result) const {
        for (std::size_t i = 0; i < stage_names.size(); ++i) {
            const std::string name = stage_names[i];
            const auto events = static_cast<double>(seconds_[i].size());
            result.add_series(name, seconds_[i]);
            result.quantity(name + "_cpu_seconds",
                            (cpu_[i].user_seconds + cpu_[i].system_seconds) / events);
        }
        result.add_series("resident_at", log_.at()).add_series("resident", log_.resident());
    }

   private:
    Clock clock_;
    MemoryLog log_;
    std::array<std::vector<double>, stage_names.size()> seconds_;
    std::array<CpuTime, stage_names.size()> cpu_;
};

}  // namespace machmeter::assembly
