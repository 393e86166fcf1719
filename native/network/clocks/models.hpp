// The clock of one rank as a linear function of another's, learned from exchanges of time stamps.
// Offsets as in SKaMPI (Worsch, Reussner, Augustin: Benchmarking collective operations with SKaMPI,
// HLRS 2002): each exchange gives a lower and an upper bound, and the tightest count. Drift from a
// line through several offsets, and the tree of who learns from whom as in HCA3 (Hunold,
// Carpen-Amarie: Hierarchical clock synchronization in MPI, CLUSTER 2018). Times are in seconds.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace machmeter {

// A request sent and its reply received, by the own clock; in between the other clock read
// `global`.
struct TimeExchange {
    double sent = 0;
    double global = 0;
    double received = 0;
};

// Bounds of global minus own time.
struct OffsetBounds {
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();

    void narrow(const TimeExchange& exchange) {
        lower = std::max(lower, exchange.global - exchange.received);
        upper = std::min(upper, exchange.global - exchange.sent);
    }

    [[nodiscard]] double middle() const { return (lower + upper) / 2; }

    // The middle is at most this far from the truth.
    [[nodiscard]] double half_width() const { return std::abs(upper - lower) / 2; }
};

// Global minus own time, when the own clock showed `own`.
struct OffsetPoint {
    double own = 0;
    double offset = 0;
};

// Converts readings of the own clock, in nanoseconds, to global time and back. Own times count from
// the base, so that a double holds them to far less than a nanosecond.
struct ClockModel {
    std::uint64_t base_nanoseconds = 0;
    double anchor = 0;  // own time at which the offset is `offset`
    double offset = 0;
    double drift = 0;  // gain of global on own time, seconds per second
    double bound = 0;  // largest error of the offset at the anchor

    [[nodiscard]] double own(std::uint64_t nanoseconds) const {
        return static_cast<double>(static_cast<std::int64_t>(nanoseconds - base_nanoseconds)) / 1e9;
    }

    [[nodiscard]] double offset_at(double own_seconds) const {
        return offset + drift * (own_seconds - anchor);
    }

    [[nodiscard]] double global(std::uint64_t nanoseconds) const {
        const double own_seconds = own(nanoseconds);
        return own_seconds + offset_at(own_seconds);
    }

    // The first reading not before this global time.
    [[nodiscard]] std::uint64_t nanoseconds_at(double global_seconds) const {
        const double own_seconds = (global_seconds - offset + drift * anchor) / (1 + drift);
        const auto since_base = static_cast<std::int64_t>(std::ceil(own_seconds * 1e9));
        return base_nanoseconds + static_cast<std::uint64_t>(since_base);
    }
};

// Slope of the least-squares line through the points, limited to what quartz and its adjustment can
// do to a clock. 0 where the points are close together or the standard error exceeds a third of the
// slope: a drift within the noise would do more harm than none.
inline double drift_of(const std::vector<OffsetPoint>& points) {
    constexpr double least_span_seconds = 0.5;
    constexpr double largest_drift = 1e-4;
    constexpr double least_errors = 3;
    if (points.size() < 3 || points.back().own - points.front().own < least_span_seconds) {
        return 0;
    }
    const auto count = static_cast<double>(points.size());
    double mean_own = 0;
    double mean_offset = 0;
    for (const OffsetPoint& point : points) {
        mean_own += point.own / count;
        mean_offset += point.offset / count;
    }
    double squares = 0;
    double products = 0;
    double offset_squares = 0;
    for (const OffsetPoint& point : points) {
        squares += (point.own - mean_own) * (point.own - mean_own);
        products += (point.own - mean_own) * (point.offset - mean_offset);
        offset_squares += (point.offset - mean_offset) * (point.offset - mean_offset);
    }
    const double slope = products / squares;
    const double residual = std::max(0.0, offset_squares - slope * products);
    const double error = std::sqrt(residual / (count - 2) / squares);
    return std::abs(slope) > least_errors * error ? std::clamp(slope, -largest_drift, largest_drift)
                                                  : 0;
}

// Offsets of one rank to the global clock, and the resulting model.
class LearnedClock {
   public:
    explicit LearnedClock(std::uint64_t base_nanoseconds) {
        model_.base_nanoseconds = base_nanoseconds;
    }

    [[nodiscard]] const ClockModel& model() const { return model_; }

    // The error of the model so far, by these bounds.
    [[nodiscard]] double error(double own, const OffsetBounds& bounds) const {
        return std::abs(bounds.middle() - model_.offset_at(own));
    }

    // reference_bound: largest error of the clock that replied.
    void learn(double own, const OffsetBounds& bounds, double reference_bound) {
        if (points_.size() == most_points) {
            points_.erase(points_.begin());
        }
        points_.push_back({own, bounds.middle()});
        model_.anchor = own;
        model_.offset = bounds.middle();
        model_.drift = drift_of(points_);
        model_.bound = reference_bound + bounds.half_width();
    }

   private:
    // Drift changes with temperature: old points do not count.
    static constexpr std::size_t most_points = 64;

    ClockModel model_;
    std::vector<OffsetPoint> points_;
};

struct ClockPair {
    int reference = 0;
    int client = 0;
};

// Rounds of pairs that exchange at the same time, over `members`, of which 0 has the global clock.
// A reference learned it in an earlier round: all have it after log2 rounds, and one more for
// members beyond a power of two.
inline std::vector<std::vector<ClockPair>> clock_rounds(int members) {
    std::vector<std::vector<ClockPair>> rounds;
    const auto power = static_cast<int>(std::bit_floor(static_cast<unsigned>(members)));
    for (int step = power / 2; step >= 1; step /= 2) {
        rounds.emplace_back();
        for (int reference = 0; reference < power; reference += 2 * step) {
            rounds.back().push_back({reference, reference + step});
        }
    }
    if (members > power) {
        rounds.emplace_back();
        for (int client = power; client < members; ++client) {
            rounds.back().push_back({client - power, client});
        }
    }
    return rounds;
}

}  // namespace machmeter
