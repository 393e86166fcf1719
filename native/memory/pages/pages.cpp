// memory.pages: time of a visit to a page that a thread on another CPU (or this one) last wrote.
//
// The owner writes every word of a set of pages, so that as many as fit are dirty in its caches;
// then the visitor visits each of them once, in random order. An event is the visit of one page.
// Only the visitor's passes are timed.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/sampling.hpp"
#include "core/host/places.hpp"
#include "core/memory/memory.hpp"
#include "core/memory/numa.hpp"
#include "core/openmp/pair_team.hpp"
#include "core/session/node.hpp"
#include "memory/pages/visits.hpp"

namespace machmeter {
namespace {

// owner, visitor: CPUs.
struct Shape {
    Pair cpus;
    Visit visit;
    Extent extent;
    Order order;
    std::size_t pages;
};

Shape shape_of(const Parameters& point) {
    const std::size_t bytes = point.count("size");
    if (bytes < 2 * visited_page_bytes || bytes % visited_page_bytes != 0) {
        throw UsageError("size: " + std::to_string(bytes) + " bytes are not two or more pages of " +
                         std::to_string(visited_page_bytes));
    }
    return {parse_pair(point.text("pair")),
            point.choice<Visit>("visit", {{"read", Visit::read}, {"write", Visit::write}}),
            point.choice<Extent>("extent", {{"word", Extent::word}, {"page", Extent::page}}),
            point.choice<Order>(
                "order", {{"dependent", Order::dependent}, {"independent", Order::independent}}),
            bytes / visited_page_bytes};
}

// One memory for each NUMA domain, bound to it (so that the kernel's NUMA balancing leaves it
// alone) and first touched by an owner there, which places it where the kernel refuses to bind.
class Memories {
   public:
    Memories(const NodeSession& session, const PairTeam& team, std::size_t bytes)
        : session_(session), team_(team), bytes_(bytes) {}

    // That of the domain of this CPU, and the domain.
    std::pair<const int, Memory>& of_owner(int cpu) {
        auto found = memories_.end();
        const auto on_owner = [&] {
            const int domain = current_domain();
            found = memories_.find(domain);
            if (found == memories_.end()) {
                found = memories_.emplace(domain, session_.allocate(bytes_)).first;
                const Memory& memory = found->second;
                bind_to_domain(memory.as<void>(), memory.bytes(), domain);
                memory.fill<std::uint64_t>(0, memory.bytes() / sizeof(std::uint64_t),
                                           [](std::size_t) { return 1; });
            }
        };
        team_.run({cpu, cpu}, on_owner, [] {});
        return *found;
    }

   private:
    const NodeSession& session_;
    const PairTeam& team_;
    std::size_t bytes_;
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

// A stretch holds one reading of the clock, which is subtracted. Stretches are added up until both
// the tick of the clock and the error of its cost are a small share of the sample.
class VisitSamples {
   public:
    VisitSamples(const ClockFacts& clock, std::uint64_t most) : clock_(clock), most_(most) {
        // Touched here, so that no sample takes a page fault.
        seconds_.assign(most, 0);
        seconds_.clear();
    }

    void add_stretch(double seconds, std::size_t visits) {
        timed_seconds_ += seconds;
        timed_visits_ += visits;
        ++stretches_;
        sum_seconds_ += seconds - clock_.overhead_seconds;
        sum_visits_ += visits;
        if (sum_seconds_ <= 0 || share_of_clock(clock_, sum_seconds_) > usual_clock_share) {
            return;
        }
        if (count() < most_) {
            seconds_.push_back(sum_seconds_ / static_cast<double>(sum_visits_));
            sampled_visits_ += sum_visits_;
        }
        sum_seconds_ = 0;
        sum_visits_ = 0;
    }

    [[nodiscard]] std::size_t count() const { return seconds_.size(); }
    [[nodiscard]] double timed_seconds() const { return timed_seconds_; }

    // Samples, each of one visit. Where the stretches stayed too short for the clock until the end,
    // one that includes the readings of the clock: never zero.
    [[nodiscard]] std::vector<double> seconds() const {
        if (seen_by_clock()) {
            return seconds_;
        }
        return {std::max(timed_seconds_, clock_.tick_seconds) /
                static_cast<double>(std::max<std::size_t>(timed_visits_, 1))};
    }
    [[nodiscard]] bool seen_by_clock() const { return !seconds_.empty(); }

    // Visits in a sample, on average.
    [[nodiscard]] std::uint64_t batch() const {
        return (sampled_visits_ + count() / 2) / std::max<std::size_t>(count(), 1);
    }

    // Share of the clock's readings in all that was timed: how much the samples depend on their
    // cost, which between visits may differ from that in a row of readings.
    [[nodiscard]] double subtracted_share() const {
        const double subtracted = static_cast<double>(stretches_) * clock_.overhead_seconds;
        return timed_seconds_ > subtracted ? subtracted / timed_seconds_ : 1;
    }

