#include "core/host/kernel_times.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace machmeter {

double busy_seconds(const std::set<int>& cpus) {
    std::ifstream lines("/proc/stat");
    double ticks = 0;
    for (std::string line; std::getline(lines, line);) {
        int cpu = -1;
        double user = 0, nice = 0, system = 0, idle = 0, io = 0, irq = 0, soft = 0;
        const int read = std::sscanf(line.c_str(), "cpu%d %lf %lf %lf %lf %lf %lf %lf", &cpu, &user,
                                     &nice, &system, &idle, &io, &irq, &soft);
        if (read == 8 && cpus.count(cpu) > 0) {
            ticks += user + nice + system + irq + soft;
        }
    }
    return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double kernel_started() {
    std::ifstream lines("/proc/stat");
    for (std::string line; std::getline(lines, line);) {
        double seconds = 0;
        if (std::sscanf(line.c_str(), "btime %lf", &seconds) == 1) {
            return seconds;
        }
    }
    return 0;
}

}  // namespace machmeter
