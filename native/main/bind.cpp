// machmeter-bind: binds this rank to its CPUs, sets its environment and becomes the program.
//
//   machmeter-bind [--local-rank-from VARIABLE] [--observe FILE [--rank-from VARIABLE]]
//                  --rank CPUS [NAME=VALUE ...] [--rank CPUS [NAME=VALUE ...] ...]
//                  -- PROGRAM [ARGUMENT ...]
//
// CPUS is a list such as 0,1,6 or `none`; the blocks are in the order of the local ranks. With
// --observe it becomes the parent of the program and writes FILE.<rank>: that of --rank-from among
// the ranks of all nodes, else the local one.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

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

struct Request {
    std::string local_rank_variable;
    std::string rank_variable;
    std::string observed;
    std::vector<RankBlock> ranks;
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
        } else if (word == "--rank" && i + 1 < count) {
            request.ranks.push_back({words[++i], {}});
        } else if (!request.ranks.empty() && word.find('=') != std::string::npos) {
            request.ranks.back().settings.push_back(words[i]);
        } else {
            throw std::runtime_error("unexpected word '" + word + "'");
        }
    }
    if (request.program == nullptr || *request.program == nullptr || request.ranks.empty()) {
        throw std::runtime_error("usage: --rank CPUS [NAME=VALUE ...] ... -- PROGRAM");
    }
    return request;
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
        if (rank >= request.ranks.size()) {
            throw std::runtime_error("local rank " + std::to_string(rank) + " has no CPUs: only " +
                                     std::to_string(request.ranks.size()) + " ranks were laid out");
        }
        const RankBlock& block = request.ranks[rank];
        if (request.observed.empty()) {
            // If the launcher dies, no part of the launch may go on and disturb the next one.
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            become(block, request.program);
        }
        const std::size_t of_all = rank_in(request.rank_variable, rank);
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
