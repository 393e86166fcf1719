// The devices of this machine, and how one of them is named.
//
// An implementation may abort, hang, or leave threads behind: each is asked in a process of its
// own, which is made before this one uses any.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/values/json.hpp"
#include "core/values/parameters.hpp"
#include "device/opencl_device.hpp"

namespace machmeter {

inline constexpr const char* device_variable = "MACHMETER_DEVICE";
inline constexpr const char* install_remedy =
    "install the driver of the device with its OpenCL, or OpenCL for CPUs "
    "(Debian: apt install pocl-opencl-icd ocl-icd-libopencl1)";

// A device, or why an implementation has none.
struct ListedDevice {
    std::string name;  // as device_variable takes it; empty where there is none
    std::string line;  // JSON
};

// The libraries that implement OpenCL, as files say which loaders read (cl_khr_icd), in their
// order.
inline std::vector<std::string> opencl_implementations(
    const std::string& folder = "/etc/OpenCL/vendors") {
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
        if (entry.path().extension() == ".icd") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> libraries;
    for (const auto& path : files) {
        std::ifstream file(path);
        std::string library;
        if (file >> library) {
            libraries.push_back(library);
        }
    }
    return libraries;
}

// What `body` returns in a process of its own, or which way that ended; an exception is its words.
template <class Body>
std::string from_own_process(unsigned seconds, const std::string& otherwise, Body&& body) {
    int ends[2];
    if (pipe(ends) != 0) {
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

// The devices of one implementation.
inline std::vector<ListedDevice> list_devices_of(const std::string& library) {
    constexpr unsigned patience_seconds = 60;
    constexpr char failed = '!';
    const std::string text = from_own_process(patience_seconds, std::string(1, failed), [&] {
        try {
            const OpenClImplementation implementation(library);
            std::string lines;
            for (const auto& place : implementation.places) {
                lines += implementation.describe(place).to_json() + '\n';
            }
            return lines.empty() ? failed + std::string("it has no device") : lines;
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
    for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos;
         at = end + 1) {
        const std::string name = "opencl:" + library + ":" + std::to_string(found.size());
        found.push_back({name, json::Object{}
                                   .add("select", json::quote(name))
                                   .add("device", text.substr(at, end - at))
                                   .str()});
    }
    return found;
}

inline std::vector<ListedDevice> list_devices() {
    std::vector<ListedDevice> found;
    for (const std::string& library : opencl_implementations()) {
        for (ListedDevice& one : list_devices_of(library)) {
            found.push_back(std::move(one));
        }
    }
    return found;
}

// The device with such a name: `opencl:LIBRARY:NUMBER`, or its number in the list of all. Throws
// UsageError for another name, MachineLacksError.
inline std::unique_ptr<Device> open_device(std::string name) {
    const std::string what = std::string(device_variable) + "=" + name;
    if (name.find(':') == std::string::npos) {
        std::size_t number = parse_count(name, device_variable);
        const std::vector<ListedDevice> listed = list_devices();
        const auto chosen = std::find_if(listed.begin(), listed.end(), [&](const auto& one) {
            return !one.name.empty() && number-- == 0;
        });
        if (chosen == listed.end()) {
            std::string why = what + ": there is no such device";
            for (const ListedDevice& one : listed) {
                why += "\n  " + one.line;
            }
            throw MachineLacksError(why + "\n" + install_remedy);
        }
        name = chosen->name;
    }
    const std::size_t begin = name.find(':') + 1;
    const std::size_t end = name.rfind(':');
    if (name.substr(0, begin) != "opencl:" || end <= begin) {
        throw UsageError(what + " is neither opencl:LIBRARY:NUMBER nor a number");
    }
    const std::uint64_t number = parse_count(name.substr(end + 1), what);
    try {
        return std::make_unique<OpenClDevice>(name.substr(begin, end - begin), number);
    } catch (const NoLibrary& error) {
        throw MachineLacksError(what + ": " + error.what() + "\n" + install_remedy);
    } catch (const DeviceError& error) {
        throw MachineLacksError(what + ": " + error.what() + "\n" + install_remedy);
    }
}

}  // namespace machmeter
