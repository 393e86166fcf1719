// Header and closing line of a record, from what every rank observed of itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/clock/cpu_time.hpp"
#include "core/host/places.hpp"

namespace machmeter {

// JSON texts, of one rank or of all: where its threads are, its noise, and where its progress
// thread is, if it has one; packed: the places and the quanta of many ranks, in their stead.
struct Observed {
    std::string places;
    std::string noise;
    std::string progress = {};
    std::string packed = {};
};

Observed observe(const Clock& clock, int rank, int world_size);

// Of each thread; none of those that a team lacks.
std::vector<std::optional<ThreadPlace>> observe_places(int rank);

// Threads that a team lacks are left out, so that the launcher misses them.
std::string places_of_threads(int rank);

// Quanta of one thread: 200, fewer where the threads of all ranks would fill the record.
int quanta_for(int all_threads);

// Settings of runtimes and libraries that change results.
std::string environment_json();

// mpi_library, transport: of the communication library, if any; transport as JSON, and so is
// device, empty where the program uses none; hosts: JSON texts of all hosts.
struct LaunchHeader {
    std::string benchmark;
    std::uint64_t launch = 0;
    std::uint64_t seed = 0;
    int world_size = 1;
    std::string started;
    ClockFacts clock;
    Observed observed;
    std::string mpi_library;
    std::string transport = "{}";
    std::string device = {};
    std::string hosts = {};
};

std::string header_line(const LaunchHeader& header);

// What a launch spent, all ranks together. What was not watched is left out of the record.
struct Spent {
    CpuTime cpu;         // while points were sampled
    double yields = -1;  // calls of sched_yield for each small message; negative: no messages
    double compile_seconds = -1;  // of kernels of a device; negative: no device
};

std::string closing_line(std::size_t points, double timed_seconds, const Spent& spent,
                         const Observed& observed);

}  // namespace machmeter
