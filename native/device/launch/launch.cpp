// device.launch: time from the launch of a kernel that does next to nothing until the host knows
// that it has finished; or of one of several that are launched before the host waits.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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
    Samples taken = session.sample(session.event([&](std::uint64_t rounds) {
        for (std::uint64_t round = 0; round < rounds; ++round) {
            for (std::uint64_t i = 0; i < together; ++i) {
                device.launch(kernel, {}, {argument(count.handle())});
            }
            device.finish();
        }
        launches += rounds * together;
        // Forgets the events of these launches.
        device.elapsed();
    }));
    for (double& seconds : taken.seconds) {
        seconds /= static_cast<double>(together);
    }
    const bool counted = count.read<std::uint64_t>().front() == launches;
    const bool placed = session.runtime().threads_in_place();
    PointResult result(point);
    result.add_samples(std::move(taken))
        .check(counted && placed,
               std::string("every launch counted itself") + (counted ? "" : ": no") +
                   (placed ? "" : "; a thread of the device is not where it was bound"))
        .quantity("launches", launches);
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
