// The command line of a simulated launch: that of every program, and what there is to simulate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/arguments.hpp"
#include "simulate/machine/values.hpp"

namespace machmeter::simulate {

struct Request {
    Arguments launch;
    std::uint64_t nodes = 0;
    std::uint64_t ranks_per_node = 0;
    int package = -1;
    std::string binding = "close";
    std::string progress = "library";
    std::string pair = "job";
    std::string topology;
    std::vector<std::uint64_t> shape;
    std::uint64_t machine_nodes = 0;
    std::uint64_t packages = 0;
    std::uint64_t cores_per_package = 0;
    std::string mpi;
    bool host_progress = false;
    bool nic_progress = false;
    Values values;
};

inline std::vector<std::uint64_t> parse_shape(std::string_view text) {
    std::vector<std::uint64_t> shape;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        shape.push_back(parse_count(text.substr(0, comma), "--shape"));
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    return shape;
}

inline std::string one_of(std::string_view option, const std::string& word,
                          std::initializer_list<std::string_view> known) {
    for (const std::string_view one : known) {
        if (one == word) {
            return word;
        }
    }
    refuse_choice(option, word, known);
}

// From 1 on, so that products of two stay far from overflow.
inline std::uint64_t bounded(std::string_view option, const std::string& value) {
    constexpr std::uint64_t most = std::uint64_t{1} << 24U;
    const std::uint64_t count = parse_count(value, option);
    if (count == 0 || count > most) {
        throw UsageError(std::string(option) + ": " + value + " is not within 1 and " +
                         std::to_string(most));
    }
    return count;
}

// -1: all packages.
inline int parse_package(const std::string& value) {
    constexpr std::uint64_t most = 1024;
    const std::uint64_t package = value == "-1" ? 0 : parse_count(value, "--package");
    if (package > most) {
        throw UsageError("--package: " + value + " is not within -1 and " + std::to_string(most));
    }
    return value == "-1" ? -1 : static_cast<int>(package);
}

// Whether the option is one of these; its value is then taken.
inline bool set_own(Request& request, std::string_view option, const std::string& value) {
    if (option == "--nodes") {
        request.nodes = bounded(option, value);
    } else if (option == "--ranks-per-node") {
        request.ranks_per_node = bounded(option, value);
    } else if (option == "--package") {
        request.package = parse_package(value);
    } else if (option == "--binding") {
        request.binding = one_of(option, value, {"close", "spread"});
    } else if (option == "--progress") {
        request.progress = one_of(option, value, {"library", "thread", "reserved"});
    } else if (option == "--pair") {
        request.pair = one_of(option, value, {"job", "near", "far"});
    } else if (option == "--topology") {
        request.topology = one_of(option, value, {"direct", "torus", "dragonfly", "fat-tree"});
    } else if (option == "--shape") {
        request.shape = parse_shape(value);
    } else if (option == "--machine-nodes") {
        request.machine_nodes = bounded(option, value);
    } else if (option == "--node-packages") {
        request.packages = bounded(option, value);
    } else if (option == "--node-cores-per-package") {
        request.cores_per_package = bounded(option, value);
    } else if (option == "--mpi") {
        request.mpi = one_of(option, value, {"mpich", "openmpi"});
    } else if (option == "--set") {
        request.values.set(value);
    } else {
        return false;
    }
    return true;
}

inline void require_complete(const Request& request) {
    const auto require = [](bool given, const char* option) {
        if (!given) {
            throw UsageError(std::string(option) + " is needed");
        }
    };
    require(request.nodes > 0, "--nodes");
    require(request.ranks_per_node > 0, "--ranks-per-node");
    require(!request.topology.empty(), "--topology");
    require(request.machine_nodes > 0, "--machine-nodes");
    require(request.packages > 0, "--node-packages");
    require(request.cores_per_package > 0, "--node-cores-per-package");
    require(!request.mpi.empty(), "--mpi");
    require(request.host_progress != request.nic_progress,
            "exactly one of --host-progress and --nic-progress");
}

// Throws UsageError.
inline Request parse_request(int count, const char* const* words) {
    Request request;
    std::vector<const char*> others(words, words + std::min(count, 2));
    for (int i = 2; i < count; ++i) {
        const std::string_view option = words[i];
        if (option == "--host-progress" || option == "--nic-progress") {
            (option == "--host-progress" ? request.host_progress : request.nic_progress) = true;
        } else if (i + 1 == count) {
            throw UsageError(std::string(option) + " lacks its value");
        } else if (set_own(request, option, words[i + 1])) {
            ++i;
        } else {
            others.push_back(words[i]);
            others.push_back(words[++i]);
        }
    }
    request.launch = parse_arguments(static_cast<int>(others.size()), others.data());
    require_complete(request);
    return request;
}

}  // namespace machmeter::simulate
