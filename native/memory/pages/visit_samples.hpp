// Samples of visits from timed stretches, which may be short for the clock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/clock/sampling.hpp"

namespace machmeter {

// A stretch holds one reading of the clock, which is subtracted. Stretches are added up until both
// the tick of the clock and the error of its cost are a small share of the sample.
class VisitSamples {
   public:
    VisitSamples(const ClockFacts& clock, std::uint64_t most) : clock_(clock), most_(most) {
        // Touched here, so that no sample takes a page fault.
        seconds_.assign(most, 0);
        seconds_.clear();
    }

    void add_stretch(double seconds, std::size_t visits) {
        timed_seconds_ += seconds;
        timed_visits_ += visits;
        ++stretches_;
        sum_seconds_ += seconds - clock_.overhead_seconds;
        sum_visits_ += visits;
        if (sum_seconds_ <= 0 || share_of_clock(clock_, sum_seconds_) > usual_clock_share) {
            return;
        }
        if (count() < most_) {
            seconds_.push_back(sum_seconds_ / static_cast<double>(sum_visits_));
            sampled_visits_ += sum_visits_;
        }
        sum_seconds_ = 0;
        sum_visits_ = 0;
    }

    [[nodiscard]] std::size_t count() const { return seconds_.size(); }
    [[nodiscard]] double timed_seconds() const { return timed_seconds_; }

    // Samples, each of one visit. Where the stretches stayed too short for the clock until the end,
    // one that includes the readings of the clock: never zero.
    [[nodiscard]] std::vector<double> seconds() const {
        if (seen_by_clock()) {
            return seconds_;
        }
        return {std::max(timed_seconds_, clock_.tick_seconds) /
                static_cast<double>(std::max<std::size_t>(timed_visits_, 1))};
    }
    [[nodiscard]] bool seen_by_clock() const { return !seconds_.empty(); }

    // Visits in a sample, on average.
    [[nodiscard]] std::uint64_t batch() const {
        return (sampled_visits_ + count() / 2) / std::max<std::size_t>(count(), 1);
    }

    // Share of the clock's readings in all that was timed: how much the samples depend on their
    // cost, which between visits may differ from that in a row of readings.
    [[nodiscard]] double subtracted_share() const {
        const double subtracted = static_cast<double>(stretches_) * clock_.overhead_seconds;
        return timed_seconds_ > subtracted ? subtracted / timed_seconds_ : 1;
    }

   private:
    ClockFacts clock_;
    std::uint64_t most_;
    std::vector<double> seconds_;
    double timed_seconds_ = 0;
    std::size_t timed_visits_ = 0;
    std::uint64_t stretches_ = 0;
    std::size_t sampled_visits_ = 0;
    double sum_seconds_ = 0;  // of the sample that is being added up
    std::size_t sum_visits_ = 0;
};

}  // namespace machmeter
