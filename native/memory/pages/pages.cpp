// memory.pages: time of a visit to a page that a thread on another CPU (or this one) last wrote.
//
// The owner writes every word of a set of pages, so that they are dirty in its caches as far as
// they fit; then the visitor passes through all of them once, in random order. An event is the
// visit of one page. Only the visitor's passes are timed.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "core/host/places.hpp"
#include "core/memory/memory.hpp"
#include "core/memory/numa.hpp"
#include "core/openmp/pair_team.hpp"
#include "core/session/node_benchmark.hpp"
#include "memory/pages/visit_samples.hpp"
#include "memory/pages/visits.hpp"

namespace machmeter {
namespace {

// owner, visitor: CPUs.
struct Asked {
    Pair cpus;
    Visit visit;
    Extent extent;
    Order order;
    std::size_t pages;
};

bool is_first(const Parameters& point, const char* name, const char* first, const char* second) {
    const std::string& text = point.text(name);
    if (text != first && text != second) {
        throw UsageError(std::string(name) + ": '" + text + "' is neither " + first + " nor " +
                         second);
    }
    return text == first;
}

Asked parse(const Parameters& point) {
    const std::size_t bytes = point.count("size");
    if (bytes < 2 * visited_page_bytes || bytes % visited_page_bytes != 0) {
        throw UsageError("size: " + std::to_string(bytes) + " bytes are not two or more pages of " +
                         std::to_string(visited_page_bytes));
    }
    return {parse_pair(point.text("pair")),
            is_first(point, "visit", "read", "write") ? Visit::read : Visit::write,
            is_first(point, "extent", "word", "page") ? Extent::word : Extent::page,
            is_first(point, "order", "dependent", "independent") ? Order::dependent
                                                                 : Order::independent,
            bytes / visited_page_bytes};
}

// One memory for each NUMA domain, bound to it (so that the kernel's NUMA balancing leaves it
// alone) and first touched by an owner there, which places it where the kernel refuses to bind.
class Memories {
   public:
    struct Memory {
        int domain = 0;
        void* data = nullptr;
        std::size_t page_bytes = 0;
    };

    Memories(const PairTeam& team, std::size_t bytes, std::size_t page_bytes)
        : team_(team), bytes_(bytes), page_bytes_(page_bytes) {}

    Memory of_owner(int cpu) {
        Memory memory;
        const auto on_owner = [&] {
            const int domain = observe_place(0, 0).numa;
            auto found = memories_.find(domain);
            if (found == memories_.end()) {
                const PageBuffer& buffer = buffers_.emplace_back(bytes_, page_bytes_);
                bind_to_domain(buffer.as<void>(), buffer.bytes(), domain);
                std::fill_n(buffer.as<std::uint64_t>(), buffer.bytes() / sizeof(std::uint64_t), 1);
                const Memory made{domain, buffer.as<void>(), buffer.obtained_page_bytes()};
                found = memories_.emplace(domain, made).first;
            }
            memory = found->second;
        };
        team_.run({cpu, cpu}, on_owner, [] {});
        return memory;
    }

   private:
    const PairTeam& team_;
    std::size_t bytes_;
    std::size_t page_bytes_;
    std::list<PageBuffer> buffers_;
    std::map<int, Memory> memories_;
};

long faults_of_thread() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

// A pass through many pages is timed in several stretches.
constexpr std::size_t most_stretches = 16;

std::size_t stretches_of_pass(std::size_t pages) {
    constexpr std::size_t pages_for_clock = 256;
    return std::clamp<std::size_t>(pages / pages_for_clock, 1, most_stretches);
}

// The turns of owner and visitor. The first pass warms up and gives no sample.
class Passes {
   public:
    Passes(Session& session, const Asked& asked, const PageSet& set)
        : session_(session),
          asked_(asked),
          set_(set),
          visit_(visits_of(asked.visit, asked.extent, asked.order)),
          samples_(session.clock_facts(), session.limits().most) {}

    bool owner_writes() {
        if (round_ == 0) {
            begin_ = session_.clock().now();
        } else if (enough()) {
            return false;
        }
        set_.write(++round_);
        return true;
    }

    void visitor_visits() {
        const std::size_t stretches = stretches_of_pass(asked_.pages);
        // Readings of the clock: what is made of them waits until the last stretch is over.
        std::array<std::uint64_t, most_stretches + 1> at{};
        Visitor visitor{set_.links().front(), set_.links().data(), mark};
        const bool warm = round_ > 1;
        const long faults = faults_of_thread();
        at[0] = session_.clock().now();
        for (std::size_t i = 0; i < stretches; ++i) {
            visit_(visitor, pages_until(i + 1) - pages_until(i));
            at[i + 1] = session_.clock().now();
        }
        if (warm) {
            faults_ += faults_of_thread() - faults;
            for (std::size_t i = 0; i < stretches; ++i) {
                samples_.add_stretch(seconds_between(at[i], at[i + 1]),
                                     pages_until(i + 1) - pages_until(i));
            }
        }
        const bool reads = asked_.visit == Visit::read;
        all_read_ = all_read_ && (!reads || visitor.sum == set_.sum_read(asked_.extent, round_));
    }

