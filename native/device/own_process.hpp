// Implementations are asked for their devices in processes of their own: one may abort, hang, or
// leave threads behind. Each is made before this one uses any.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/values/json.hpp"
#include "device/device.hpp"

namespace machmeter {

// A device, or why an implementation has none.
struct ListedDevice {
    std::string name;  // as MACHMETER_DEVICE takes it; empty where there is none
    std::string line;  // JSON
};

// What `body` returns in a process of its own, or which way that ended; an exception is its words.
template <class Body>
std::string from_own_process(unsigned seconds, const std::string& otherwise, Body&& body) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    const pid_t child = fork();
    if (child < 0) {
        throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
    }
    if (child == 0) {
        close(ends[0]);
        // What a library prints is no answer.
        dup2(STDERR_FILENO, STDOUT_FILENO);
        alarm(seconds);
        const std::string text = body();
        const bool whole =
            write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
        _exit(whole ? 0 : 1);
    }
    close(ends[1]);
    std::string text;
    char piece[4096];
    for (ssize_t got = 0; (got = read(ends[0], piece, sizeof piece)) > 0;) {
        text.append(piece, static_cast<std::size_t>(got));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        return otherwise + (WTERMSIG(status) == SIGALRM
                                ? "no answer within " + std::to_string(seconds) + " s"
                                : "it ended by signal " + std::to_string(WTERMSIG(status)));
    }
    return WEXITSTATUS(status) == 0
               ? text
               : otherwise + "it ended with code " + std::to_string(WEXITSTATUS(status));
}

// What `named` returns, devices and their names, as they are listed; of a library that fails, why.
template <class Named>
std::vector<ListedDevice> list_in_own_process(const std::string& library, Named&& named) {
    constexpr unsigned patience_seconds = 60;
    constexpr char failed = '!';
    const std::string text = from_own_process(patience_seconds, std::string(1, failed), [&] {
        try {
            std::string lines;
            for (const auto& [name, device] : named()) {
                lines += name + '\n' + device.to_json() + '\n';
            }
            return lines;
        } catch (const std::exception& error) {
            return failed + std::string(error.what());
        }
    });
    if (!text.empty() && text.front() == failed) {
        return {{"", json::Object{}
                         .add("library", json::quote(library))
                         .add("failure", json::quote(text.substr(1)))
                         .str()}};
    }
    std::vector<ListedDevice> found;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t middle = text.find('\n', at);
        const std::size_t end = text.find('\n', middle + 1);
        const std::string name = text.substr(at, middle - at);
        found.push_back({name, json::Object{}
                                   .add("select", json::quote(name))
                                   .add("device", text.substr(middle + 1, end - middle - 1))
                                   .str()});
        at = end + 1;
    }
    return found;
}

}  // namespace machmeter
