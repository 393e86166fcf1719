#include "core/clock/sampling.hpp"

#include <cmath>
#include <cstddef>

namespace machmeter {

double share_of_clock(const ClockFacts& clock, double round_seconds) {
    const double cost = clock.resolution_seconds();
    return round_seconds > cost ? cost / round_seconds : 1;
}

std::uint64_t samples_that_fit(double sample_seconds, const SamplingLimits& limits) {
    return static_cast<std::uint64_t>(std::clamp(limits.seconds / sample_seconds,
                                                 static_cast<double>(limits.least),
                                                 static_cast<double>(limits.most)));
}

SamplingPlan plan_sampling(double round_seconds, const ClockFacts& clock,
                           const SamplingLimits& limits, double largest_clock_share) {
    const double round = std::max(round_seconds, 1e-10);
    const double floor = clock.resolution_seconds() / largest_clock_share;
    SamplingPlan plan;
    plan.batch = static_cast<std::uint64_t>(std::max(1.0, std::ceil(floor / round)));
    plan.samples = samples_that_fit(round * static_cast<double>(plan.batch), limits);
    return plan;
}

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace machmeter
