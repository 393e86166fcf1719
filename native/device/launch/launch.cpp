// device.launch: time from the launch of a kernel that does next to nothing until the host knows
// that it has finished; or of one of several that are launched before the host waits; and, by the
// device's own clock, from the launch of one alone until it started.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "device/kernels/latency.hpp"
#include "device/memory.hpp"
#include "device/runtime.hpp"

namespace machmeter {
namespace {

PointResult measure(DeviceSession& session, DeviceHandle program, const Parameters& point) {
    Device& device = session.runtime().device();
    const std::uint64_t together = point.count_within("together", 1, 4096);
    const DeviceHandle kernel = device.kernel(program, "latency_nothing");
    const DeviceMemory count(device, sizeof(std::uint64_t), session.page_bytes());
    count.fill<std::uint64_t>([](std::size_t) { return 0; });
    std::uint64_t launches = 0;
    // Events that are recorded beside a kernel would be a part of its launch.
    device.keep_times(false);
    std::vector<double> queued;
    Samples taken = session.sample([&](std::uint64_t rounds) {
        const double seconds = time_alone(session.clock(), [&] {
            for (std::uint64_t round = 0; round < rounds; ++round) {
                for (std::uint64_t i = 0; i < together; ++i) {
                    device.launch(kernel, {}, {argument(count.handle())});
                }
                device.finish();
            }
        });
        launches += rounds * together;
        device.elapsed();
        queued.push_back(device.queued() / static_cast<double>(rounds));
        return seconds;
    });
    device.keep_times(true);
    queued.erase(queued.begin(), queued.end() - static_cast<std::ptrdiff_t>(taken.seconds.size()));
    for (double& seconds : taken.seconds) {
        seconds /= static_cast<double>(together);
    }
    const bool counted = count.read<std::uint64_t>().front() == launches;
    const std::string misplaced = session.runtime().misplaced();
    PointResult result(point);
    result.add_samples(std::move(taken))
        .check(counted && misplaced.empty(),
               std::string("every launch counted itself") + (counted ? "" : ": no") + misplaced)
        .quantity("launches", launches);
    // Of several, all but the first wait for others.
    if (together == 1 && *std::min_element(queued.begin(), queued.end()) > 0) {
        result.quantity("start_seconds", std::accumulate(queued.begin(), queued.end(), 0.0) /
                                             static_cast<double>(queued.size()));
    }
    return result;
}

void run_launch(DeviceSession& session) {
    const DeviceHandle program = session.runtime().device().compile(
        kernels::latency, {"LANES=1", "GROUP_ITEMS=1", "STRETCHES=1"});
    session.record_each([&](const Parameters& point) { return measure(session, program, point); });
}

const RegisterDeviceBenchmark registered({"device.launch", {"together"}, &run_launch});

}  // namespace
}  // namespace machmeter
