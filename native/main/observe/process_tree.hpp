// What the processes below this one are seen to do, by proc(5): their threads, memory, libraries.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace machmeter::observe {

// A thread, over all samples.
struct Thread {
    // CPU time by the CPU that it was seen on after it was spent.
    std::map<int, double> seconds_on;
    std::string allowed;  // list of the CPUs it may use, as the kernel writes it
    double seconds = 0;   // CPU time until the last sample
};

// Of one process until a sample; the kernel counts no reading of caches as `read`.
struct Storage {
    std::uint64_t read = 0;
    std::uint64_t written = 0;
};

class ProcessTree {
   public:
    // Of the descendants of this process, all of which it must be able to see.
    void sample(double at_seconds);

    // Of a process that has ended and was not waited for.
    void close(pid_t process) { storage_[process] = storage_of(process); }

    [[nodiscard]] std::string to_json() const;
    [[nodiscard]] int samples() const { return samples_; }

   private:
    static Storage storage_of(pid_t process);
    void sample_threads(pid_t process, std::vector<double>& spent);
    void sample_libraries(pid_t process);

    std::map<std::pair<pid_t, pid_t>, Thread> threads_;
    std::map<pid_t, Storage> storage_;
    std::set<std::string> libraries_;
    std::vector<std::pair<double, std::uint64_t>> memory_;
    std::uint64_t most_memory_ = 0;
    int samples_ = 0;
    double last_sample_ = 0;
    std::size_t at_once_ = 0;
    int thinned_ = 1;
};

// Of this process: children, their children, and so on; none where the kernel does not list them.
std::vector<pid_t> descendants();

}  // namespace machmeter::observe
