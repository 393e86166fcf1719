// memory.allocation: the cost of allocating memory, of its first touch, of another sweep and of
// releasing it.
//
// An event is one round of these four phases, each timed by itself. `total` is a round without its
// second pass, which is a reference: a first touch is a sweep during which the kernel also finds,
// clears and maps every page. Both passes write every word.
#include <omp.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/libraries/loaded.hpp"
#include "core/openmp/team_clock.hpp"
#include "core/session/node.hpp"
#include "memory/pages/page_kind.hpp"
#include "memory/pages/team_memory.hpp"

namespace machmeter {
namespace {

// What a word holds after a pass: different at every place and in every pass.
std::uint64_t value_of(const Block& block, std::size_t word, std::uint64_t pass) {
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(block.data));
    return (address + word * sizeof(std::uint64_t)) ^ (pass << 52U);
}

void write_block(const Block& block, std::uint64_t pass) {
    auto* const words = reinterpret_cast<std::uint64_t*>(block.data);
    for (std::size_t i = 0; i < block.bytes / sizeof *words; ++i) {
        words[i] = value_of(block, i, pass);
    }
    // The compiler must not drop writes that nothing reads before the release.
    asm volatile("" : : "r"(words) : "memory");
}

std::size_t wrong_words(const Block& block, std::uint64_t pass) {
    const auto* const words = reinterpret_cast<const std::uint64_t*>(block.data);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < block.bytes / sizeof *words; ++i) {
        wrong += words[i] != value_of(block, i, pass) ? 1 : 0;
    }
    return wrong;
}

std::uint64_t page_faults() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_minflt + usage.ru_majflt);
}

// Seconds of each phase; faults: of the first touch, all threads.
struct Round {
    double allocate = 0;
    double first_touch = 0;
    double second_pass = 0;
    double release = 0;
    std::uint64_t faults = 0;

    [[nodiscard]] double total() const { return allocate + first_touch + release; }
    [[nodiscard]] double timed() const { return total() + second_pass; }
};

struct Inspection {
    std::size_t wrong_words = 0;
    PresentPages pages;
};

class Bench {
   public:
    Bench(const Clock& clock, TeamMemory& memory)
        : clock_(clock), memory_(memory), team_(clock, static_cast<int>(memory.threads())) {}

    // inspection: none in a timed round: it takes time and changes the caches.
    Round round(Inspection* inspection = nullptr) {
        Round round;
        round.allocate = get();
        const std::uint64_t faults = page_faults();
        round.first_touch = write(++pass_);
        round.faults = page_faults() - faults;
        inspect(inspection);
        round.second_pass = write(++pass_);
        inspect(inspection);
        round.release = release();
        return round;
    }

   private:
    double get() {
        const double seconds = memory_.per_thread()
                                   ? on_each([&](std::size_t thread) { memory_.get_own(thread); })
                                   : time_alone(clock_, [&] { memory_.get_whole(); });
        memory_.require_all();
        return seconds;
    }

    double release() {
        const double seconds =
            memory_.per_thread() ? on_each([&](std::size_t thread) { memory_.release_own(thread); })
                                 : time_alone(clock_, [&] { memory_.release_whole(); });
        memory_.released_all();
        return seconds;
    }

    double write(std::uint64_t pass) {
        return on_each([&](std::size_t thread) {
            for (const Block& block : memory_.blocks(thread)) {
                write_block(block, pass);
            }
        });
    }

    void inspect(Inspection* inspection) {
        if (inspection == nullptr) {
            return;
        }
        std::vector<AddressRange> ranges;
        for (std::size_t thread = 0; thread < memory_.threads(); ++thread) {
            for (const Block& block : memory_.blocks(thread)) {
                inspection->wrong_words += wrong_words(block, pass_);
                ranges.push_back(range_of(block.data, block.bytes));
            }
        }
        inspection->pages = present_pages(ranges);
    }

    // From the first thread that begins to the last that ends.
    template <class Body>
    double on_each(Body&& body) {
        return team_.time([&] { body(static_cast<std::size_t>(omp_get_thread_num())); });
    }

    Clock clock_;
    TeamMemory& memory_;
    TeamClock team_;
    std::uint64_t pass_ = 0;
};

std::vector<Round> sample_rounds(NodeSession& session, Bench& bench) {
    // The first round meets an allocator that never had this memory; what it keeps shows from the
    // second.
    bench.round();
    const SamplingLimits& limits = session.limits();
    std::vector<Round> rounds;
    double timed = 0;
    while (rounds.size() < limits.most &&
           (rounds.size() < limits.least || timed < limits.seconds)) {
        rounds.push_back(bench.round());
        timed += rounds.back().timed();
    }
    session.add_timed(timed);
    return rounds;
}

