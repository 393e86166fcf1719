// machine.reference: fixed work, in cache and in memory, that tells whether the machine drifted.
//
// An event of either part reads words and adds them up: 128 KiB again and again, which the second
// level of cache of any core holds, or 256 MiB once. The sizes are the same on every machine.
#include <cstdint>

#include "core/memory/memory.hpp"
#include "core/session/node_benchmark.hpp"

namespace machmeter {
namespace {

struct Part {
    std::size_t bytes;
    std::uint64_t sums_of_event;
};

constexpr Part cache_part{std::size_t{128} << 10U, 64};
constexpr Part memory_part{std::size_t{256} << 20U, 1};

Part part_of(const Parameters& point) {
    const std::string& name = point.text("part");
    if (name != "cache" && name != "memory") {
        throw UsageError("part: '" + name + "' is neither cache nor memory");
    }
    return name == "cache" ? cache_part : memory_part;
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
PointResult measure(Session& session, const Parameters& point) {
    const Part part = part_of(point);
    const std::size_t count = part.bytes / sizeof(std::uint64_t);
    const PageBuffer buffer(part.bytes, base_page_bytes());
    auto* words = buffer.as<std::uint64_t>();
    for (std::size_t i = 0; i < count; ++i) {
        words[i] = i;
    }
    std::uint64_t sum = 0;
    std::uint64_t sums = 0;
    const Samples taken = session.sample([&](std::uint64_t events) {
        for (std::uint64_t i = 0; i < events * part.sums_of_event; ++i) {
            sum += sum_words(words, count);
            ++sums;
            // The compiler may not read the words once for all sums.
            asm volatile("" : "+r"(sum) : : "memory");
        }
    });
    return {point,
            {{"seconds", taken.seconds}},
            taken.batch,
            sum == sums * sum_to(count),
            "every sum of 0 .. n-1 is n (n-1) / 2"};
}

void run_reference(Session& session) {
    for (const Parameters& point : session.points()) {
        session.record(measure(session, point));
    }
}

const RegisterNodeBenchmark registered("machine.reference", {"part"}, &run_reference);

}  // namespace
}  // namespace machmeter
