#include "core/libraries/transports.hpp"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <fstream>
#include <memory>
#include <sstream>

#include "core/libraries/loaded.hpp"
#include "core/values/json.hpp"

namespace machmeter {

std::string to_json(const TransportReport& report) {
    json::Object object;
    for (const auto& [name, text] : report) {
        object.add(name, json::quote(text));
    }
    return object.str();
}

std::string joined(const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += text.empty() ? name : " " + name;
    }
    return text;
}

std::string device_of(std::string_view version) {
    constexpr std::string_view title = "Device:";
    const std::size_t found = version.find(title);
    if (found == std::string_view::npos) {
        return "";
    }
    std::string_view rest = version.substr(found + title.size());
    rest = rest.substr(0, rest.find('\n'));
    const std::size_t begin = rest.find_first_not_of(" \t");
    const std::size_t end = rest.find_last_not_of(" \t\r");
    return begin == std::string_view::npos ? "" : std::string(rest.substr(begin, end - begin + 1));
}

// By the beginning of its name.
bool is_communication_library(std::string_view name) {
    constexpr std::array<std::string_view, 21> known{
        "libfabric",  "libucp",    "libuct",  "libucx",   "libpsm",  "libefa",     "libcxi",
        "libibverbs", "librdmacm", "libmlx",  "libopx",   "libhfi",  "libportals", "libugni",
        "libxpmem",   "libmpi.so", "libmpi_", "libmpich", "libtofu", "libsharp",   "libhcoll"};
    return std::any_of(known.begin(), known.end(), [&](std::string_view begin) {
        return name.substr(0, begin.size()) == begin;
    });
}

std::set<std::string> communication_libraries(std::istream& maps) {
    std::set<std::string> names;
    for (std::string line; std::getline(maps, line);) {
        const std::size_t slash = line.find('/');
        if (slash == std::string::npos) {
            continue;
        }
        const std::string_view name = file_name(std::string_view(line).substr(slash));
        if (name.find(".so") != std::string_view::npos && is_communication_library(name)) {
            names.emplace(name);
        }
    }
    return names;
}

// The parts between underscores.
std::vector<std::string> parts_of(std::string_view name) {
    std::vector<std::string> parts;
    std::istringstream rest{std::string(name)};
    for (std::string part; std::getline(rest, part, '_');) {
        parts.push_back(part);
    }
    return parts;
}

std::string channel_of(std::string_view path) {
    constexpr std::array<std::string_view, 8> devices{
        "/dev/infiniband/", "/dev/cxi",   "/dev/hfi1", "/dev/ipath",
        "/dev/kgni",        "/dev/xpmem", "/dev/knem", "/dev/gdrdrv"};
    for (const std::string_view device : devices) {
        if (path.substr(0, device.size()) == device) {
            return std::string(path);
        }
    }
    const std::string_view name = file_name(path.substr(0, path.find(' ')));
    if (path.substr(0, 9) != "/dev/shm/" && name.find("segment") == std::string_view::npos) {
        return "";
    }
    std::string kept;
    for (const std::string& part : parts_of(name.substr(0, name.find('.')))) {
        if (part.find_first_of("0123456789") != std::string::npos) {
            break;
        }
        kept += kept.empty() ? part : "_" + part;
    }
    return kept;
}

// Channels among the open files and mappings of this process.
std::set<std::string> open_channels() {
    std::set<std::string> channels;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), &closedir);
    while (const dirent* entry = folder != nullptr ? readdir(folder.get()) : nullptr) {
        std::array<char, PATH_MAX> target{};
        const std::string link = "/proc/self/fd/" + std::string(entry->d_name);
        const ssize_t length = readlink(link.c_str(), target.data(), target.size());
        channels.insert(
            channel_of({target.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))}));
    }
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const std::size_t slash = line.find('/');
        if (slash != std::string::npos) {
            channels.insert(channel_of(std::string_view(line).substr(slash)));
        }
    }
    channels.erase("");
    return channels;
}

TransportReport observed_transports() {
    TransportReport report;
    std::ifstream maps("/proc/self/maps");
    report.emplace_back("libraries", joined(communication_libraries(maps)));
    report.emplace_back("channels", joined(open_channels()));
    return report;
}

}  // namespace machmeter
