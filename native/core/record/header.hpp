// Header and closing line of a record, from what every rank observed of itself.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/places.hpp"
#include "core/libraries/allocator.hpp"
#include "core/libraries/openmp_runtime.hpp"
#include "core/openmp/teams.hpp"
#include "core/record/noise.hpp"
#include "core/record/toolchain.hpp"
#include "core/session/session.hpp"
#include "core/values/json.hpp"

namespace machmeter {

inline constexpr int record_format = 1;

// Quanta of one thread: 200, fewer where the threads of all ranks together would fill the record.
inline int quanta_for(int all_threads) {
    constexpr int most_of_one = 200;
    constexpr int least_of_one = 12;
    constexpr int most_of_all = 12'800;
    return std::clamp(most_of_all / std::max(all_threads, 1), least_of_one, most_of_one);
}

// JSON texts, one a rank or already joined: where its threads are, its noise, and where its
// progress thread is, if it has one.
struct Observed {
    std::string places;
    std::string noise;
    std::string progress = {};
};

// Threads that a team lacks are left out, so that they are missed.
inline std::string places_of_threads(int rank) {
    const Teams teams = asked_teams();
    std::vector<std::optional<ThreadPlace>> places(static_cast<std::size_t>(teams.threads()));
    on_every_thread(teams, [&](int thread) {
        places[static_cast<std::size_t>(thread)] = observe_place(rank, thread);
    });
    std::string joined;
    for (const std::optional<ThreadPlace>& place : places) {
        if (place) {
            joined += joined.empty() ? "" : ",";
            joined += place->to_json();
        }
    }
    return joined;
}

inline Observed observe(const Clock& clock, int rank, int world_size) {
    const int quanta = quanta_for(world_size * asked_teams().threads());
    return {places_of_threads(rank), observe_noise(clock, quanta).to_json(), {}};
}

// Settings of runtimes and libraries that change results.
inline std::string environment_json() {
    constexpr std::string_view wanted[] = {
        "OMP_",    "GOMP_",          "KMP_",      "MPIR_",     "MPICH_",
        "OMPI_",   "PMIX_MCA",       "UCX_",      "FI_",       "LD_PRELOAD",
        "MALLOC_", "GLIBC_TUNABLES", "TCMALLOC_", "MIMALLOC_", "MACHMETER_CLOCKS"};
    json::Object object;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view pair = *entry;
        for (const std::string_view prefix : wanted) {
            const std::size_t equals = pair.find('=');
            if (pair.substr(0, prefix.size()) == prefix && equals != std::string_view::npos) {
                object.add(pair.substr(0, equals), json::quote(pair.substr(equals + 1)));
                break;
            }
        }
    }
    return object.str();
}

// What the loader put behind OpenMP and malloc, as file names.
inline std::string libraries_json() {
    return json::Object{}
        .add("openmp", json::quote(openmp_runtime()))
        .add("allocator", json::quote(allocator_library()))
        .str();
}

inline std::string openmp_version() { return std::to_string(_OPENMP); }

inline std::string header_line(const Session& session, const Observed& observed, int world_size,
                               const std::string& started, const std::string& mpi_library,
                               const std::string& transport = "{}") {
    return json::Object{}
        .add("kind", R"("header")")
        .add("format", json::integer(record_format))
        .add("benchmark", json::quote(session.arguments().benchmark))
        .add("launch", json::integer(session.arguments().launch))
        .add("seed", json::integer(session.seed()))
        .add("world_size", json::integer(world_size))
        .add("started", json::quote(started))
        .add("places", "[" + observed.places + "]")
        .add("toolchain", json::Object{}
                              .add("compiler", json::quote(toolchain::compiler))
                              .add("flags", json::quote(toolchain::flags))
                              .add("source_hash", json::quote(toolchain::source_hash))
                              .add("openmp", json::quote(openmp_version()))
                              .add("mpi_library", json::quote(mpi_library))
                              .str())
        .add("clock",
             json::Object{}
                 .add("source", json::quote("CLOCK_MONOTONIC"))
                 .add("overhead_seconds", json::number(session.clock_facts().overhead_seconds))
                 .add("tick_seconds", json::number(session.clock_facts().tick_seconds))
                 .str())
        .add("noise", "[" + observed.noise + "]")
        .add("environment", environment_json())
        .add("libraries", libraries_json())
        .add("progress", "[" + observed.progress + "]")
        .add("transport", transport)
        .str();
}

inline std::string closing_line(const Session& session, const Observed& observed) {
    return json::Object{}
        .add("kind", R"("closing")")
        .add("ended", json::quote(utc_now()))
        .add("points", json::integer(session.recorded()))
        .add("noise", "[" + observed.noise + "]")
        .add("timed_seconds", json::number(session.timed_seconds()))
        .add("places", "[" + observed.places + "]")
        .str();
}

}  // namespace machmeter
