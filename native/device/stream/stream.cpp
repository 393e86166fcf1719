// device.stream: rates of whole sweeps over arrays in the memory of a device.
//
// The kernels, their order and the way bytes are counted are BabelStream's (Deakin, Price,
// Martineau and McIntosh-Smith, 2018): copy, mul, add, triad and dot in turn, where dot ends with
// its sum on the host. The time of a kernel is that of the host's clock from before its launch
// until it has finished; that of the device's own clock stands beside it.
#include "device/kernels/stream.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/values/json.hpp"
#include "device/runtime.hpp"
#include "device/stream/arrays.hpp"

namespace machmeter {
namespace {

using device_stream::Arrays;
using device_stream::Shape;
using device_stream::StepName;
using device_stream::steps;

// Seconds of every step: of the mean round of each sample.
using StepTimes = std::array<std::vector<double>, steps.size()>;

// Rounds of all steps, each timed by itself.
class Rounds {
   public:
    Rounds(const Clock& clock, Device& device, Arrays& arrays)
        : clock_(clock), device_(device), arrays_(arrays) {}

    double operator()(std::uint64_t rounds) {
        std::array<double, steps.size()> host{};
        std::array<double, steps.size()> own{};
        double all = 0;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            for (std::size_t i = 0; i < steps.size(); ++i) {
                const double seconds = time_alone(clock_, [&] { arrays_.run(steps[i].step); });
                host[i] += seconds;
                own[i] += device_.elapsed();
                all += seconds;
            }
        }
        for (std::size_t i = 0; i < steps.size(); ++i) {
            by_host[i].push_back(host[i] / static_cast<double>(rounds));
            by_device[i].push_back(own[i] / static_cast<double>(rounds));
        }
        return all;
    }

    // The latest so many.
    void keep(std::size_t samples) {
        for (StepTimes* times : {&by_host, &by_device}) {
            for (std::vector<double>& one : *times) {
                one.erase(one.begin(), one.end() - static_cast<std::ptrdiff_t>(samples));
            }
        }
    }

    StepTimes by_host;
    StepTimes by_device;

   private:
    Clock clock_;
    Device& device_;
    Arrays& arrays_;
};

// A kernel takes some time, and is over before the host knows it. The clocks of host and device are
// not the same, and one of them may be adjusted while both run: by 500 ppm at most (adjtimex(2)).
bool agree(const Rounds& rounds) {
    constexpr double adjusted = 1 + 1e-3;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        for (std::size_t k = 0; k < rounds.by_host[i].size(); ++k) {
            const double own = rounds.by_device[i][k];
            if (!(own > 0 && own <= adjusted * rounds.by_host[i][k])) {
                return false;
            }
        }
    }
    return true;
}

PointResult measure(DeviceSession& session, const Shape& shape, DeviceHandle program,
                    const Parameters& point) {
    Device& device = session.runtime().device();
    const std::uint64_t size = point.count_within("size", sizeof(double), std::uint64_t{1} << 46U);
    Arrays arrays(device, shape, program, size, session.page_bytes());
    Rounds rounds(session.clock(), device, arrays);
    const Samples taken = session.sample(rounds);
    rounds.keep(taken.seconds.size());
    const double error = arrays.error();
    const bool timed = agree(rounds);
    const std::string misplaced = session.runtime().misplaced();
    std::vector<NamedSeries> series;
    PointResult result(point);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::string name = steps[i].name;
        series.emplace_back(name, std::move(rounds.by_host[i]));
        series.emplace_back(name + "_event", std::move(rounds.by_device[i]));
        result.quantity(name + "_bytes",
                        static_cast<std::size_t>(steps[i].arrays) * arrays.bytes());
    }
    result.add_samples(std::move(series), taken.batch);
    result.check(error <= 1 && timed && misplaced.empty(),
                 std::string(timed ? ""
                                   : "the device's times of kernels are 0 or longer than the "
                                     "host's; ") +
                     "all elements and all sums after " + std::to_string(arrays.rounds()) +
                     " rounds: largest error " +
                     (error < 1e300 ? json::number(error) : "unbounded") +
                     " of what rounding allows" + misplaced);
    result.quantity("bytes", arrays.bytes())
        .quantity("device_threads", session.runtime().threads());
    result.attribute("kernels",
                     std::to_string(shape.lanes) + " doubles at once, " +
                         std::to_string(shape.groups) + " groups of " +
                         std::to_string(shape.group_items) +
                         (shape.stretches ? ", each item a stretch" : ", items in turn"));
    result.page_bytes = arrays.page_bytes();
    return result;
}

void run_stream(DeviceSession& session) {
    Device& device = session.runtime().device();
    const Shape shape = device_stream::shape_for(device.description());
    DeviceHandle program = 0;
    const double compiling = time_alone(
        session.clock(), [&] { program = device_stream::compile(device, shape, kernels::stream); });
    session.record_each([&](const Parameters& point) {
        return measure(session, shape, program, point).quantity("compile_seconds", compiling);
    });
}

const RegisterDeviceBenchmark registered({"device.stream", {"size"}, &run_stream});

}  // namespace
}  // namespace machmeter
