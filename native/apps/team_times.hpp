// Where the time of outer teams goes, as a program marks it itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/openmp/padding.hpp"

namespace machmeter {

// Seconds of each outer thread in each of some phases, and of whole events.
class TeamTimes {
   public:
    TeamTimes(int outer, std::size_t phases)
        : threads_(static_cast<std::size_t>(outer)), stride_(line_of(phases)) {
        seconds_.resize(threads_ * stride_, 0.0);
    }

    // By the outer thread itself.
    void add(int outer, std::size_t phase, double seconds) {
        seconds_[static_cast<std::size_t>(outer) * stride_ + phase] += seconds;
    }

    // An event, by the thread that begins it.
    template <class Event>
    void whole(Event&& event) {
        whole_ += time_alone(monotonic_clock, event);
    }

    // What was before does not count: the warm-up.
    void clear() {
        std::fill(seconds_.begin(), seconds_.end(), 0.0);
        whole_ = 0;
    }

    // Of the time of all outer threads; in the rest they wait for each other, or take and give back
    // memory.
    [[nodiscard]] double share(std::size_t phase) const {
        double sum = 0;
        for (std::size_t thread = 0; thread < threads_; ++thread) {
            sum += seconds_[thread * stride_ + phase];
        }
        return whole_ > 0 ? sum / (whole_ * static_cast<double>(threads_)) : 0;
    }

   private:
    // So that threads share no line.
    static std::size_t line_of(std::size_t phases) {
        constexpr std::size_t line = padded_bytes / sizeof(double);
        return (phases + line - 1) / line * line + line;
    }

    std::size_t threads_;
    std::size_t stride_;
    std::vector<double> seconds_;
    double whole_ = 0;
};

}  // namespace machmeter
