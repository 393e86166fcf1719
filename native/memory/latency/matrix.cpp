// memory.matrix: latency and read bandwidth of the memory of one NUMA domain, from the CPUs of one.
//
// Latency: a pointer chase by one thread. Bandwidth: all threads of this launch on the domain read
// the same memory, a part each. An event is one load, and one sweep over the memory.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/host/places.hpp"
#include "core/memory/memory.hpp"
#include "core/memory/numa.hpp"
#include "core/openmp/pair_team.hpp"
#include "core/openmp/team_clock.hpp"
#include "core/session/node.hpp"
#include "memory/latency/chase.hpp"

namespace machmeter {
namespace {

// Threads of the team by the NUMA domain they run on; bound threads stay there.
using ThreadsOfDomain = std::map<int, std::vector<int>>;

ThreadsOfDomain threads_of_domains() {
    ThreadsOfDomain threads;
#pragma omp parallel
    {
        const int domain = current_domain();
#pragma omp critical
        threads[domain].push_back(omp_get_thread_num());
    }
    for (auto& [domain, numbers] : threads) {
        std::sort(numbers.begin(), numbers.end());
    }
    return threads;
}

// `body(part)` on each of these threads of the team, at the same time; the others sleep.
template <class Body>
void on_threads(const std::vector<int>& threads, Body&& body) {
#pragma omp parallel
    {
        const auto found = std::find(threads.begin(), threads.end(), omp_get_thread_num());
        if (found != threads.end()) {
            body(static_cast<std::size_t>(found - threads.begin()));
        }
    }
}

// The words of a line, whatever they stand for.
using Word [[gnu::may_alias]] = std::uint64_t;

// Every byte of these lines is read.
std::uint64_t sum_of(const Lines& lines, std::size_t first, std::size_t count) {
    const auto* words = reinterpret_cast<const Word*>(lines.at(first));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count * lines.stride() / sizeof(Word); ++i) {
        sum += words[i];
    }
    return sum;
}

// Memory of one domain, linked into one random cycle.
class LinkedMemory {
   public:
    // Bound to the domain, which also stops the kernel from moving pages during the measurement
    // (NUMA balancing leaves bound memory alone). Where the kernel refuses to bind, the first touch
    // by the domain's own threads places it.
    LinkedMemory(int domain, const ThreadsOfDomain& threads, std::size_t count, Memory memory,
                 std::uint64_t seed)
        : domain_(domain),
          count_(count),
          memory_(std::move(memory)),
          lines_(memory_.as<std::byte>()) {
        const auto found = threads.find(domain);
        const bool has_threads = found != threads.end();
        const bool bound = bind_to_domain(memory_.as<void>(), memory_.bytes(), domain);
        placed_ = bound || has_threads;
        const std::vector<int>& near = has_threads ? found->second : threads.begin()->second;
        const std::size_t words = memory_.bytes() / sizeof(Word);
        on_threads(near, [&](std::size_t part) {
            memory_.fill<Word>(words * part / near.size(), words * (part + 1) / near.size(),
                               [](std::size_t) { return 0; });
        });
        std::vector<std::uint32_t> order;
        shuffle_order(order, count, seed);
        on_threads({near.front()}, [&](std::size_t) { at_ = link_and_warm(lines_, order); });
        single_cycle_ = is_single_cycle(lines_, count);
        for (std::size_t i = 0; i < count; ++i) {
            lines_.at(i)->mark = 0;
        }
    }

    [[nodiscard]] const Lines& lines() const { return lines_; }
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::size_t bytes() const { return count_ * lines_.stride(); }
    [[nodiscard]] bool single_cycle() const { return single_cycle_; }
    [[nodiscard]] std::size_t page_bytes() const { return memory_.describe().page_bytes; }

    // A chase continues where the last one stopped.
    void chase(std::uint64_t loads) { at_ = follow(at_, loads); }

    // The address of every line once: what the words of a cycle add up to.
    [[nodiscard]] std::uint64_t expected_sum() const {
        const auto first = reinterpret_cast<std::uintptr_t>(lines_.at(0));
        return count_ * first + lines_.stride() * (count_ * (count_ - 1) / 2);
    }

    [[nodiscard]] Placement placement() const {
        if (!placed_) {
            return {true, "the kernel does not bind memory to NUMA domain " +
                              std::to_string(domain_) + ", which has no thread of this launch"};
        }
        return placement_of(memory_.as<void>(), bytes(), domain_);
    }

   private:
    int domain_;
    std::size_t count_;
    Memory memory_;
    Lines lines_;
    Line* at_ = nullptr;
    bool placed_ = false;
    bool single_cycle_ = false;
};

// Half of a point's time goes to the latency, half to the bandwidth.
SamplingLimits half_of(SamplingLimits limits) {
    limits.seconds /= 2;
    return limits;
}

Samples measure_latency(NodeSession& session, LinkedMemory& memory, int thread) {
    Samples taken;
    on_threads({thread}, [&](std::size_t) {
        auto loads = session.event([&](std::uint64_t count) { memory.chase(count); });
        loads(std::min<std::uint64_t>(memory.count(), loads_for_average));
        const double load_seconds = calibrate(session.clock_facts(), loads);
        const SamplingLimits limits = half_of(session.limits());
        SamplingPlan plan = plan_chase(load_seconds, memory.count(), session.clock_facts(), limits);
        plan.most_seconds = longest_over_planned * limits.seconds;
        taken = take_samples(plan, loads);
    });
    session.add_timed(taken.timed_seconds);
    return taken;
}

struct Sweeps {
    std::vector<double> seconds;
    double timed_seconds = 0;
    bool right = true;
};

// A sweep lasts from the first thread that begins to the last that ends. One goes before the
// samples, to warm up.
class Sweeper {
   public:
    Sweeper(const Clock& clock, const SamplingLimits& limits, const LinkedMemory& memory,
            std::size_t threads)
        : clock_(clock), limits_(limits), memory_(memory), spans_(threads), sums_(threads) {}

