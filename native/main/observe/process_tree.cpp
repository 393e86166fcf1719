#include "main/observe/process_tree.hpp"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "core/values/json.hpp"

namespace machmeter::observe {
namespace {

// More of them tell no more, and a run of days must not fill the memory.
constexpr std::size_t most_threads = 4096;
constexpr std::size_t most_memory_samples = 128;
constexpr std::size_t most_libraries = 64;

// Parts of file names of libraries that decide how fast a program is.
constexpr std::array<std::string_view, 18> telling = {
    "libmpi",   "libgomp", "libomp",    "libiomp", "libblas",  "liblapack",
    "openblas", "libmkl",  "libatlas",  "libblis", "libflexi", "libfftw3",
    "libsci",   "libucp",  "libfabric", "libpsm2", "libnccl",  "libnvhpcatm"};

std::string folder_of(pid_t process) { return "/proc/" + std::to_string(process); }

std::vector<pid_t> numbers_in(const std::string& folder) {
    std::vector<pid_t> found;
    DIR* open = opendir(folder.c_str());
    if (open == nullptr) {
        return found;
    }
    while (const dirent* entry = readdir(open)) {
        const pid_t number = std::atoi(entry->d_name);
        if (number > 0) {
            found.push_back(number);
        }
    }
    closedir(open);
    return found;
}

std::string text_of(const std::string& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

// The value after a name at the start of a line, to the end of the line.
std::string value_of(std::string_view text, std::string_view name) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        if (line.substr(0, name.size()) == name) {
            const std::size_t first = line.find_first_not_of(" \t", name.size());
            return first == std::string_view::npos ? "" : std::string(line.substr(first));
        }
        at = end + 1;
    }
    return "";
}

// Field of stat, counted as proc(5) does; the name of a program may hold anything but ends at `)`.
double field_of(const std::string& stat, int number) {
    const std::size_t named = stat.rfind(')');
    if (named == std::string::npos) {
        return 0;
    }
    std::istringstream rest(stat.substr(named + 1));
    std::string word;
    for (int field = 3; field <= number && rest >> word; ++field) {
    }
    return std::atof(word.c_str());
}

std::uint64_t resident(pid_t process) {
    std::istringstream pages(text_of(folder_of(process) + "/statm"));
    std::uint64_t all = 0;
    std::uint64_t here = 0;
    pages >> all >> here;
    return here * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Of threads of processes that were there for a whole interval, how many worked, by the CPU time of
// each: a tenth of that of the busiest, which took a tenth of the interval. One process after the
// other is one; a thread that a process starts meanwhile is one more.
std::size_t worked(const std::vector<double>& spent, double interval) {
    const double most = spent.empty() ? 0 : *std::max_element(spent.begin(), spent.end());
    // In less than that a tick of the clock or the start of a library looks like work.
    constexpr double shortest = 0.04;
    if (interval < shortest || most < 0.1 * interval) {
        return 0;
    }
    return static_cast<std::size_t>(std::count_if(
        spent.begin(), spent.end(), [most](double one) { return one >= 0.1 * most; }));
}

void add_children(pid_t process, std::vector<pid_t>& found) {
    const std::string tasks = folder_of(process) + "/task";
    for (const pid_t thread : numbers_in(tasks)) {
        std::istringstream children(text_of(tasks + "/" + std::to_string(thread) + "/children"));
        for (pid_t child = 0; children >> child;) {
            found.push_back(child);
        }
    }
}

}  // namespace

std::vector<pid_t> descendants() {
    std::vector<pid_t> found;
    add_children(getpid(), found);
    for (std::size_t next = 0; next < found.size(); ++next) {
        add_children(found[next], found);
    }
    return found;
}

void ProcessTree::sample(double at_seconds) {
    std::uint64_t memory = 0;
    std::vector<double> spent;
    for (const pid_t process : descendants()) {
        sample_threads(process, spent);
        sample_libraries(process);
        storage_[process] = storage_of(process);
        memory += resident(process);
    }
    at_once_ = std::max(at_once_, worked(spent, at_seconds - last_sample_));
    last_sample_ = at_seconds;
    most_memory_ = std::max(most_memory_, memory);
    if (samples_++ % thinned_ == 0) {
        memory_.emplace_back(at_seconds, memory);
    }
    if (memory_.size() > most_memory_samples) {
        std::vector<std::pair<double, std::uint64_t>> fewer;
        for (std::size_t i = 0; i < memory_.size(); i += 2) {
            fewer.push_back(memory_[i]);
        }
        memory_.swap(fewer);
        thinned_ *= 2;
    }
}

void ProcessTree::sample_threads(pid_t process, std::vector<double>& spent) {
    const std::string tasks = folder_of(process) + "/task";
    const auto known = threads_.lower_bound({process, 0});
    const bool was_there = known != threads_.end() && known->first.first == process;
    for (const pid_t number : numbers_in(tasks)) {
        if (threads_.size() >= most_threads && threads_.count({process, number}) == 0) {
            continue;
        }
        const std::string task = tasks + "/" + std::to_string(number);
        const std::string stat = text_of(task + "/stat");
        if (stat.empty()) {
            continue;
        }
        Thread& thread = threads_[{process, number}];
        // In ns where the kernel keeps them, else in ticks of most often 10 ms.
        const double ns = std::atof(text_of(task + "/schedstat").c_str());
        const double ticks = field_of(stat, 14) + field_of(stat, 15);
        const double seconds =
            ns > 0 ? 1e-9 * ns : ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
        if (seconds > thread.seconds) {
            thread.seconds_on[static_cast<int>(field_of(stat, 39))] += seconds - thread.seconds;
        }
        if (was_there) {
            spent.push_back(seconds - thread.seconds);
        }
        thread.seconds = seconds;
        thread.allowed = value_of(text_of(task + "/status"), "Cpus_allowed_list:");
    }
}

void ProcessTree::sample_libraries(pid_t process) {
    std::istringstream maps(text_of(folder_of(process) + "/maps"));
    for (std::string line; std::getline(maps, line);) {
        const std::size_t path = line.find('/');
        if (path == std::string::npos || libraries_.size() >= most_libraries) {
            continue;
        }
        const std::string name = line.substr(line.rfind('/') + 1);
        const bool tells = std::any_of(telling.begin(), telling.end(), [&](std::string_view one) {
            return name.find(one) != std::string::npos;
        });
        if (tells && name.find(".so") != std::string::npos) {
            libraries_.insert(line.substr(path));
        }
    }
}

Storage ProcessTree::storage_of(pid_t process) {
    const std::string text = text_of(folder_of(process) + "/io");
    const auto count = [&](std::string_view name) {
        return std::strtoull(value_of(text, name).c_str(), nullptr, 10);
    };
    return {count("read_bytes:"), count("write_bytes:")};
}

std::string ProcessTree::to_json() const {
    Storage all;
    for (const auto& [process, one] : storage_) {
        all.read += one.read;
        all.written += one.written;
    }
    json::Object object;
    object.add("samples", json::integer(samples_))
        .add("at_once", json::integer(at_once_))
        .add("most_memory_bytes", json::integer(most_memory_))
        .add("memory", json::array(memory_,
                                   [](const auto& one) {
                                       return "[" + json::number(one.first) + "," +
                                              json::integer(one.second) + "]";
                                   }))
        .add("read_bytes", json::integer(all.read))
        .add("written_bytes", json::integer(all.written))
        .add("libraries", json::array(libraries_, [](const auto& one) { return json::quote(one); }))
        .add("threads", json::array(threads_, [](const auto& one) {
                 json::Object thread;
                 thread.add("process", json::integer(one.first.first))
                     .add("thread", json::integer(one.first.second))
                     .add("seconds", json::number(one.second.seconds))
                     .add("allowed", json::quote(one.second.allowed))
                     .add("seconds_on", json::array(one.second.seconds_on, [](const auto& on) {
                              return "[" + json::integer(on.first) + "," + json::number(on.second) +
                                     "]";
                          }));
                 return thread.str();
             }));
    return object.str();
}

}  // namespace machmeter::observe
