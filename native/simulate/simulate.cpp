// machmeter-simulate: benchmarks of machines that are not here, by a model of each.
#include <sysexits.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "core/record/record_file.hpp"
#include "core/record/toolchain.hpp"
#include "core/session/arguments.hpp"
#include "core/values/json.hpp"
#include "simulate/collectives.hpp"
#include "simulate/machine/machine.hpp"
#include "simulate/machine/request.hpp"
#include "simulate/pairs.hpp"
#include "simulate/single.hpp"

namespace machmeter::simulate {
namespace {

struct Simulation {
    std::string_view name;
    ParameterNames parameters;
    PointResult (*point)(const Machine&, const Request&, const Parameters&);
};

template <PointResult (*Of)(const Machine&, const Parameters&)>
PointResult of_machine(const Machine& machine, const Request& /*request*/,
                       const Parameters& point) {
    return Of(machine, point);
}

const std::vector<Simulation>& simulations() {
    static const std::vector<Simulation> all{
        {"network.latency",
         {"size", "pattern", "way", "data", "buffers"},
         &of_machine<&simulate_latency>},
        {"network.bandwidth",
         {"size", "direction", "window", "buffers"},
         &of_machine<&simulate_bandwidth>},
        {"network.pairs", {"size", "definition"}, &of_machine<&simulate_pairs>},
        {"network.consistency", {"pair", "size"}, &of_machine<&simulate_consistency>},
        {"network.collective",
         {"operation", "size", "form", "start", "datatype"},
         &simulate_collective},
        {"network.barrier", {"form", "start"}, &simulate_barrier},
        {"network.overlap", {"size", "side", "work_percent"}, &simulate_overlap},
        {"network.availability", {"size", "side"}, &simulate_availability},
        {"network.onesided",
         {"operation", "size", "synchronization", "window", "outstanding", "target"},
         &simulate_onesided},
        {"network.atomics",
         {"operation", "synchronization", "window", "outstanding", "target"},
         &simulate_atomics},
    };
    return all;
}

const Simulation& find_simulation(const std::string& name) {
    std::string names;
    for (const Simulation& one : simulations()) {
        if (one.name == name) {
            return one;
        }
        names.append(names.empty() ? "" : ", ").append(one.name);
    }
    throw UsageError("'" + name + "' is not simulated; there is " + names);
}

std::string header_line(const Request& request, const Machine& machine) {
    const std::string library = "simulated " + request.mpi;
    return json::Object{}
        .add("kind", json::quote("header"))
        .add("format", json::integer(record_format))
        .add("benchmark", json::quote(request.launch.benchmark))
        .add("launch", json::integer(request.launch.launch))
        .add("seed", json::integer(request.launch.seed))
        .add("world_size", json::integer(machine.ranks()))
        .add("started", json::quote(utc_now()))
        .add("places", "[]")
        .add("toolchain", json::Object{}
                              .add("compiler", json::quote(toolchain::compiler))
                              .add("flags", json::quote(toolchain::flags))
                              .add("source_hash", json::quote(toolchain::source_hash))
                              .add("kernel_hash", json::quote(toolchain::kernel_hash("simulation")))
                              .add("openmp", json::quote(""))
                              .add("mpi_library", json::quote(library))
                              .str())
        .add("clock", "null")
        .add("noise", "[]")
        .add("environment", "{}")
        .add("libraries",
             json::Object{}.add("openmp", json::quote("")).add("allocator", json::quote("")).str())
        .add("progress", "[]")
        .add("transport", "{}")
        .add("origin", json::quote("simulated"))
        .str();
}

std::string last_line(std::size_t points) {
    return json::Object{}
        .add("kind", json::quote("closing"))
        .add("ended", json::quote(utc_now()))
        .add("points", json::integer(points))
        .add("noise", "[]")
        .add("timed_seconds", json::number(0))
        .add("places", "[]")
        .str();
}

// All points before the record: a refused one leaves none.
void run(int count, const char* const* words) {
    const Request request = parse_request(count, words);
    const Simulation& simulation = find_simulation(request.launch.benchmark);
    require_known(request.launch, simulation.parameters);
    const Machine machine(request);
    if (machine.ranks() < 2) {
        throw UsageError("benchmarks of the network take 2 ranks or more: request more");
    }
    std::vector<PointResult> results;
    for (const Parameters& point : request.launch.points) {
        results.push_back(simulation.point(machine, request, point));
    }
    RecordFile file(request.launch.record);
    file.write_line(header_line(request, machine));
    for (const PointResult& result : results) {
        file.write_line(result.to_json());
    }
    file.write_line(last_line(results.size()));
    file.commit();
}

int exit_code(const std::exception& error) {
    if (dynamic_cast<const UsageError*>(&error) != nullptr) {
        return 2;
    }
    return dynamic_cast<const StorageError*>(&error) != nullptr ? EX_IOERR : 1;
}

}  // namespace
}  // namespace machmeter::simulate

int main(int count, char** words) {
    try {
        machmeter::simulate::run(count, words);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "machmeter-simulate: %s\n", error.what());
        return machmeter::simulate::exit_code(error);
    }
}
