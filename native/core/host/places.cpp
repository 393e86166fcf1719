#include "core/host/places.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "core/values/json.hpp"

namespace machmeter {
namespace {

// A set of CPUs 0 to `most` - 1, empty at first.
class CpuSet {
   public:
    explicit CpuSet(int most) : set_(CPU_ALLOC(most)), bytes_(CPU_ALLOC_SIZE(most)) {
        CPU_ZERO_S(bytes_, get());
    }

    [[nodiscard]] cpu_set_t* get() const { return set_.get(); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] bool has(int cpu) const { return CPU_ISSET_S(cpu, bytes_, get()); }
    void add(int cpu) const { CPU_SET_S(cpu, bytes_, get()); }

   private:
    struct Free {
        void operator()(cpu_set_t* set) const { CPU_FREE(set); }
    };

    std::unique_ptr<cpu_set_t, Free> set_;
    std::size_t bytes_;
};

}  // namespace

std::string ThreadPlace::to_json() const {
    return json::Object{}
        .add("rank", json::integer(rank))
        .add("thread", json::integer(thread))
        .add("host", json::quote(host))
        .add("cpus", json::array(cpus, [](int number) { return json::integer(number); }))
        .add("cpu", json::integer(cpu))
        .add("numa", json::integer(numa))
        .str();
}

std::string host_name() {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return name;
}

std::vector<int> allowed_cpus(int thread) {
    // The kernel refuses a mask smaller than its own: grow until it fits.
    for (int most = 1024; most <= 1 << 20; most *= 2) {
        const CpuSet set(most);
        if (sched_getaffinity(thread, set.bytes(), set.get()) == 0) {
            std::vector<int> cpus;
            for (int cpu = 0; cpu < most; ++cpu) {
                if (set.has(cpu)) {
                    cpus.push_back(cpu);
                }
            }
            return cpus;
        }
        if (errno != EINVAL) {
            break;
        }
    }
    return {};
}

ThreadPlace observe_place(int rank, int thread) {
    unsigned cpu = 0;
    unsigned node = 0;
    const bool known = syscall(SYS_getcpu, &cpu, &node, nullptr) == 0;
    return {rank,
            thread,
            host_name(),
            allowed_cpus(),
            known ? static_cast<int>(cpu) : -1,
            known ? static_cast<int>(node) : -1};
}

int current_domain() { return observe_place(0, 0).numa; }

void bind_thread_to(const std::vector<int>& cpus, int thread) {
    CpuSet set(*std::max_element(cpus.begin(), cpus.end()) + 1);
    for (const int cpu : cpus) {
        set.add(cpu);
    }
    if (sched_setaffinity(thread, set.bytes(), set.get()) != 0) {
        throw std::runtime_error("cannot bind to the requested CPUs: " +
                                 std::string(std::strerror(errno)));
    }
}

}  // namespace machmeter
