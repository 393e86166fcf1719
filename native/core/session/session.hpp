// What a benchmark's body is given: the clock, what was asked, and where its points go.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/clock/sampling.hpp"
#include "core/record/record.hpp"
#include "core/session/arguments.hpp"

namespace machmeter {

class Session {
   public:
    using Sink = std::function<void(const PointResult&)>;

    Session(Clock clock, Arguments arguments, Sink sink)
        : clock_(clock),
          facts_(measure_clock(clock)),
          arguments_(std::move(arguments)),
          sink_(std::move(sink)) {}

    [[nodiscard]] const Clock& clock() const { return clock_; }
    [[nodiscard]] const ClockFacts& clock_facts() const { return facts_; }
    [[nodiscard]] const SamplingLimits& limits() const { return arguments_.limits; }
    [[nodiscard]] const std::vector<Parameters>& points() const { return arguments_.points; }
    [[nodiscard]] std::uint64_t page_bytes() const { return arguments_.page_bytes; }
    [[nodiscard]] std::uint64_t seed() const { return arguments_.seed; }
    [[nodiscard]] const Arguments& arguments() const { return arguments_; }

    // What is about to be measured goes to disk, so that a launch that hangs says where.
    void begin(const Parameters& point) {
        if (announce_) {
            announce_(point);
        }
    }

    void announce_by(std::function<void(const Parameters&)> announce) {
        announce_ = std::move(announce);
    }

    // The point goes to disk at once: a crash later in the launch does not lose it.
    void record(const PointResult& point) {
        sink_(point);
        ++recorded_;
    }

    // Time spent inside the timed parts, for the account of where a launch's time went.
    void add_timed(double seconds) { timed_seconds_ += seconds; }

    [[nodiscard]] double timed_seconds() const { return timed_seconds_; }
    [[nodiscard]] std::size_t recorded() const { return recorded_; }

    // Warm up, calibrate and sample one event; its time counts as timed.
    template <class Event>
    Samples sample(Event&& event) {
        Samples taken = sample_event(clock_, facts_, limits(), event);
        add_timed(taken.timed_seconds);
        return taken;
    }

   private:
    Clock clock_;
    ClockFacts facts_;
    Arguments arguments_;
    Sink sink_;
    std::function<void(const Parameters&)> announce_;
    double timed_seconds_ = 0;
    std::size_t recorded_ = 0;
};

}  // namespace machmeter
