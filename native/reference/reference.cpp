// machine.reference: fixed work, in cache and in memory, that tells whether the machine drifted.
#include <cstdint>
#include <cstring>
#include <vector>

#include "machmeter/node_benchmark.hpp"
#include "machmeter/noise.hpp"
#include "machmeter/pages.hpp"

namespace machmeter {
namespace {

constexpr std::size_t memory_words = std::size_t{128} * 1024 * 1024 / sizeof(std::uint64_t);
constexpr int cache_repeats = 20;

std::uint64_t sum_words(const std::uint64_t* words, std::size_t count) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        sum += words[i];
    }
    return sum;
}

PointResult cache_part(Session& session, const Parameters& parameters) {
    std::uint64_t value = 1;
    const Samples taken = session.sample([&](std::uint64_t events) {
        for (std::uint64_t i = 0; i < events * cache_repeats; ++i) {
            value = fixed_work(value);
        }
    });
    // Every step keeps the value odd-or-even as x * odd + odd does: it can never stay put.
    const bool moved = fixed_work(value) != value;
    return {parameters, {{"seconds", taken.seconds}}, taken.batch, moved, "the chain moves on"};
}

PointResult memory_part(Session& session, const Parameters& parameters) {
    const PageBuffer buffer(memory_words * sizeof(std::uint64_t), base_page_bytes());
    auto* words = buffer.as<std::uint64_t>();
    for (std::size_t i = 0; i < memory_words; ++i) {
        words[i] = i;
    }
    std::uint64_t sum = 0;
    const Samples taken = session.sample([&](std::uint64_t events) {
        for (std::uint64_t i = 0; i < events; ++i) {
            sum = sum_words(words, memory_words);
            asm volatile("" : "+r"(sum) : : "memory");
        }
    });
    const std::uint64_t expected = memory_words / 2 * (memory_words - 1);
    return {parameters,
            {{"seconds", taken.seconds}},
            taken.batch,
            sum == expected,
            "sum of 0 .. n-1 is n (n-1) / 2"};
}

void run_reference(Session& session) {
    for (const Parameters& point : session.points()) {
        session.record(point.text("part") == "cache" ? cache_part(session, point)
                                                     : memory_part(session, point));
    }
}

const RegisterNodeBenchmark registered("machine.reference", &run_reference);

}  // namespace
}  // namespace machmeter
