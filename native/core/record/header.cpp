#include "core/record/header.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "core/libraries/loaded.hpp"
#include "core/openmp/teams.hpp"
#include "core/record/noise.hpp"
#include "core/record/record_file.hpp"
#include "core/record/toolchain.hpp"
#include "core/values/json.hpp"

namespace machmeter {
namespace {

std::string toolchain_json(const LaunchHeader& header) {
    return json::Object{}
        .add("compiler", json::quote(toolchain::compiler))
        .add("flags", json::quote(toolchain::flags))
        .add("source_hash", json::quote(toolchain::source_hash))
        .add("kernel_hash", json::quote(toolchain::kernel_hash(header.benchmark)))
        .add("openmp", json::quote(std::to_string(_OPENMP)))
        .add("mpi_library", json::quote(header.mpi_library))
        .str();
}

std::string clock_json(const ClockFacts& clock) {
    return json::Object{}
        .add("source", json::quote("CLOCK_MONOTONIC"))
        .add("overhead_seconds", json::number(clock.overhead_seconds))
        .add("tick_seconds", json::number(clock.tick_seconds))
        .str();
}

// File names of the libraries that the loader chose.
std::string libraries_json() {
    return json::Object{}
        .add("openmp", json::quote(openmp_runtime()))
        .add("allocator", json::quote(allocator_library()))
        .str();
}

}  // namespace

Observed observe(const Clock& clock, int rank, int world_size) {
    const int quanta = quanta_for(world_size * requested_teams().threads());
    return {places_of_threads(rank), observe_noise(clock, quanta).to_json(), {}};
}

std::vector<std::optional<ThreadPlace>> observe_places(int rank) {
    const Teams teams = requested_teams();
    std::vector<std::optional<ThreadPlace>> places(static_cast<std::size_t>(teams.threads()));
    on_every_thread(teams, [&](int thread) {
        places[static_cast<std::size_t>(thread)] = observe_place(rank, thread);
    });
    return places;
}

std::string places_of_threads(int rank) {
    std::string joined;
    for (const std::optional<ThreadPlace>& place : observe_places(rank)) {
        if (place) {
            joined += joined.empty() ? "" : ",";
            joined += place->to_json();
        }
    }
    return joined;
}

int quanta_for(int all_threads) {
    constexpr int most_of_one = 200;
    constexpr int least_of_one = 12;
    constexpr int most_of_all = 12'800;
    return std::clamp(most_of_all / std::max(all_threads, 1), least_of_one, most_of_one);
}

std::string environment_json() {
    constexpr std::string_view wanted[] = {"OMP_",       "GOMP_",     "KMP_",
                                           "MPIR_",      "MPICH_",    "OMPI_",
                                           "PMIX_MCA",   "UCX_",      "FI_",
                                           "LD_PRELOAD", "MALLOC_",   "GLIBC_TUNABLES",
                                           "TCMALLOC_",  "MIMALLOC_", "MACHMETER_CLOCKS",
                                           "POCL_",      "OCL_ICD_",  "MACHMETER_DEVICE"};
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

std::string header_line(const LaunchHeader& header) {
    json::Object line;
    line.add("kind", R"("header")")
        .add("format", json::integer(record_format))
        .add("benchmark", json::quote(header.benchmark))
        .add("launch", json::integer(header.launch))
        .add("seed", json::integer(header.seed))
        .add("world_size", json::integer(header.world_size))
        .add("started", json::quote(header.started))
        .add("places", "[" + header.observed.places + "]")
        .add("toolchain", toolchain_json(header))
        .add("clock", clock_json(header.clock))
        .add("noise", "[" + header.observed.noise + "]")
        .add("environment", environment_json())
        .add("libraries", libraries_json())
        .add("progress", "[" + header.observed.progress + "]")
        .add("transport", header.transport)
        .add("hosts", "[" + header.hosts + "]");
    if (!header.device.empty()) {
        line.add("device", header.device);
    }
    if (!header.observed.packed.empty()) {
        line.add("packed", header.observed.packed);
    }
    return line.add("origin", json::quote("measured")).str();
}

std::string closing_line(std::size_t points, double timed_seconds, const Spent& spent,
                         const Observed& observed) {
    json::Object line;
    line.add("kind", R"("closing")")
        .add("ended", json::quote(utc_now()))
        .add("points", json::integer(points))
        .add("noise", "[" + observed.noise + "]")
        .add("timed_seconds", json::number(timed_seconds));
    if (spent.cpu.user_seconds + spent.cpu.system_seconds > 0) {
        line.add("user_seconds", json::number(spent.cpu.user_seconds))
            .add("system_seconds", json::number(spent.cpu.system_seconds));
    }
    if (spent.yields >= 0) {
        line.add("yields_per_message", json::number(spent.yields));
    }
    if (spent.compile_seconds >= 0) {
        line.add("compile_seconds", json::number(spent.compile_seconds));
    }
    if (!observed.packed.empty()) {
        line.add("packed", observed.packed);
    }
    return line.add("places", "[" + observed.places + "]").str();
}

}  // namespace machmeter
