// memory.pages: time of a visit to a page that a thread on another CPU (or this one) last wrote.
//
// The owner writes every word of a set of pages, so that they are dirty in its caches as far as
// they fit; then the visitor passes through all of them once, in random order. An event is the
// visit of one page. Only the visitor's passes are timed.
#include "machmeter/pages.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "machmeter/affinity.hpp"
#include "machmeter/node_benchmark.hpp"
#include "machmeter/numa.hpp"
#include "machmeter/page_visits.hpp"
#include "machmeter/pair_team.hpp"

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
    if (bytes < 2 * block_bytes || bytes % block_bytes != 0) {
        throw UsageError("size: " + std::to_string(bytes) + " bytes are not two or more pages of " +
                         std::to_string(block_bytes));
    }
    return {parse_pair(point.text("pair")),
            is_first(point, "visit", "read", "write") ? Visit::read : Visit::write,
            is_first(point, "extent", "word", "page") ? Extent::word : Extent::page,
            is_first(point, "order", "dependent", "independent") ? Order::dependent
                                                                 : Order::independent,
            bytes / block_bytes};
}

// One memory for each NUMA domain, on pages that an owner in that domain touched first.
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

// A pass through many pages gives several samples, each of as many pages as the clock needs.
std::size_t samples_of_pass(std::size_t pages) {
    constexpr std::size_t pages_for_clock = 256;
    constexpr std::size_t most = 16;
    return std::clamp<std::size_t>(pages / pages_for_clock, 1, most);
}

// The turns of owner and visitor. The first pass warms up and gives no sample.
class Passes {
   public:
    Passes(Session& session, const Asked& asked, const PageSet& set)
        : session_(session),
          asked_(asked),
          set_(set),
          visit_(visits_of(asked.visit, asked.extent, asked.order)) {
        // Touched here, so that no sample meets a page fault.
        seconds_.assign(session.limits().most, 0);
        seconds_.clear();
    }

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
        const std::size_t samples = samples_of_pass(asked_.pages);
        Visitor visitor{set_.links().front(), set_.links().data(), mark};
        const bool warm = round_ > 1;
        const long faults = faults_of_thread();
        std::uint64_t begin = session_.clock().now();
        for (std::size_t i = 0; i < samples; ++i) {
            const std::size_t pages = asked_.pages * (i + 1) / samples - asked_.pages * i / samples;
            visit_(visitor, pages);
            const std::uint64_t end = session_.clock().now();
            if (warm) {
                add_sample(seconds_between(begin, end), pages);
            }
            begin = end;
        }
        faults_ += warm ? faults_of_thread() - faults : 0;
        const bool reads = asked_.visit == Visit::read;
        all_read_ = all_read_ && (!reads || visitor.sum == set_.sum_read(asked_.extent, round_));
    }

    [[nodiscard]] const std::vector<double>& seconds() const { return seconds_; }
    [[nodiscard]] double timed_seconds() const { return timed_seconds_; }
    [[nodiscard]] long faults() const { return faults_; }
    [[nodiscard]] std::uint64_t passes() const { return round_; }

    // Whether every pass read what the owner wrote before it, or the last one left what it should.
    [[nodiscard]] bool right() const {
        return asked_.visit == Visit::read ? all_read_
                                           : set_.holds(asked_.extent, asked_.order, round_, mark);
    }

   private:
    static constexpr std::uint64_t mark = 0x5bd1e995'9e3779b9U;

    // A set is visited once a round, however few its pages: a reading of the clock may be a good
    // part of that time, so it is taken off.
    void add_sample(double seconds, std::size_t pages) {
        timed_seconds_ += seconds;
        if (seconds_.size() < session_.limits().most) {
            const double visits = seconds - session_.clock_facts().overhead_seconds;
            seconds_.push_back(std::max(visits, 0.0) / static_cast<double>(pages));
        }
    }

    // The owner's writing can take longer than the visits: it has its limit too.
    [[nodiscard]] bool enough() const {
        constexpr double whole_over_timed = 3;
        const SamplingLimits& limits = session_.limits();
        const double whole = seconds_between(begin_, session_.clock().now());
        return seconds_.size() >= limits.most ||
               (seconds_.size() >= limits.least &&
                (timed_seconds_ >= limits.seconds || whole >= whole_over_timed * limits.seconds));
    }

    Session& session_;
    const Asked& asked_;
    const PageSet& set_;
    VisitPages visit_;
    std::uint64_t round_ = 0;
    std::uint64_t begin_ = 0;
    std::vector<double> seconds_;
    double timed_seconds_ = 0;
    long faults_ = 0;
    bool all_read_ = true;
};

std::string describe_check(const Asked& asked, const Passes& passes, const Placement& placement) {
    const std::string what = asked.visit == Visit::read
                                 ? "every visit reads what the owner wrote before it"
                                 : "the pages hold what the visitor wrote over the owner's words";
    return what + "; " + std::to_string(passes.faults()) + " page faults while visiting; " +
           placement.what + ", the owner's";
}

PointResult measure(Session& session, const PairTeam& team, Memories& memories,
                    const Parameters& point) {
    const Asked asked = parse(point);
    const Memories::Memory memory = memories.of_owner(asked.cpus.first);
    const PageSet set(memory.data, asked.pages, session.seed() + asked.pages);
    Passes passes(session, asked, set);
    team.take_turns(
        asked.cpus, [&] { return passes.owner_writes(); }, [&] { passes.visitor_visits(); });
    session.add_timed(passes.timed_seconds());
    const Placement placement = placement_of(memory.data, asked.pages * block_bytes, memory.domain);
    return {point,
            {{"seconds", passes.seconds()}},
            asked.pages / samples_of_pass(asked.pages),
            passes.right() && passes.faults() == 0 && !placement.elsewhere,
            describe_check(asked, passes, placement),
            {{"pages", static_cast<double>(asked.pages)},
             {"passes", static_cast<double>(passes.passes())},
             {"owner_domain", static_cast<double>(memory.domain)},
             {"clock_seconds_taken_off", session.clock_facts().overhead_seconds}},
            {{"order", asked.order == Order::dependent ? "random single cycle, linked in the pages"
                                                       : "random, from a list of the visitor's"}},
            memory.page_bytes};
}

void run_pages(Session& session) {
    std::size_t most = 0;
    for (const Parameters& point : session.points()) {
        most = std::max(most, parse(point).pages);
    }
    const PairTeam team;
    Memories memories(team, most * block_bytes, session.page_bytes());
    for (const Parameters& point : session.points()) {
        session.record(measure(session, team, memories, point));
    }
}

const RegisterNodeBenchmark registered("memory.pages", &run_pages);

}  // namespace
}  // namespace machmeter
