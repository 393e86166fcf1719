#include "core/record/hosts.hpp"

#include <sys/utsname.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "core/host/identity.hpp"
#include "core/host/kernel_times.hpp"
#include "core/host/places.hpp"
#include "core/values/json.hpp"

namespace machmeter {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_devices = 64;

// The beginning of a file; empty where it cannot be read.
std::string start_of(const fs::path& path) {
    constexpr std::size_t most = 16384;
    std::string text(most, '\0');
    std::ifstream file(path);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

std::string line_of(const fs::path& path) {
    std::string line = start_of(path);
    return line.substr(0, line.find('\n'));
}

// What stands behind `name` and a colon in the first line that begins so; empty without one.
std::string value_of(const std::string& text, std::string_view name) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(':');
        const std::size_t end = line.find_last_not_of(" \t", colon - 1);
        if (colon != std::string::npos && line.substr(0, end + 1) == name) {
            const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
            return begin == std::string::npos ? "" : line.substr(begin);
        }
    }
    return {};
}

double number_in(const std::string& text) {
    double value = std::numeric_limits<double>::quiet_NaN();
    return std::istringstream(text) >> value ? value : std::numeric_limits<double>::quiet_NaN();
}

std::string known(const std::string& text) { return text.empty() ? "null" : json::quote(text); }

std::string whole(double value) {
    return value >= 0 ? json::integer(static_cast<std::uint64_t>(value)) : "null";
}

// The word in brackets: `always [madvise] never`.
std::string chosen(const std::string& line) {
    const std::size_t begin = line.find('[');
    const std::size_t end = line.find(']');
    return begin < end && end != std::string::npos ? line.substr(begin + 1, end - begin - 1) : "";
}

// `0-3,8`, as Linux writes it.
std::string list_of(const std::vector<int>& cpus) {
    std::string text;
    for (std::size_t begin = 0, end = 0; begin < cpus.size(); begin = end) {
        for (end = begin + 1; end < cpus.size() && cpus[end] == cpus[end - 1] + 1;) {
            ++end;
        }
        text += (text.empty() ? "" : ",") + std::to_string(cpus[begin]);
        text += end - begin > 1 ? "-" + std::to_string(cpus[end - 1]) : "";
    }
    return text;
}

// The CPUs that any thread may be bound to. Only a thread of its own can ask, as the kernel cuts
// what it asks for to that.
std::string cpus_of_all_threads() {
    constexpr int most = 8192;
    std::vector<int> cpus;
    std::thread([&cpus] {
        std::vector<int> every(most);
        std::iota(every.begin(), every.end(), 0);
        try {
            bind_thread_to(every);
        } catch (const std::runtime_error&) {
            return;
        }
        cpus = allowed_cpus();
    }).join();
    return list_of(cpus);
}

std::vector<fs::path> sorted(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code none;
    for (fs::directory_iterator entry(folder, none), end; !none && entry != end;
         entry.increment(none)) {
        found.push_back(entry->path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string device_json(const std::string& name, double bits_per_second) {
    return json::Object{}
        .add("name", json::quote(name))
        .add("bits_per_second", json::number(bits_per_second))
        .str();
}

// Those that are up: network interfaces, and ports of InfiniBand and RoCE.
std::vector<std::string> devices_of(const fs::path& classes) {
    constexpr double mega = 1e6;
    constexpr double giga = 1e9;
    std::vector<std::string> devices;
    for (const fs::path& one : sorted(classes / "net")) {
        if (line_of(one / "operstate") == "up") {
            const double speed = number_in(line_of(one / "speed"));
            const double rate = speed > 0 ? speed * mega : std::nan("");
            devices.push_back(device_json(one.filename().string(), rate));
        }
    }
    for (const fs::path& one : sorted(classes / "infiniband")) {
        for (const fs::path& port : sorted(one / "ports")) {
            if (line_of(port / "state").find("ACTIVE") != std::string::npos) {
                devices.push_back(
                    device_json(one.filename().string() + ":" + port.filename().string(),
                                number_in(line_of(port / "rate")) * giga));
            }
        }
    }
    devices.resize(std::min(devices.size(), most_devices));
    return devices;
}

}  // namespace

std::uint64_t host_key() {
    return name_key(host_name() + " " + kernel_boot() + " " + std::to_string(kernel_started()));
}

std::string describe_host(const std::string& root) {
    const fs::path proc = root + "/proc";
    const fs::path sys = root + "/sys";
    const fs::path cpus = sys / "devices/system/cpu";
    const std::string processor = start_of(proc / "cpuinfo");
    const std::string memory = start_of(proc / "meminfo");
    const double started = kernel_started();
    utsname kernel{};
    uname(&kernel);
    return json::Object{}
        .add("name", json::quote(host_name()))
        .add("boot", json::quote(kernel_boot()))
        .add("kernel_started", started > 0 ? json::number(started) : "null")
        .add("kernel", known(kernel.release))
        .add("cpu_model", known(value_of(processor, "model name")))
        .add("microcode", known(value_of(processor, "microcode")))
        .add("allowed_cpus", known(cpus_of_all_threads()))
        .add("online_cpus", known(line_of(cpus / "online")))
        .add("memory_bytes", whole(1024 * number_in(value_of(memory, "MemTotal"))))
        .add("governor", known(line_of(cpus / "cpu0/cpufreq/scaling_governor")))
        .add("transparent_huge_pages",
             known(chosen(line_of(sys / "kernel/mm/transparent_hugepage/enabled"))))
        .add("free_huge_pages", whole(number_in(value_of(memory, "HugePages_Free"))))
        .add("network", json::array(devices_of(sys / "class"),
                                    [](const std::string& device) { return device; }))
        .str();
}

}  // namespace machmeter
