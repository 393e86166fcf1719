// A benchmark of several processing elements: its name, its parameters, how many it takes, its
// body.
#pragma once

#include <shmem.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/session/session.hpp"
#include "shmem/library.hpp"
#include "shmem/team.hpp"

namespace machmeter {

inline constexpr OpenMpiVersion open_mpi_version{
#ifdef OSHMEM_MAJOR_VERSION
    OSHMEM_MAJOR_VERSION, OSHMEM_MINOR_VERSION, OSHMEM_RELEASE_VERSION
#endif
};

class ShmemSession {
   public:
    ShmemSession(Session& own, const ShmemTeam& team) : own_(own), team_(team) {}

    [[nodiscard]] Session& own() { return own_; }
    [[nodiscard]] const ShmemTeam& team() const { return team_; }

    // Tells the record, and whoever ends this launch, what is about to be measured.
    void begin(const Parameters& point) { own_.begin(point); }

    // Warm up, calibrate and sample one event that all of them take part in.
    template <class Event>
    Samples sample(double largest_clock_share, Event&& event) {
        Samples taken = sample_together(team_, own_.clock(), own_.clock_facts(), own_.limits(),
                                        largest_clock_share, event);
        own_.add_timed(taken.timed_seconds);
        return taken;
    }

   private:
    Session& own_;
    const ShmemTeam& team_;
};

// most 0 means any number; symmetric_bytes: what a point needs of the symmetric heap among so many
// processing elements.
struct ShmemBenchmark {
    std::string_view name;
    ParameterNames parameters;
    int least;
    int most;
    void (*run)(ShmemSession&);
    double (*symmetric_bytes)(const Parameters& point, int size);

    [[nodiscard]] bool allows(int size) const {
        return size >= least && (most == 0 || size <= most);
    }
};

inline std::vector<ShmemBenchmark>& shmem_benchmarks() {
    static std::vector<ShmemBenchmark> all;
    return all;
}

// A global of this type in the benchmark's own file puts it on the list.
struct RegisterShmemBenchmark {
    explicit RegisterShmemBenchmark(const ShmemBenchmark& benchmark) {
        shmem_benchmarks().push_back(benchmark);
    }
};

inline std::string no_room_words(double bytes) {
    return "the symmetric heap has no room for " + std::to_string(bytes / 1e6) +
           " MB: set SHMEM_SYMMETRIC_SIZE to more, or ask for smaller sizes";
}

}  // namespace machmeter
