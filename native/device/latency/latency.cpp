// device.latency: time of one load of a device whose address comes from the load before.
//
// One item follows a random cycle of lines, one launch after another from where the last one
// stopped. An event is a load; a launch has so many that launching takes 1 % of it at most.
#include "device/kernels/latency.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "device/latency/chain.hpp"
#include "device/runtime.hpp"

namespace machmeter {
namespace {

using device_latency::Chain;

// Seconds of a load, and of a launch that does nothing else.
struct Costs {
    double load;
    double launch;
};

Costs costs_of(const Clock& clock, Chain& chain) {
    constexpr int tries = 9;
    constexpr std::uint64_t loads = 8192;
    std::vector<double> nothing;
    std::vector<double> some;
    for (int i = 0; i < tries; ++i) {
        nothing.push_back(time_alone(clock, [&] { chain.follow(0); }));
        some.push_back(time_alone(clock, [&] { chain.follow(loads); }));
    }
    std::sort(nothing.begin(), nothing.end());
    std::sort(some.begin(), some.end());
    const double launch = nothing[tries / 2];
    const double load = (some[tries / 2] - launch) / static_cast<double>(loads);
    return {std::max(load, 1e-10), launch};
}

std::uint64_t loads_of_launch(const Costs& costs, std::size_t lines) {
    constexpr double most_launching = 0.01;
    constexpr double longest_seconds = 0.2;
    const double enough = costs.launch / (most_launching * costs.load);
    const double affordable = longest_seconds / costs.load;
    const double wanted = std::max(enough, std::min(static_cast<double>(lines), affordable));
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
}

PointResult measure(DeviceSession& session, DeviceHandle program, const Parameters& point) {
    Device& device = session.runtime().device();
    const std::size_t line = device_latency::line_bytes_of(device.description());
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    const std::uint64_t lines = point.count_within("size", 2 * line, most * line) / line;
    Chain chain(device, program, lines, session.seed() + lines, session.page_bytes());
    // The whole chain once, as far as that is soon done: what is cached is then its end.
    chain.follow(std::min<std::uint64_t>(lines, std::uint64_t{1} << 22U));
    const Costs costs = costs_of(session.clock(), chain);
    const std::uint64_t loads = loads_of_launch(costs, lines);
    device.elapsed();
    std::vector<double> by_device;
    bool timed = true;
    const Samples taken = session.sample([&](std::uint64_t launches) {
        double seconds = 0;
        double own = 0;
        for (std::uint64_t i = 0; i < launches; ++i) {
            const double one = time_alone(session.clock(), [&] { chain.follow(loads); });
            const double by_own = device.elapsed();
            timed = timed && by_own > 0 && by_own <= one * (1 + 1e-3);
            seconds += one;
            own += by_own;
        }
        by_device.push_back(own / static_cast<double>(launches * loads));
        return seconds;
    });
    by_device.erase(by_device.begin(),
                    by_device.end() - static_cast<std::ptrdiff_t>(taken.seconds.size()));
    std::vector<double> by_host = taken.seconds;
    for (double& one : by_host) {
        one /= static_cast<double>(loads);
    }
    const bool right = chain.is_where_it_should();
    const std::string misplaced = session.runtime().misplaced();
    PointResult result(point);
    result
        .add_samples({{"load", std::move(by_host)}, {"load_event", std::move(by_device)}},
                     taken.batch * loads)
        .check(right && timed && misplaced.empty(),
               std::string("the walk stopped where the number of its loads leads") +
                   (right ? "" : ": no") +
                   (timed ? "" : "; the device's times are 0 or longer than the host's") +
                   misplaced)
        .quantity("lines", lines)
        .quantity("line_bytes", line)
        .quantity("loads", loads)
        .quantity("launch_seconds", costs.launch)
        .attribute("order", "random single cycle over the whole memory");
    result.page_bytes = chain.page_bytes();
    return result;
}

void run_latency(DeviceSession& session) {
    const DeviceHandle program = session.runtime().device().compile(
        kernels::latency, {"LANES=1", "GROUP_ITEMS=1", "STRETCHES=1"});
    session.record_each([&](const Parameters& point) { return measure(session, program, point); });
}

const RegisterDeviceBenchmark registered({"device.latency", {"size"}, &run_latency});

}  // namespace
}  // namespace machmeter
