// OpenSHMEM as the runtime of a program.
#pragma once

#include <shmem.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "core/libraries/transports.hpp"
#include "core/session/benchmark.hpp"
#include "core/session/session.hpp"
#include "shmem/library.hpp"
#include "shmem/team.hpp"

namespace machmeter {

inline constexpr OpenMpiVersion open_mpi_version{
#ifdef OSHMEM_MAJOR_VERSION
    OSHMEM_MAJOR_VERSION, OSHMEM_MINOR_VERSION, OSHMEM_RELEASE_VERSION
#endif
};

class ShmemRuntime {
   public:
    static constexpr const char* program = "machmeter-shmem";
    using Team = ShmemTeam;
    using Session = BasicSession<ShmemRuntime>;

    // symmetric_bytes: what a point needs of the symmetric heap among so many processing elements.
    struct Needs {
        double (*symmetric_bytes)(const Parameters& point, int size) = nullptr;
    };

    void start(const Needs& needs, const Arguments& arguments, int& /*count*/, char**& /*words*/) {
        request_heap(needs, arguments);
        if (dies_at_finalize(open_mpi_version)) {
            setenv("OMPI_MCA_btl", "^openib", 0);
        }
        shmem_init();
        started_ = true;
        team_.emplace();
    }

    [[nodiscard]] const Team& team() const { return *team_; }

    static std::string linked_library() {
        std::array<char, SHMEM_MAX_NAME_LEN + 1> name{};
        int major = 0;
        int minor = 0;
        shmem_info_get_name(name.data());
        shmem_info_get_version(&major, &minor);
        return shmem_library_text(open_mpi_version, name.data(), major, minor);
    }
    [[nodiscard]] std::string transport() const {
        return team().is_root() ? to_json(observed_transports()) : "{}";
    }

    static void start_progress() {}
    static std::string observe_progress() { return ""; }
    static void require(const Benchmark<ShmemRuntime>& /*benchmark*/) {}

    // The team's symmetric memory is freed first, by all processing elements.
    void finish() {
        team_.reset();
        shmem_finalize();
    }

    // One that waits for this one would wait forever.
    void abandon(int code) const {
        if (started_) {
            shmem_global_exit(code);
        }
    }

   private:
    // The number of processing elements according to the launcher, before the library reports it; 0
    // where unknown.
    static int size_by_launcher() {
        for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}) {
            const char* text = std::getenv(name);
            const int size = text != nullptr ? std::atoi(text) : 0;
            if (size > 0) {
                return size;
            }
        }
        return 0;
    }

    // The heap gets its size at start-up, and some libraries round every allocation up to a power
    // of two. A size that the user has set stays.
    static void request_heap(const Needs& needs, const Arguments& arguments) {
        constexpr int many = 64;
        constexpr double least = 256.0 * 1024 * 1024;
        const int size = size_by_launcher() > 0 ? size_by_launcher() : many;
        double bytes = least;
        for (const Parameters& point : arguments.points) {
            bytes = std::max(bytes, 4 * needs.symmetric_bytes(point, size));
        }
        const std::string text = std::to_string(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
        if (std::getenv("SMA_SYMMETRIC_SIZE") != nullptr ||
            std::getenv("SHMEM_SYMMETRIC_HEAP_SIZE") != nullptr) {
            return;
        }
        setenv("SHMEM_SYMMETRIC_SIZE", text.c_str(), 0);
        // The name in Open MPI 4.
        setenv("SHMEM_SYMMETRIC_HEAP_SIZE", std::getenv("SHMEM_SYMMETRIC_SIZE"), 0);
    }

    bool started_ = false;
    std::optional<ShmemTeam> team_;
};

using ShmemSession = ShmemRuntime::Session;
using RegisterShmemBenchmark = RegisterBenchmark<ShmemRuntime>;

inline std::string heap_text(double bytes) {
    return "the symmetric heap lacks " + std::to_string(bytes / 1e6) +
           " MB: set SHMEM_SYMMETRIC_SIZE to more, or request smaller sizes";
}

}  // namespace machmeter
