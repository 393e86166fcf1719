// The parabolas of one dimension: piecewise parabolic reconstruction with a monotone limiter (Lin,
// Mon. Wea. Rev. 132, 2004, appendix B).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace machmeter::proxies::fvcore {

// Half of the slope of the middle cell, none at an extremum.
inline double half_slope(double before, double value, double after) {
    const double centered = 0.25 * (after - before);
    const double above = std::max(before, std::max(value, after)) - value;
    const double below = value - std::min(before, std::min(value, after));
    return std::copysign(std::min(std::abs(centered), std::min(above, below)), centered);
}

// Between two cells, with their half slopes.
inline double edge_value(double before, double after, double slope_before, double slope_after) {
    constexpr double third = 1.0 / 3;
    return 0.5 * (before + after) + third * (slope_before - slope_after);
}

// What the parabola of a cell differs by from its mean at its two edges.
inline double first_side(double value, double edge, double slope) {
    return -std::copysign(std::min(std::abs(2 * slope), std::abs(edge - value)), slope);
}
inline double last_side(double value, double edge, double slope) {
    return std::copysign(std::min(std::abs(2 * slope), std::abs(edge - value)), slope);
}

struct Cell {
    double value = 0;
    double first = 0;
    double last = 0;
};

// What crosses the edge between two cells where `courant` of a cell does: the mean of that part of
// its parabola times `amount`, of the same sign. Both ways are computed, for without a branch loops
// are vectorized.
inline double crossing(const Cell& before, const Cell& after, double courant, double amount) {
    const double share = std::abs(courant);
    const double forward = before.last - share * (before.first + before.last);
    const double backward = after.first - share * (after.first + after.last);
    return std::max(amount, 0.0) * (before.value + (1 - share) * forward) +
           std::min(amount, 0.0) * (after.value + (1 - share) * backward);
}

// What the advective form of an upwind step leaves of a cell, half of it taken.
inline double half_upwind(double before, double value, double after, double courant) {
    const double upwind = courant > 0 ? before : after;
    return value - 0.5 * std::abs(courant) * (value - upwind);
}

}  // namespace machmeter::proxies::fvcore
