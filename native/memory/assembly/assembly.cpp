// memory.assembly: a made-up transcriptome from its reads, all of whose stages live in memory.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "codes/common/touch.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/loaded.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"
#include "memory/assembly/checks.hpp"
#include "memory/assembly/owned_counts.hpp"
#include "memory/assembly/reads.hpp"
#include "memory/assembly/shared_counts.hpp"
#include "memory/assembly/stages.hpp"
#include "memory/assembly/transcripts.hpp"

namespace machmeter::assembly {
namespace {

enum class Table { owned, shared };

// The same reads in every launch, so that digests of launches can be compared.
constexpr std::uint64_t seed = 1;

struct Request {
    Sample sample;
    Table table;
    std::uint64_t passes;
    codes::Touch touch;
    std::size_t page_bytes;
    int threads;
};

Request request_of(const NodeSession& session, const Teams& teams, const Parameters& point) {
    return {
        {seed, point.count_within("reads", 1'000, 4'000'000'000),
         point.count_within("coverage", 4, 1'000), point.count_within("errors", 0, 100),
         point.choice<Strands>("strands", {{"both", Strands::both}, {"one", Strands::one}})},
        point.choice<Table>("table", {{"owned", Table::owned}, {"shared", Table::shared}}),
        point.count_within("passes", 1, 64),
        codes::touch_of(point),
        session.page_bytes(),
        teams.threads(),
    };
}

// Different words at most: those of the transcripts and those with a wrong letter.
std::uint64_t expected_words(const Sample& sample) {
    const std::uint64_t letters = sample.reads * read_length;
    const std::uint64_t wrong = letters * sample.errors / 1000;
    const std::uint64_t words_of_letter = read_words * word / read_length;
    return std::min(2 * letters / sample.coverage + wrong * words_of_letter, sample.words());
}

// Throws UsageError where the reads and their counts do not fit.
void require_memory_of(const Request& request) {
    const Sample& sample = request.sample;
    constexpr double bytes_of_count = 24;
    const double sorted = request.table == Table::shared
                              ? 0
                              : static_cast<double>(sample.words()) * sizeof(Kmer) /
                                    static_cast<double>(request.passes);
    require_memory("reads: " + std::to_string(sample.reads),
                   static_cast<double>(sample.reads * read_length) + sorted +
                       bytes_of_count * static_cast<double>(expected_words(sample)),
                   available_memory_bytes());
}

template <Strands strands>
OwnedCounts count(std::type_identity<OwnedCounts> /*kind*/, const Request& request,
                  const Reads& reads, MemoryLog& log) {
    return OwnedCounts::of<strands>(reads, request.passes, request.page_bytes, request.threads,
                                    log);
}

template <Strands strands>
SharedCounts count(std::type_identity<SharedCounts> /*kind*/, const Request& request,
                   const Reads& reads, MemoryLog& log) {
    return SharedCounts::of<strands>(reads, expected_words(request.sample), request.touch,
                                     request.page_bytes, request.threads, log);
}

template <class Counts>
PointResult measure(NodeSession& session, const Parameters& point, const Request& request) {
    const Sample& sample = request.sample;
    const Reads reads(sample, make_transcripts(sample.seed, sample.reads, sample.coverage),
                      request.touch, request.page_bytes, request.threads);
    Stages stages(session.clock());
    std::optional<Counts> counts;
    const auto prepare = [&] {
        counts.reset();
        stages.log().restart();
    };
    Samples samples = session.sample_long(prepare, [&] {
        stages.run(Stage::count, [&] {
            constexpr std::type_identity<Counts> kind;
            counts.emplace(sample.strands == Strands::both
                               ? count<Strands::both>(kind, request, reads, stages.log())
                               : count<Strands::one>(kind, request, reads, stages.log()));
        });
    });
    const Totals totals = totals_of(*counts, request.threads);
    const std::string fault = fault_of_counts(reads, *counts, totals, request.threads);
    PointResult result(point);
    result.add_samples(std::move(samples))
        .check(fault.empty(), fault.empty() ? "the counts sum to the words of the reads; those of "
                                              "chosen words are those of a sorted list"
                                            : fault)
        .quantity("reads", sample.reads)
        .quantity("words", sample.words())
        .quantity("distinct", totals.distinct)
        .quantity("data_bytes", stages.log().most())
        .attribute("digest", std::to_string(totals.digest))
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime());
    stages.describe(result);
    return result;
}

void run(NodeSession& session) {
    const Teams teams = requested_teams();
    require_whole(teams);
    session.record_each([&](const Parameters& point) {
        const Request request = request_of(session, teams, point);
        require_memory_of(request);
        return request.table == Table::shared ? measure<SharedCounts>(session, point, request)
                                              : measure<OwnedCounts>(session, point, request);
    });
}

const RegisterNodeBenchmark registered({"memory.assembly",
                                        {"reads", "coverage", "errors", "strands", "table",
                                         "passes", "touch"},
                                        &run});

}  // namespace
}  // namespace machmeter::assembly
