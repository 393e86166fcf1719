#include "core/record/noise.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <utility>

#include "core/clock/cpu_time.hpp"
#include "core/clock/work.hpp"
#include "core/host/identity.hpp"
#include "core/host/kernel_times.hpp"
#include "core/host/places.hpp"
#include "core/openmp/teams.hpp"
#include "core/values/json.hpp"

namespace machmeter {
namespace {

double stolen_seconds() {
    std::ifstream stat("/proc/stat");
    std::string label;
    double user = 0, nice = 0, system = 0, idle = 0, wait = 0, hard = 0, soft = 0, steal = 0;
    if (stat >> label >> user >> nice >> system >> idle >> wait >> hard >> soft >> steal) {
        return steal / static_cast<double>(sysconf(_SC_CLK_TCK));
    }
    return 0;
}

double load_average() {
    double load = 0;
    std::ifstream("/proc/loadavg") >> load;
    return load;
}

}  // namespace

std::string Noise::to_json() const {
    return json::Object{}
        .add("host", json::quote(host))
        .add("cpus", json::array(cpus, [](int number) { return json::integer(number); }))
        .add("quanta_seconds", json::array(quanta_seconds, &json::numbers))
        .add("steal_seconds", json::number(steal_seconds))
        .add("involuntary_switches", json::integer(involuntary_switches))
        .add("load", json::number(load))
        .add("boot", json::quote(boot))
        .add("kernel_started", kernel_started > 0 ? json::number(kernel_started) : "null")
        .add("own_seconds", json::number(own_seconds))
        .add("busy_seconds", json::number(busy_seconds))
        .str();
}

std::uint64_t fixed_work(std::uint64_t seed) {
    constexpr std::uint64_t steps = 6000;
    return work(seed, steps);
}

Noise observe_noise(const Clock& clock, int quanta) {
    const Teams teams = requested_teams();
    const auto threads = static_cast<std::size_t>(teams.threads());
    Noise noise{host_name(), std::vector<int>(threads, -1),
                std::vector<std::vector<double>>(threads)};
    std::vector<std::vector<int>> allowed(threads);
    on_every_thread(teams, [&](int number) {
        const auto thread = static_cast<std::size_t>(number);
        std::vector<double> seconds(static_cast<std::size_t>(quanta));
        std::uint64_t value = fixed_work(thread);
        for (double& quantum : seconds) {
            const std::uint64_t begin = clock.now();
            value = fixed_work(value);
            quantum = seconds_between(begin, clock.now());
        }
        ThreadPlace place = observe_place(0, 0);
        noise.cpus[thread] = place.cpu;
        allowed[thread] = std::move(place.cpus);
        noise.quanta_seconds[thread] = std::move(seconds);
    });
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    noise.steal_seconds = stolen_seconds();
    noise.involuntary_switches = usage.ru_nivcsw;
    noise.load = load_average();
    noise.boot = kernel_boot();
    noise.kernel_started = kernel_started();
    const CpuTime own = cpu_time();
    noise.own_seconds = own.user_seconds + own.system_seconds;
    std::set<int> cpus;
    for (const std::vector<int>& of_thread : allowed) {
        cpus.insert(of_thread.begin(), of_thread.end());
    }
    noise.busy_seconds = busy_seconds(cpus);
    return noise;
}

}  // namespace machmeter
