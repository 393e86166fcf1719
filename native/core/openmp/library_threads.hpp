// Threads that a library starts for itself: placed on the CPUs of the layout, and watched, since a
// library may have another number of them than it was asked for.
#pragma once

#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/host/places.hpp"

namespace machmeter {

using Cpus = std::vector<int>;

// The CPUs of one thread after another, as the runtime placed them.
inline std::vector<Cpus> cpus_of_team() {
    std::vector<Cpus> cpus(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
    cpus[static_cast<std::size_t>(omp_get_thread_num())] = allowed_cpus();
    return cpus;
}

// By the kernel's numbers, in the order in which they were started.
inline std::vector<int> threads_of_process() {
    std::vector<int> threads;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        threads.push_back(std::stoi(entry.path().filename().string()));
    }
    std::sort(threads.begin(), threads.end());
    return threads;
}

// Of a thread of this process so far, seconds; 0 where it has ended.
inline double cpu_seconds_of(int thread) {
    // How Linux numbers the clock of a thread (include/linux/posix-timers_types.h).
    constexpr unsigned clock_of_thread = 6;
    const auto clock =
        static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) | clock_of_thread);
    timespec time{};
    if (clock_gettime(clock, &time) != 0) {
        return 0;
    }
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Of all threads of this process so far, those that have ended too, seconds.
inline double cpu_seconds_of_all() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Threads that worked: those that are there, by the kernel's numbers, and, about, how many have
// ended meanwhile.
struct Worked {
    std::vector<int> threads;
    std::size_t ended = 0;

    [[nodiscard]] std::size_t count() const { return threads.size() + ended; }
};

// Threads that worked while this watched: those with at least a tenth of the CPU time of the one
// that had most.
class ThreadWatch {
   public:
    ThreadWatch() {
        for (const int thread : threads_of_process()) {
            before_[thread] = cpu_seconds_of(thread);
        }
        // Last here and first in the end: what this itself takes is no thread's that has ended.
        all_before_ = cpu_seconds_of_all();
    }

    [[nodiscard]] Worked worked() const {
        constexpr double least_share = 0.1;
        std::map<int, double> spent;
        double most = 0;
        double of_ended = cpu_seconds_of_all() - all_before_;
        for (const int thread : threads_of_process()) {
            const auto known = before_.find(thread);
            spent[thread] = cpu_seconds_of(thread) - (known == before_.end() ? 0 : known->second);
            most = std::max(most, spent[thread]);
            of_ended -= spent[thread];
        }
        Worked found;
        for (const auto& [thread, seconds] : spent) {
            if (seconds > 0 && seconds >= least_share * most) {
                found.threads.push_back(thread);
            }
        }
        if (of_ended > 0 && of_ended >= least_share * most) {
            // Each took about as long as the busiest of the others.
            constexpr double shortest = 1e-3;
            found.ended = std::max(
                std::size_t{1},
                static_cast<std::size_t>(std::lround(of_ended / std::max(most, shortest))));
        }
        return found;
    }

   private:
    double all_before_ = 0;
    std::map<int, double> before_;
};

// Each thread that worked has the CPUs of one thread of the layout: those that it has already where
// they are such, else the next that no other has. Threads beyond the layout stay as they are.
class PlacedThreads {
   public:
    PlacedThreads() = default;
    PlacedThreads(const std::vector<int>& worked, std::vector<Cpus> free) {
        std::vector<int> elsewhere;
        for (const int thread : worked) {
            const auto own = std::find(free.begin(), free.end(), allowed_cpus(thread));
            if (own == free.end()) {
                elsewhere.push_back(thread);
                continue;
            }
            cpus_of_[thread] = *own;
            free.erase(own);
        }
        for (std::size_t i = 0; i < std::min(elsewhere.size(), free.size()); ++i) {
            bind_thread_to(free[i], elsewhere[i]);
            cpus_of_[elsewhere[i]] = free[i];
        }
    }

    // Whether each of them still is where it was placed.
    [[nodiscard]] bool hold() const {
        return std::all_of(cpus_of_.begin(), cpus_of_.end(),
                           [](const auto& one) { return allowed_cpus(one.first) == one.second; });
    }

   private:
    std::map<int, Cpus> cpus_of_;
};

// While this lives, the calling thread may run on all of these CPUs, and threads that it starts
// too: libraries count them to choose their number of threads.
class OnAll {
   public:
    explicit OnAll(const std::vector<Cpus>& places) : own_(allowed_cpus()) {
        Cpus all;
        for (const Cpus& cpus : places) {
            all.insert(all.end(), cpus.begin(), cpus.end());
        }
        bind_thread_to(all);
    }
    OnAll(const OnAll&) = delete;
    OnAll& operator=(const OnAll&) = delete;
    ~OnAll() {
        try {
            bind_thread_to(own_);
        } catch (const std::exception& error) {
            // The launch is then misplaced, which the closing line of its record shows.
            std::fprintf(stderr, "after loading a library: %s\n", error.what());
        }
    }

   private:
    Cpus own_;
};

}  // namespace machmeter
