// memory.timeline: the bandwidth of STREAM's triad in short slices, and where threads and pages
// were in each.
//
// Nothing is bound here: threads may move where the layout lets them. Each thread notes its CPU at
// the end of its sweeps, which costs a few nanoseconds; all else is read between slices.
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/memory/numa.hpp"
#include "core/memory/pages.hpp"
#include "core/openmp/padding.hpp"
#include "core/session/node.hpp"
#include "core/values/json.hpp"
#include "memory/stream/arrays.hpp"
#include "memory/stream/kernels.hpp"

namespace machmeter {
namespace {

using stream::Arrays;

constexpr double factor = 3;
constexpr int stream_arrays = 3;
constexpr std::size_t pages_of_array = 8;
constexpr auto triad = &stream::triad_chunk<stream::Stores::temporal>;

struct Shape {
    double seconds;
    double slice_seconds;
    std::size_t bytes;

    [[nodiscard]] std::size_t most_slices() const {
        return static_cast<std::size_t>(seconds / slice_seconds) + 1;
    }
};

Shape shape_of(const Parameters& point) {
    const std::uint64_t seconds = point.count("seconds");
    const std::uint64_t milliseconds = point.count("slice_ms");
    if (seconds < 1 || seconds > 3600) {
        throw UsageError("seconds: a series lasts 1 to 3600 s, not " + point.text("seconds"));
    }
    if (milliseconds < 10 || milliseconds > 50) {
        throw UsageError("slice_ms: a slice lasts 10 to 50 ms, not " + point.text("slice_ms"));
    }
    return {static_cast<double>(seconds), static_cast<double>(milliseconds) / 1e3,
            point.count("size")};
}

// The CPU of every thread as it saw it last, and how often that changed.
class ThreadCpus {
   public:
    explicit ThreadCpus(std::size_t threads) : seen_(threads) {}

    // Each thread calls this for itself.
    void see(std::size_t thread, int cpu) {
        Seen& seen = seen_[thread];
        seen.changes += seen.cpu >= 0 && seen.cpu != cpu ? 1 : 0;
        seen.cpu = cpu;
    }

    [[nodiscard]] int of(std::size_t thread) const { return seen_[thread].cpu; }

    [[nodiscard]] std::uint64_t changes() const {
        std::uint64_t all = 0;
        for (const Seen& seen : seen_) {
            all += seen.changes;
        }
        return all;
    }

   private:
    struct alignas(polled_bytes) Seen {
        int cpu = -1;
        std::uint64_t changes = 0;
    };

    std::vector<Seen> seen_;
};

// An hour in slices of 10 ms, of a thousand threads, must still fit into a record.
std::size_t threads_to_record(std::size_t threads, std::size_t most_slices) {
    constexpr std::size_t most_threads = 64;
    constexpr std::size_t most_values = 8'000'000;
    return std::min({threads, most_threads, std::max<std::size_t>(most_values / most_slices, 1)});
}

// The pages in the middle of equal parts of each array; fewer where an array has fewer pages.
std::vector<const void*> sampled_pages(const Arrays& arrays) {
    const std::size_t pages =
        std::clamp<std::size_t>(arrays.bytes() / base_page_bytes(), 1, pages_of_array);
    const std::size_t part = arrays.bytes() / sizeof(double) / pages;
    std::vector<const void*> sampled;
    for (const double* array : {arrays.a(), arrays.b(), arrays.c()}) {
        for (std::size_t page = 0; page < pages; ++page) {
            sampled.push_back(array + page * part + part / 2);
        }
    }
    return sampled;
}

double involuntary_switches() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_nivcsw);
}

// The series of every slice, which grow together.
class Log {
   public:
    Log(const Arrays& arrays, const ThreadCpus& cpus, std::size_t most_slices)
        : cpus_(cpus),
          pages_(sampled_pages(arrays)),
          changes_(cpus.changes()),
          switches_(involuntary_switches()) {
        if (domains_of_pages(pages_).empty()) {
            pages_.clear();
        }
        for (const char* name : {"seconds", "at", "sweeps", "migrations", "involuntary_switches"}) {
            series_.emplace_back(name, std::vector<double>());
        }
        threads_ = threads_to_record(arrays.threads(), most_slices);
        for (std::size_t thread = 0; thread < threads_; ++thread) {
            series_.emplace_back("cpu." + std::to_string(thread), std::vector<double>());
        }
        for (std::size_t page = 0; page < pages_.size(); ++page) {
            series_.emplace_back("domain." + std::to_string(page), std::vector<double>());
        }
        for (auto& [name, values] : series_) {
            values.reserve(most_slices);
        }
    }