   private:
    ClockFacts clock_;
    std::uint64_t most_;
    std::vector<double> seconds_;
    double timed_seconds_ = 0;
    std::size_t timed_visits_ = 0;
    std::uint64_t stretches_ = 0;
    std::size_t sampled_visits_ = 0;
    double sum_seconds_ = 0;  // of the sample that is being added up
    std::size_t sum_visits_ = 0;
};

// The turns of owner and visitor. The first pass warms up and gives no sample.
class Passes {
   public:
    Passes(const NodeSession& session, const Shape& shape, const PageSet& set)
        : session_(session),
          shape_(shape),
          set_(set),
          visit_(visits_of(shape.visit, shape.extent, shape.order)),
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
        const std::size_t stretches = stretches_of_pass(shape_.pages);
        // Readings of the clock, evaluated after the last stretch.
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
        const bool reads = shape_.visit == Visit::read;
        all_read_ = all_read_ && (!reads || visitor.sum == set_.sum_read(shape_.extent, round_));
    }

    [[nodiscard]] const VisitSamples& samples() const { return samples_; }
    [[nodiscard]] long faults() const { return faults_; }
    [[nodiscard]] std::uint64_t passes() const { return round_; }

    // Whether every pass read what the owner wrote before it, or the last one left what it should.
    [[nodiscard]] bool right() const {
        return shape_.visit == Visit::read ? all_read_
                                           : set_.holds(shape_.extent, shape_.order, round_, mark);
    }

   private:
    static constexpr std::uint64_t mark = 0x5bd1e995'9e3779b9U;

    [[nodiscard]] std::size_t pages_until(std::size_t stretch) const {
        return shape_.pages * stretch / stretches_of_pass(shape_.pages);
    }

    // The owner's writing can take longer than the visits, so the whole has a limit too. A point
    // that takes much longer, as when it loses its CPUs or is too short for the clock, ends with
    // fewer samples.
    [[nodiscard]] bool enough() const {
        const SamplingLimits& limits = session_.limits();
        const double whole = seconds_between(begin_, session_.clock().now());
        const double late = longest_over_planned * limits.seconds;
        return samples_.count() >= limits.most ||
               (samples_.count() >= limits.least &&
                (samples_.timed_seconds() >= limits.seconds || whole >= late)) ||
               (round_ > fewest_samples && whole >= 2 * late);
    }

    const NodeSession& session_;
    const Shape& shape_;
    const PageSet& set_;
    VisitPages visit_;
    std::uint64_t round_ = 0;
    std::uint64_t begin_ = 0;
    VisitSamples samples_;
    long faults_ = 0;
    bool all_read_ = true;
};

std::string check_text(const Shape& shape, const Passes& passes, const Placement& placement) {
    const std::string what = shape.visit == Visit::read
                                 ? "every visit reads what the owner wrote before it"
                                 : "the pages hold what the visitor wrote over the owner's words";
    return what + "; " + std::to_string(passes.faults()) + " page faults during the visits; " +
           placement.what + ", the owner's" +
           (passes.samples().seen_by_clock() ? "" : "; the visits are too short for this clock");
}

const char* order_text(const Shape& shape) {
    if (shape.order == Order::independent) {
        return "random, from a list of the visitor";
    }
    return shape.visit == Visit::read
               ? "random single cycle, linked in the pages"
               : "random single cycle, linked in the pages; a visit waits for the link of the one "
                 "before it, not for its writes";
}

PointResult measure(NodeSession& session, const PairTeam& team, Memories& memories,
                    const Parameters& point) {
    const Shape shape = shape_of(point);
    const auto& [domain, memory] = memories.of_owner(shape.cpus.first);
    const PageSet set(memory.as<void>(), shape.pages, session.seed() + shape.pages);
    Passes passes(session, shape, set);
    team.take_turns(
        shape.cpus, [&] { return passes.owner_writes(); }, [&] { passes.visitor_visits(); });
    const VisitSamples& samples = passes.samples();
    session.add_timed(samples.timed_seconds());
    const Placement placement =
        placement_of(memory.as<void>(), shape.pages * visited_page_bytes, domain);
    return PointResult(point)
        .add_samples({{"seconds", samples.seconds()}}, samples.batch())
        .check(passes.right() && passes.faults() == 0 && !placement.elsewhere &&
                   samples.seen_by_clock(),
               check_text(shape, passes, placement))
        .quantity("pages", shape.pages)
        .quantity("passes", passes.passes())
        .quantity("owner_domain", domain)
        .quantity("clock_seconds_taken_off", session.clock_facts().overhead_seconds)
        .quantity("share_taken_off", samples.subtracted_share())
        .attribute("order", order_text(shape))
        .on_pages(memory.describe().page_bytes);
}

void run_pages(NodeSession& session) {
    std::size_t most = 0;
    for (const Parameters& point : session.points()) {
        most = std::max(most, shape_of(point).pages);
    }
    const PairTeam team;
    Memories memories(session, team, most * visited_page_bytes);
    session.record_each(
        [&](const Parameters& point) { return measure(session, team, memories, point); });
}

const RegisterNodeBenchmark registered({"memory.pages",
                                        {"pair", "visit", "extent", "order", "size"},
                                        &run_pages});

}  // namespace
}  // namespace machmeter
