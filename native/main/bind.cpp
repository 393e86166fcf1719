// machmeter-bind: binds this rank to its CPUs, sets its environment and becomes the program.
//
//   machmeter-bind [--local-rank-from VARIABLE] [--rank-from VARIABLE] [--observe FILE]
//                  --rank CPUS [NAME=VALUE ...] [--rank CPUS [NAME=VALUE ...] ...]
//                  [--nodes NUMBERS --rank ...]
//                  -- PROGRAM [ARGUMENT ...]
//   machmeter-bind --say-cpus [--rank-from VARIABLE]
//
// CPUS is a list such as 0,1,6 or `none`; the blocks are in the order of the local ranks. Nodes
// that follow --nodes, by number from 0, have the blocks behind it; they are told by --rank-from,
// the rank among those of all nodes, in blocks of as many as a node has. With --observe it becomes
// the parent of the program and writes FILE.<rank>: that of --rank-from, else the local one. With
// --say-cpus it prints that rank and the CPUs that it was given, as JSON on one line.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/host/cpu_sets.hpp"
#include "core/host/places.hpp"
#include "main/observe/parent.hpp"

namespace {

struct RankBlock {
    std::string cpus;
    std::vector<char*> settings;
};

struct NodeBlocks {
    std::vector<int> nodes;
    std::vector<RankBlock> ranks;
};

struct Request {
    std::string local_rank_variable;
    std::string rank_variable;
    std::string observed;
    // The first are of all nodes that no others name.
    std::vector<NodeBlocks> blocks{{}};
    bool says_cpus = false;
    char** program = nullptr;
};

Request parse(int count, char** words) {
    Request request;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--") {
            request.program = words + i + 1;
            break;
        }
        if (word == "--local-rank-from" && i + 1 < count) {
            request.local_rank_variable = words[++i];
        } else if (word == "--rank-from" && i + 1 < count) {
            request.rank_variable = words[++i];
        } else if (word == "--observe" && i + 1 < count) {
            request.observed = words[++i];
        } else if (word == "--say-cpus") {
            request.says_cpus = true;
        } else if (word == "--nodes" && i + 1 < count) {
            request.blocks.push_back({machmeter::parse_cpus(words[++i], "--nodes"), {}});
        } else if (word == "--rank" && i + 1 < count) {
            request.blocks.back().ranks.push_back({words[++i], {}});
        } else if (!request.blocks.back().ranks.empty() && word.find('=') != std::string::npos) {
            request.blocks.back().ranks.back().settings.push_back(words[i]);
        } else {
            throw std::runtime_error("unexpected word '" + word + "'");
        }
    }
    const auto none = [](const NodeBlocks& one) { return one.ranks.empty(); };
    if (!request.says_cpus && (request.program == nullptr || *request.program == nullptr ||
                               std::any_of(request.blocks.begin(), request.blocks.end(), none))) {
        throw std::runtime_error("usage: --rank CPUS [NAME=VALUE ...] ... -- PROGRAM");
    }
    return request;
}

// What the ranks of the node with that rank of all nodes have.
const std::vector<RankBlock>& blocks_of_node(const Request& request, std::size_t rank) {
    const std::vector<RankBlock>& usual = request.blocks.front().ranks;
    const int node = static_cast<int>(rank / usual.size());
    for (const NodeBlocks& one : request.blocks) {
        if (std::find(one.nodes.begin(), one.nodes.end(), node) != one.nodes.end()) {
            return one.ranks;
        }
    }
    return usual;
}

int say_cpus(std::size_t rank) {
    std::string cpus;
    for (const int cpu : machmeter::allowed_cpus()) {
        cpus += (cpus.empty() ? "" : ",") + std::to_string(cpu);
    }
    // Whole: lines of other ranks come between two calls.
    const std::string line = "{\"rank\":" + std::to_string(rank) + ",\"cpus\":[" + cpus + "]}\n";
    return std::fwrite(line.data(), 1, line.size(), stdout) == line.size() ? 0 : 1;
}

// The rank that a variable has; `otherwise` where none is named.
std::size_t rank_in(const std::string& variable, std::size_t otherwise) {
    if (variable.empty()) {
        return otherwise;
    }
    const char* text = std::getenv(variable.c_str());
    if (text == nullptr) {
        throw std::runtime_error("the launcher set no " + variable +
                                 ": this is not the MPI the programs were built with");
    }
    return std::stoul(text);
}

[[noreturn]] void become(const RankBlock& block, char** program) {
    for (char* setting : block.settings) {
        putenv(setting);
    }
    if (block.cpus != "none") {
        machmeter::bind_thread_to(machmeter::parse_cpus(block.cpus, "--rank"));
    }
    execv(program[0], program);
    throw std::runtime_error(std::string("cannot start ") + program[0] + ": " +
                             std::strerror(errno));
}

// Of a rank that is not bound all that it may use.
std::set<int> cpus_of(const RankBlock& block) {
    const std::vector<int> cpus = block.cpus == "none"
                                      ? machmeter::allowed_cpus()
                                      : machmeter::parse_cpus(block.cpus, "--rank");
    return {cpus.begin(), cpus.end()};
}

int failed(const std::exception& error) {
    std::fprintf(stderr, "machmeter-bind: %s\n", error.what());
    return 126;
}

}  // namespace

int main(int count, char** words) {
    try {
        const Request request = parse(count, words);
        const std::size_t rank = rank_in(request.local_rank_variable, 0);
        const std::size_t of_all = rank_in(request.rank_variable, rank);
        if (request.says_cpus) {
            return say_cpus(of_all);
        }
        const std::vector<RankBlock>& blocks = blocks_of_node(request, of_all);
        if (rank >= blocks.size()) {
            throw std::runtime_error("local rank " + std::to_string(rank) + " has no CPUs: only " +
                                     std::to_string(blocks.size()) + " ranks were laid out");
        }
        const RankBlock& block = blocks[rank];
        if (request.observed.empty()) {
            // If the launcher dies, no part of the launch may go on and disturb the next one.
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            become(block, request.program);
        }
        return machmeter::observe::run(
            {request.observed + "." + std::to_string(of_all), cpus_of(block)}, [&] {
                try {
                    become(block, request.program);
                } catch (const std::exception& error) {
                    return failed(error);
                }
            });
    } catch (const std::exception& error) {
        return failed(error);
    }
}