    void add(double sweep_seconds, double at, std::uint64_t sweeps) {
        const double switches = involuntary_switches();
        const std::uint64_t changes = cpus_.changes();
        std::size_t next = 0;
        const auto put = [&](double value) { series_[next++].second.push_back(value); };
        put(sweep_seconds);
        put(at);
        put(static_cast<double>(sweeps));
        put(static_cast<double>(changes - std::exchange(changes_, changes)));
        put(switches - std::exchange(switches_, switches));
        for (std::size_t thread = 0; thread < threads_; ++thread) {
            put(cpus_.of(thread));
        }
        if (pages_.empty()) {
            return;
        }
        std::vector<int> domains = domains_of_pages(pages_);
        domains.resize(pages_.size(), -1);
        for (const int domain : domains) {
            put(domain);
        }
    }

    [[nodiscard]] std::vector<NamedSeries> take() { return std::move(series_); }
    [[nodiscard]] std::size_t threads() const { return threads_; }
    [[nodiscard]] std::size_t pages() const { return pages_.size(); }

   private:
    const ThreadCpus& cpus_;
    std::vector<const void*> pages_;
    std::uint64_t changes_;
    double switches_;
    std::size_t threads_ = 0;
    std::vector<NamedSeries> series_;
};

// Sweeps between two readings of the clock: one, unless the clock would cost 1 % of it.
template <TimedEvent E>
std::uint64_t sweeps_of_batch(const NodeSession& session, E& sweeps) {
    constexpr double clock_share = 0.01;
    sweeps(1);
    const double seconds = calibrate(session.clock_facts(), sweeps);
    return plan_sampling(seconds, session.clock_facts(), session.limits(), clock_share).batch;
}

// Returns the share of the whole time that went into observing.
template <TimedEvent E>
double run_slices(NodeSession& session, const Shape& shape, std::uint64_t batch, E& sweeps,
                  Log& log) {
    const Clock& clock = session.clock();
    const std::uint64_t begin = clock.now();
    double timed = 0;
    for (std::uint64_t start = clock.now(); seconds_between(begin, start) < shape.seconds;) {
        double elapsed = 0;
        const std::uint64_t before = sweeps.rounds();
        do {
            elapsed += sweeps(batch);
        } while (elapsed < shape.slice_seconds);
        timed += elapsed;
        const std::uint64_t done = sweeps.rounds() - before;
        log.add(elapsed / static_cast<double>(done), seconds_between(begin, start), done);
        start = clock.now();
    }
    session.add_timed(timed);
    return 1 - timed / seconds_between(begin, clock.now());
}

double triad_error(const Arrays& arrays) {
    return arrays.largest_relative_error(
        [](std::size_t i) { return stream::value_of_b(i) + factor * stream::value_of_c(i); });
}

std::string threads_text(const Log& log, std::size_t threads) {
    return "CPU of " + std::to_string(log.threads()) + " of " + std::to_string(threads) +
           " threads, the first ones, at the end of the slice; migrations: changes of CPU that "
           "any thread saw at the ends of its sweeps";
}

std::string pages_text(const Log& log) {
    if (log.pages() == 0) {
        return "the kernel does not report the NUMA domains of pages";
    }
    return std::to_string(log.pages() / stream_arrays) +
           " pages evenly spread over each array, in the order a, b, c";
}

PointResult measure(NodeSession& session, const Parameters& point) {
    const Shape shape = shape_of(point);
    Arrays arrays(shape.bytes, session.page_bytes());
    ThreadCpus cpus(arrays.threads());
    auto sweeps = session.event([&](std::uint64_t count) {
        arrays.sweep(triad, factor, count,
                     [&](std::size_t thread) { cpus.see(thread, sched_getcpu()); });
    });
    const std::uint64_t batch = sweeps_of_batch(session, sweeps);
    Log log(arrays, cpus, shape.most_slices());
    const double observing_share = run_slices(session, shape, batch, sweeps, log);
    const double error = triad_error(arrays);
    return PointResult(point)
        .add_samples(log.take(), batch)
        .check(error == 0 && arrays.swept(sweeps.rounds()),
               "all elements against their exact values: largest relative error " +
                   (std::isfinite(error) ? json::number(error) : "unbounded"))
        .quantity("stream_bytes", stream_arrays * arrays.bytes())
        .quantity("threads", arrays.threads())
        .quantity("observing_share", observing_share)
        .attribute("implementation", "triad, plain loop as compiled, temporal stores")
        .attribute("threads", threads_text(log, arrays.threads()))
        .attribute("pages", pages_text(log))
        .on_pages(arrays.page_bytes());
}

void run_timeline(NodeSession& session) {
    session.record_each([&](const Parameters& point) { return measure(session, point); });
}

const RegisterNodeBenchmark registered({"memory.timeline",
                                        {"seconds", "slice_ms", "size"},
                                        &run_timeline});

}  // namespace
}  // namespace machmeter