// Where some rounds got no huge pages, they got base pages. An allocator may
// spread its blocks over more pages than they fill.
bool no_smaller_pages(double faults, const TeamMemory& memory) {
    const auto pages = static_cast<double>(memory.pages());
    constexpr double of_stacks = 64;
    // Two threads both fault on a page that their parts share.
    const auto of_borders = static_cast<double>(memory.threads());
    return memory.way() != Way::map || faults <= 1.02 * pages + of_stacks + of_borders;
}

std::string faults_text(double faults, std::size_t pages) {
    std::string counted = std::to_string(std::llround(faults)) + " faults in a first touch of " +
                          std::to_string(pages) + " pages";
    const double share = faults / static_cast<double>(pages);
    if (share >= 0.98) {
        return counted;
    }
    return counted + (share > 0.02 ? ": some of the memory was never released"
                                   : ": the memory was never released");
}

double mean_faults(const std::vector<Round>& rounds) {
    const auto add = [](double sum, const Round& round) {
        return sum + static_cast<double>(round.faults);
    };
    return std::accumulate(rounds.begin(), rounds.end(), 0.0, add) /
           static_cast<double>(rounds.size());
}

// One of the phases of all rounds.
template <class Phase>
std::vector<double> seconds_of(const std::vector<Round>& rounds, Phase&& phase) {
    std::vector<double> seconds(rounds.size());
    std::transform(rounds.begin(), rounds.end(), seconds.begin(),
                   [&](const Round& round) { return std::invoke(phase, round); });
    return seconds;
}

PointResult measure(NodeSession& session, const Parameters& point) {
    const PageKind kind = page_kind_of(point.text("pages"));
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    const HugePagesAllowed allowed(kind.name != "base");
    TeamMemory memory(way_of(point), kind, point.count("size"), threads);
    Bench bench(session.clock(), memory);
    const std::vector<Round> rounds = sample_rounds(session, bench);
    Inspection seen;
    bench.round(&seen);
    const double faults = mean_faults(rounds);
    const std::string obtained = obtained_text(seen.pages);
    const std::string touched = faults_text(faults, memory.pages());
    return PointResult(point)
        .add_series("total", seconds_of(rounds, &Round::total))
        .add_series("allocate", seconds_of(rounds, &Round::allocate))
        .add_series("first_touch", seconds_of(rounds, &Round::first_touch))
        .add_series("second_pass", seconds_of(rounds, &Round::second_pass))
        .add_series("release", seconds_of(rounds, &Round::release))
        .check(seen.wrong_words == 0 && obtained_as_requested(kind, seen.pages) &&
                   no_smaller_pages(faults, memory),
               std::to_string(seen.wrong_words) + " words read back wrong; pages requested " +
                   std::string(kind.name) + ", obtained " + obtained + "; " + touched)
        .quantity("events_per_sample", memory.most_pages())
        .quantity("bytes", memory.bytes())
        .quantity("threads", threads)
        .quantity("page_faults", faults)
        .attribute("allocator", allocator_library())
        .attribute("pages", obtained)
        .attribute("faults", touched);
}

// An allocator has a history: glibc maps only blocks larger than the largest that was ever freed.
// So that every launch finds the same, points that leave the least behind come first.
std::vector<Parameters> in_order(std::vector<Parameters> points) {
    const auto before = [](const Parameters& one, const Parameters& other) {
        const auto rank = [](const Parameters& point) {
            constexpr std::array order{Way::map, Way::malloc_loop, Way::malloc_inside,
                                       Way::malloc_outside};
            const auto found = std::find(order.begin(), order.end(), way_of(point)) - order.begin();
            return std::pair(found, point.count("size"));
        };
        return rank(one) < rank(other);
    };
    std::stable_sort(points.begin(), points.end(), before);
    return points;
}

void run_allocation(NodeSession& session) {
    // From the start: smaps reports the whole heap, which must not have huge pages already when a
    // point with base pages inspects its blocks.
    const HugePagesAllowed forbidden(false);
    for (const Parameters& point : in_order(session.points())) {
        session.begin(point);
        session.record(measure(session, point));
    }
}

const RegisterNodeBenchmark registered({"memory.allocation",
                                        {"way", "pages", "size"},
                                        &run_allocation});

}  // namespace
}  // namespace machmeter
