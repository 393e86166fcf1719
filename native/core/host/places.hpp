// Where the calling thread may run and where it runs, as the kernel reports it.
#pragma once

#include <string>
#include <vector>

namespace machmeter {

struct ThreadPlace {
    int rank = 0;
    int thread = 0;
    std::string host;
    std::vector<int> cpus;
    int cpu = -1;
    int numa = -1;

    [[nodiscard]] std::string to_json() const;
};

std::string host_name();

// Of a thread of this process by its kernel's number (0: the calling one); none of one that ended.
std::vector<int> allowed_cpus(int thread = 0);

ThreadPlace observe_place(int rank, int thread);

// NUMA domain of the CPU that the calling thread runs on.
int current_domain();

// Binds a thread of this process (0: the calling one) to these CPUs. Throws std::runtime_error
// where the kernel refuses.
void bind_thread_to(const std::vector<int>& cpus, int thread = 0);

}  // namespace machmeter
