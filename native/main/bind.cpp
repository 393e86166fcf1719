// machmeter-bind: set CPUs and environment of this rank, then become the program.
//
//   machmeter-bind [--local-rank-from VARIABLE] --rank CPUS [NAME=VALUE ...]
//                  [--rank CPUS [NAME=VALUE ...] ...] -- PROGRAM [ARGUMENT ...]
//
// CPUS is a list such as 0,1,6 or `none`; the blocks stand in the order of the local ranks.
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

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

void bind_to(const std::string& cpus) {
    if (cpus == "none") {
        return;
    }
    std::vector<unsigned long> numbers;
    std::size_t begin = 0;
    while (begin <= cpus.size()) {
        const std::size_t comma = std::min(cpus.find(',', begin), cpus.size());
        numbers.push_back(std::stoul(cpus.substr(begin, comma - begin)));
        begin = comma + 1;
    }
    unsigned long most = 0;
    for (const unsigned long number : numbers) {
        most = std::max(most, number);
    }
    if (most >= 1UL << 20U) {
        throw std::runtime_error("no machine has CPU " + std::to_string(most));
    }
    cpu_set_t* set = CPU_ALLOC(most + 1);
    const std::size_t bytes = CPU_ALLOC_SIZE(most + 1);
    CPU_ZERO_S(bytes, set);
    for (const unsigned long number : numbers) {
        CPU_SET_S(number, bytes, set);
    }
    const int failed = sched_setaffinity(0, bytes, set);
    const int reason = errno;
    CPU_FREE(set);
    if (failed != 0) {
        throw std::runtime_error("cannot bind to CPUs " + cpus + ": " + std::strerror(reason));
    }
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
        bind_to(request.ranks[rank].cpus);
        // Should whoever started us die, nothing of the launch may go on and disturb the next one.
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execv(request.program[0], request.program);
        throw std::runtime_error(std::string("cannot start ") + request.program[0] + ": " +
                                 std::strerror(errno));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "machmeter-bind: %s\n", error.what());
        return 126;
    }
}