    [[nodiscard]] const VisitSamples& samples() const { return samples_; }
    [[nodiscard]] long faults() const { return faults_; }
    [[nodiscard]] std::uint64_t passes() const { return round_; }

    // Whether every pass read what the owner wrote before it, or the last one left what it should.
    [[nodiscard]] bool right() const {
        return asked_.visit == Visit::read ? all_read_
                                           : set_.holds(asked_.extent, asked_.order, round_, mark);
    }

   private:
    static constexpr std::uint64_t mark = 0x5bd1e995'9e3779b9U;

    [[nodiscard]] std::size_t pages_until(std::size_t stretch) const {
        return asked_.pages * stretch / stretches_of_pass(asked_.pages);
    }

    // The owner's writing can take longer than the visits: it has its limit too. A point that takes
    // much longer, robbed of its CPUs or too short for the clock, ends with fewer samples.
    [[nodiscard]] bool enough() const {
        const SamplingLimits& limits = session_.limits();
        const double whole = seconds_between(begin_, session_.clock().now());
        const double late = longest_over_planned * limits.seconds;
        return samples_.count() >= limits.most ||
               (samples_.count() >= limits.least &&
                (samples_.timed_seconds() >= limits.seconds || whole >= late)) ||
               (round_ > fewest_samples && whole >= 2 * late);
    }

    Session& session_;
    const Asked& asked_;
    const PageSet& set_;
    VisitPages visit_;
    std::uint64_t round_ = 0;
    std::uint64_t begin_ = 0;
    VisitSamples samples_;
    long faults_ = 0;
    bool all_read_ = true;
};

std::string describe_check(const Asked& asked, const Passes& passes, const Placement& placement) {
    const std::string what = asked.visit == Visit::read
                                 ? "every visit reads what the owner wrote before it"
                                 : "the pages hold what the visitor wrote over the owner's words";
    return what + "; " + std::to_string(passes.faults()) + " page faults while visiting; " +
           placement.what + ", the owner's" +
           (passes.samples().seen_by_clock() ? "" : "; the visits are too short for this clock");
}

const char* words_of_order(const Asked& asked) {
    if (asked.order == Order::independent) {
        return "random, from a list of the visitor's";
    }
    return asked.visit == Visit::read
               ? "random single cycle, linked in the pages"
               : "random single cycle, linked in the pages; a visit waits for the link of the one "
                 "before it, not for its writes";
}

PointResult measure(Session& session, const PairTeam& team, Memories& memories,
                    const Parameters& point) {
    const Asked asked = parse(point);
    const Memories::Memory memory = memories.of_owner(asked.cpus.first);
    const PageSet set(memory.data, asked.pages, session.seed() + asked.pages);
    Passes passes(session, asked, set);
    team.take_turns(
        asked.cpus, [&] { return passes.owner_writes(); }, [&] { passes.visitor_visits(); });
    const VisitSamples& samples = passes.samples();
    session.add_timed(samples.timed_seconds());
    const Placement placement =
        placement_of(memory.data, asked.pages * visited_page_bytes, memory.domain);
    return {
        point,
        {{"seconds", samples.seconds()}},
        samples.batch(),
        passes.right() && passes.faults() == 0 && !placement.elsewhere && samples.seen_by_clock(),
        describe_check(asked, passes, placement),
        {{"pages", static_cast<double>(asked.pages)},
         {"passes", static_cast<double>(passes.passes())},
         {"owner_domain", static_cast<double>(memory.domain)},
         {"clock_seconds_taken_off", session.clock_facts().overhead_seconds},
         {"share_taken_off", samples.share_taken_off()}},
        {{"order", words_of_order(asked)}},
        memory.page_bytes};
}

void run_pages(Session& session) {
    std::size_t most = 0;
    for (const Parameters& point : session.points()) {
        most = std::max(most, parse(point).pages);
    }
    const PairTeam team;
    Memories memories(team, most * visited_page_bytes, session.page_bytes());
    for (const Parameters& point : session.points()) {
        session.record(measure(session, team, memories, point));
    }
}

const RegisterNodeBenchmark registered("memory.pages", {"pair", "visit", "extent", "order", "size"},
                                       &run_pages);

}  // namespace
}  // namespace machmeter
