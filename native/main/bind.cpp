// machmeter-bind: binds this rank to its CPUs, sets its environment and becomes the program.
//
//   machmeter-bind [--local-rank-from VARIABLE] --rank CPUS [NAME=VALUE ...]
//                  [--rank CPUS [NAME=VALUE ...] ...] -- PROGRAM [ARGUMENT ...]
//
// CPUS is a list such as 0,1,6 or `none`; the blocks are in the order of the local ranks.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/host/cpu_sets.hpp"
#include "core/host/places.hpp"

namespace {

struct RankBlock {
    std::string cpus;
    std::vector<char*> settings;
};

struct Request {
    std::string local_rank_variable;
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

std::size_t local_rank(const Request& request) {
    if (request.local_rank_variable.empty()) {
        return 0;
    }
    const char* text = std::getenv(request.local_rank_variable.c_str());
    if (text == nullptr) {
        throw std::runtime_error("the launcher set no " + request.local_rank_variable +
                                 ": this is not the MPI the programs were built with");
    }
    return std::stoul(text);
}

}  // namespace

int main(int count, char** words) {
    try {
        const Request request = parse(count, words);
        const std::size_t rank = local_rank(request);
        if (rank >= request.ranks.size()) {
            throw std::runtime_error("local rank " + std::to_string(rank) + " has no CPUs: only " +
                                     std::to_string(request.ranks.size()) + " ranks were laid out");
        }
        for (char* setting : request.ranks[rank].settings) {
            putenv(setting);
        }
        const std::string& cpus = request.ranks[rank].cpus;
        if (cpus != "none") {
            machmeter::bind_thread_to(machmeter::parse_cpus(cpus, "--rank"));
        }
        // If the launcher dies, no part of the launch may go on and disturb the next one.
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execv(request.program[0], request.program);
        throw std::runtime_error(std::string("cannot start ") + request.program[0] + ": " +
                                 std::strerror(errno));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "machmeter-bind: %s\n", error.what());
        return 126;
    }
}