    // Called by every thread that takes part, at the same time.
    void sweep(std::size_t part) {
        std::uint64_t round = 0;
        const auto barrier = [&] { rendezvous_.arrive(round++, sums_.size()); };
        const std::size_t first = memory_.count() * part / sums_.size();
        const std::size_t last = memory_.count() * (part + 1) / sums_.size();
        while (true) {
            barrier();
            spans_.time(clock_, part, [&] {
                const std::uint64_t sum = sum_of(memory_.lines(), first, last - first);
                asm volatile("" : : "r"(sum) : "memory");
                sums_[part].value = sum;
            });
            barrier();
            if (part == 0) {
                take_sample();
            }
            barrier();
            if (ended_) {
                return;
            }
        }
    }

    [[nodiscard]] const Sweeps& done() const { return done_; }

   private:
    struct alignas(polled_bytes) Sum {
        std::uint64_t value = 0;
    };

    void take_sample() {
        std::uint64_t sum = 0;
        for (const Sum& part : sums_) {
            sum += part.value;
        }
        done_.right = done_.right && sum == memory_.expected_sum();
        if (warm_) {
            done_.seconds.push_back(spans_.elapsed_seconds());
            done_.timed_seconds += done_.seconds.back();
        }
        warm_ = true;
        ended_ =
            done_.seconds.size() >= limits_.most ||
            (done_.seconds.size() >= limits_.least && done_.timed_seconds >= limits_.seconds) ||
            (done_.seconds.size() >= fewest_samples &&
             done_.timed_seconds >= longest_over_planned * limits_.seconds);
    }

    Clock clock_;
    SamplingLimits limits_;
    const LinkedMemory& memory_;
    Rendezvous rendezvous_;
    ThreadSpans spans_;
    std::vector<Sum> sums_;
    Sweeps done_;
    bool warm_ = false;
    bool ended_ = false;
};

Sweeps measure_sweeps(NodeSession& session, const LinkedMemory& memory,
                      const std::vector<int>& threads) {
    Sweeper sweeper(session.clock(), half_of(session.limits()), memory, threads.size());
    on_threads(threads, [&](std::size_t part) { sweeper.sweep(part); });
    session.add_timed(sweeper.done().timed_seconds);
    return sweeper.done();
}

const std::vector<int>& threads_on(const ThreadsOfDomain& threads, int domain) {
    const auto found = threads.find(domain);
    if (found == threads.end()) {
        throw UsageError("pair: no thread of this launch runs on NUMA domain " +
                         std::to_string(domain) + ": start one there, bound to one of its CPUs");
    }
    return found->second;
}

PointResult measure(NodeSession& session, const ThreadsOfDomain& threads, LinkedMemory& memory,
                    const Parameters& point) {
    const std::vector<int>& near = threads_on(threads, parse_pair(point.text("pair")).first);
    const Samples loads = measure_latency(session, memory, near.front());
    const Sweeps sweeps = measure_sweeps(session, memory, near);
    const Placement placement = memory.placement();
    return PointResult(point)
        .add_samples({{"latency_seconds", loads.seconds}, {"sweep_seconds", sweeps.seconds}},
                     loads.batch)
        .check(memory.single_cycle() && sweeps.right && !placement.elsewhere,
               "the chain is one cycle of " + std::to_string(memory.count()) +
                   " lines and every sweep adds up its links; " + placement.what)
        .quantity("stream_bytes", memory.bytes())
        .quantity("lines", memory.count())
        .quantity("threads", near.size())
        .attribute("order", "latency: random single cycle over the whole memory")
        .on_pages(memory.page_bytes());
}

void run_matrix(NodeSession& session) {
    const ThreadsOfDomain threads = threads_of_domains();
    for (const Parameters& point : session.points()) {
        lines_of(point);
        threads_on(threads, parse_pair(point.text("pair")).first);
    }
    std::map<int, std::unique_ptr<LinkedMemory>> memories;
    session.record_each([&](const Parameters& point) {
        const std::size_t count = lines_of(point);
        const int domain = parse_pair(point.text("pair")).second;
        std::unique_ptr<LinkedMemory>& memory = memories[domain];
        if (!memory || memory->count() != count) {
            memory.reset();
            memory = std::make_unique<LinkedMemory>(
                domain, threads, count, session.allocate(count * line_bytes()), session.seed());
        }
        return measure(session, threads, *memory, point);
    });
}

const RegisterNodeBenchmark registered({"memory.matrix", {"pair", "size"}, &run_matrix});

}  // namespace
}  // namespace machmeter
