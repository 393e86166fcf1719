// memory.matrix: latency and read bandwidth of the memory of one NUMA domain, from the CPUs of one.
//
// Latency: a pointer chase by one thread. Bandwidth: all threads of this launch on the domain read
// the same memory, a part each. An event is one load, and one sweep over the memory.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/host/places.hpp"
#include "core/memory/memory.hpp"
#include "core/memory/numa.hpp"
#include "core/openmp/pair_team.hpp"
#include "core/openmp/team_clock.hpp"
#include "core/session/node_benchmark.hpp"
#include "memory/latency/chase.hpp"

namespace machmeter {
namespace {

// Threads of the team by the NUMA domain they run on; bound threads stay there.
using ThreadsOfDomain = std::map<int, std::vector<int>>;

ThreadsOfDomain threads_of_domains() {
    ThreadsOfDomain threads;
#pragma omp parallel
    {
        const int domain = observe_place(0, 0).numa;
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

// A line's words as they are, whatever they stand for.
using Word [[gnu::may_alias]] = std::uint64_t;

// The words of these lines added up: every byte is read.
std::uint64_t sum_of(const Line* lines, std::size_t count) {
    const auto* words = reinterpret_cast<const Word*>(lines);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count * line_bytes / sizeof(Word); ++i) {
        sum += words[i];
    }
    return sum;
}

// Memory of one domain, linked into one random cycle.
class LinkedMemory {
   public:
    // Bound to the domain, which also keeps the kernel from moving pages about while they are
    // measured (NUMA balancing leaves bound memory alone). Where the kernel refuses to bind, the
    // first touch of the domain's own threads places it.
    LinkedMemory(int domain, const ThreadsOfDomain& threads, std::size_t lines,
                 std::size_t page_bytes, std::uint64_t seed)
        : domain_(domain), count_(lines), buffer_(lines * line_bytes, page_bytes) {
        const auto found = threads.find(domain);
        const bool has_threads = found != threads.end();
        const bool bound = bind_to_domain(buffer_.as<void>(), buffer_.bytes(), domain);
        placed_ = bound || has_threads;
        const std::vector<int>& near = has_threads ? found->second : threads.begin()->second;
        const std::size_t pages = buffer_.bytes() / page_bytes;
        on_threads(near, [&](std::size_t part) {
            const std::size_t begin = pages * part / near.size() * page_bytes;
            const std::size_t end = pages * (part + 1) / near.size() * page_bytes;
            std::memset(buffer_.as<std::byte>() + begin, 0, end - begin);
        });
        std::vector<std::uint32_t> order;
        shuffle_order(order, lines, seed);
        on_threads({near.front()}, [&](std::size_t) { at_ = link_and_warm(this->lines(), order); });
        single_cycle_ = is_single_cycle(this->lines(), lines);
        for (std::size_t i = 0; i < lines; ++i) {
            this->lines()[i].mark = 0;
        }
    }

    [[nodiscard]] Line* lines() const { return buffer_.as<Line>(); }
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::size_t bytes() const { return count_ * line_bytes; }
    [[nodiscard]] bool single_cycle() const { return single_cycle_; }
    [[nodiscard]] std::size_t obtained_page_bytes() const { return buffer_.obtained_page_bytes(); }

    // A chase goes on where the last one stopped.
    void chase(std::uint64_t loads) { at_ = follow(at_, loads); }

    // The address of every line once: what the words of a cycle add up to.
    [[nodiscard]] std::uint64_t expected_sum() const {
        const auto first = reinterpret_cast<std::uintptr_t>(lines());
        return count_ * first + line_bytes * (count_ * (count_ - 1) / 2);
    }

    [[nodiscard]] Placement placement() const {
        if (!placed_) {
            return {true, "the kernel does not bind memory to NUMA domain " +
                              std::to_string(domain_) + ", which has no thread of this launch"};
        }
        return placement_of(buffer_.as<void>(), bytes(), domain_);
    }

   private:
    int domain_;
    std::size_t count_;
    PageBuffer buffer_;
    Line* at_ = nullptr;
    bool placed_ = false;
    bool single_cycle_ = false;
};

// Half of a point's time goes to the latency, half to the bandwidth.
SamplingLimits half_of(SamplingLimits limits) {
    limits.seconds /= 2;
    return limits;
}

Samples measure_latency(Session& session, LinkedMemory& memory, int thread) {
    Samples taken;
    on_threads({thread}, [&](std::size_t) {
        const auto loads = [&](std::uint64_t count) { memory.chase(count); };
        loads(std::min<std::uint64_t>(memory.count(), loads_for_average));
        const double load = calibrate_event(session.clock(), session.clock_facts(), loads);
        const SamplingLimits limits = half_of(session.limits());
        SamplingPlan plan = plan_chase(load, memory.count(), session.clock_facts(), limits);
        plan.most_seconds = longest_over_planned * limits.seconds;
        taken = take_samples(session.clock(), plan, loads);
    });
    session.add_timed(taken.timed_seconds);
    return taken;
}

struct Sweeps {
    std::vector<double> seconds;
    double timed_seconds = 0;
    bool right = true;
};

struct alignas(128) PartOfSweep {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t sum = 0;
};

// A sweep lasts from the first thread that begins to the last that ends. One goes before the
// samples, to warm up.
class Sweeper {
   public:
    Sweeper(const Clock& clock, const SamplingLimits& limits, const LinkedMemory& memory,
            std::size_t threads)
        : clock_(clock), limits_(limits), memory_(memory), parts_(threads) {}

    // Called by every thread that takes part, at the same time.
    void sweep(std::size_t part) {
        std::uint64_t meeting = 0;
        const auto meet = [&] { rendezvous_.arrive(meeting++, parts_.size()); };
        const std::size_t first = memory_.count() * part / parts_.size();
        const std::size_t last = memory_.count() * (part + 1) / parts_.size();
        while (true) {
            meet();
            PartOfSweep own{clock_.now(), 0, 0};
            own.sum = sum_of(memory_.lines() + first, last - first);
            asm volatile("" : : "r"(own.sum) : "memory");
            own.end = clock_.now();
            parts_[part] = own;
            meet();
            if (part == 0) {
                take_sample();
            }
            meet();
            if (ended_) {
                return;
            }
        }
    }

    [[nodiscard]] const Sweeps& done() const { return done_; }

   private:
    void take_sample() {
        std::uint64_t begin = parts_.front().begin;
        std::uint64_t end = parts_.front().end;
        std::uint64_t sum = 0;
        for (const PartOfSweep& part : parts_) {
            begin = std::min(begin, part.begin);
            end = std::max(end, part.end);
            sum += part.sum;
        }
        done_.right = done_.right && sum == memory_.expected_sum();
        if (warm_) {
            done_.seconds.push_back(seconds_between(begin, end));
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
    std::vector<PartOfSweep> parts_;
    Rendezvous rendezvous_;
    Sweeps done_;
    bool warm_ = false;
    bool ended_ = false;
};

Sweeps measure_sweeps(Session& session, const LinkedMemory& memory,
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

PointResult measure(Session& session, const ThreadsOfDomain& threads, LinkedMemory& memory,
                    const Parameters& point) {
    const std::vector<int>& near = threads_on(threads, parse_pair(point.text("pair")).first);
    const Samples loads = measure_latency(session, memory, near.front());
    const Sweeps sweeps = measure_sweeps(session, memory, near);
    const Placement placement = memory.placement();
    return {point,
            {{"latency_seconds", loads.seconds}, {"sweep_seconds", sweeps.seconds}},
            loads.batch,
            memory.single_cycle() && sweeps.right && !placement.elsewhere,
            "the chain is one cycle of " + std::to_string(memory.count()) +
                " lines and every sweep adds up its links; " + placement.what,
            {{"stream_bytes", static_cast<double>(memory.bytes())},
             {"lines", static_cast<double>(memory.count())},
             {"threads", static_cast<double>(near.size())}},
            {{"order", "latency: random single cycle over the whole memory"}},
            memory.obtained_page_bytes()};
}

void run_matrix(Session& session) {
    const ThreadsOfDomain threads = threads_of_domains();
    for (const Parameters& point : session.points()) {
        lines_of(point);
        threads_on(threads, parse_pair(point.text("pair")).first);
    }
    std::map<int, std::unique_ptr<LinkedMemory>> memories;
    for (const Parameters& point : session.points()) {
        const int domain = parse_pair(point.text("pair")).second;
        std::unique_ptr<LinkedMemory>& memory = memories[domain];
        if (!memory || memory->count() != lines_of(point)) {
            memory.reset();
            memory = std::make_unique<LinkedMemory>(domain, threads, lines_of(point),
                                                    session.page_bytes(), session.seed());
        }
        session.record(measure(session, threads, *memory, point));
    }
}

const RegisterNodeBenchmark registered("memory.matrix", {"pair", "size"}, &run_matrix);

}  // namespace
}  // namespace machmeter
