// machine.reference: fixed work, in cache and in memory, that shows whether the machine has
// drifted.
//
// An event of either part reads words and adds them up: 128 KiB many times, which fit into the
// second level of cache of any core, or 256 MiB once. The sizes are the same on every machine.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/memory/memory.hpp"
#include "core/memory/pages.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

struct Part {
    std::size_t bytes;
    std::uint64_t sums_of_event;
};

constexpr Part cache_part{std::size_t{128} << 10U, 64};
constexpr Part memory_part{std::size_t{256} << 20U, 1};

Part part_of(const Parameters& point) {
    return point.choice<Part>("part", {{"cache", cache_part}, {"memory", memory_part}});
}

std::uint64_t sum_words(const std::uint64_t* words, std::size_t count) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        sum += words[i];
    }
    return sum;
}

// Of 0 .. n-1, for an even n.
std::uint64_t sum_to(std::size_t n) { return n / 2 * (n - 1); }

// The words hold 0 .. n-1, so that each of them counts in the sum.
PointResult measure(NodeSession& session, const Parameters& point) {
    const Part part = part_of(point);
    const std::size_t count = part.bytes / sizeof(std::uint64_t);
    const Memory memory(part.bytes, base_page_bytes());
    memory.fill<std::uint64_t>(0, count, [](std::size_t i) { return i; });
    std::uint64_t sum = 0;
    auto events = session.event([&](std::uint64_t number) {
        std::uint64_t sums = 0;
        for (; sums < number * part.sums_of_event; ++sums) {
            sum += sum_words(memory.as<std::uint64_t>(), count);
            // The compiler may not read the words once for all sums.
            asm volatile("" : "+r"(sum) : : "memory");
        }
        return sums;
    });
    Samples taken = session.sample(events);
    return PointResult(point)
        .add_samples(std::move(taken))
        .check(sum == events.work() * sum_to(count), "every sum of 0 .. n-1 is n (n-1) / 2");
}

void run_reference(NodeSession& session) {
    session.record_each([&](const Parameters& point) { return measure(session, point); });
}

const RegisterNodeBenchmark registered({"machine.reference", {"part"}, &run_reference});

}  // namespace
}  // namespace machmeter
